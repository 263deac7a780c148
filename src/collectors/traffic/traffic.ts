// Traffic of the whole account and of configured slices, from analytics/graph.

import { type GraphFilter, readGraph } from '../../provider/analytics.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/customer.ts';
import { ProviderError } from '../../provider/errors.ts';
import { type Range, windowsOf } from '../../provider/time.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { Collector, Outcome, ReadContext, RunContext } from '../collector.ts';
import { verifyCustomer } from '../customer.ts';
import { collectParts } from '../parts.ts';
import { costOf } from './cost.ts';
import { exposeTraffic } from './expose.ts';
import { ACCOUNT_FAMILIES, listOf, SLICE_FAMILIES } from './families.ts';
import { bucketMsOf, type GraphOptions, graphsOf, type TrafficOptions, trafficOptions } from './options.ts';
import { floorAt, isDue, planReading } from './plan.ts';

/** Requests of the account's budget that traffic may have in flight. */
const IN_FLIGHT = 4;

export const traffic: Collector<TrafficOptions> = {
  name: 'traffic',
  endpoints: ['analytics/graph', CUSTOMER_ENDPOINT],
  families: [...listOf(ACCOUNT_FAMILIES), ...listOf(SLICE_FAMILIES)],
  options: trafficOptions,
  schedules: ({ deep_reread, graphs }) => [
    deep_reread.schedule,
    ...graphs.flatMap(({ schedule }) => schedule ?? []),
  ],
  open: async (context) => {
    for (const settings of graphsOf(context.options)) await openGraph(context, settings);
  },
  cost: costOf,
  conflicts: async ({ account, options, store }) => {
    const known = new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));
    return options.graphs.flatMap((settings, index) => {
      const slice = known.get(settings.name)?.slice;
      if (slice === undefined || slice === sliceOf(options, settings)) return [];
      const message = `the graph "${settings.name}" is in the store with another filter or interval, and its counters would lie: give this one a new name`;
      return [{ path: ['graphs', index], message }];
    });
  },
  collect,
  expose: exposeTraffic,
};

async function collect(context: RunContext<TrafficOptions>): Promise<Outcome> {
  const { account, options, store, clock } = context;
  await verifyCustomer(context);
  const startedAt = clock.now();
  const known = new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));
  const due = graphsOf(options).flatMap((settings) => {
    const graph = known.get(settings.name);
    return graph && isDue(options, settings, graph, account.schedule_time_zone, startedAt)
      ? [{ graph, settings, ...planWindows(context, settings, graph, startedAt) }]
      : [];
  });

  const total = due.reduce((sum, { windows }) => sum + windows.length, 0);
  let done = 0;
  const onWindow = (): void => {
    done += 1;
    context.progress({ done, total, unit: 'windows' });
  };
  return collectParts({
    items: due,
    limit: IN_FLIGHT,
    nameOf: ({ settings }) => settings.name || 'account',
    collect: (poll) => pollGraph(context, poll, startedAt, onWindow),
  });
}

interface Poll {
  readonly graph: Graph;
  readonly settings: GraphOptions;
  readonly windows: readonly Range[];
  readonly isDeep: boolean;
}

const planWindows = (
  { account, options }: RunContext<TrafficOptions>,
  settings: GraphOptions,
  graph: Graph,
  startedAt: number,
): Pick<Poll, 'windows' | 'isDeep'> => {
  const zones = { data: account.time_zone, schedule: account.schedule_time_zone };
  const { ranges, isDeep } = planReading(options, settings, graph, zones, startedAt);
  const size = { zone: account.time_zone, bucketMs: graph.bucketMs, spanMs: options.window };
  return { windows: ranges.flatMap(({ from, to }) => windowsOf(from, to, size)), isDeep };
};

/** Reads what the graph lacks, window by window; returns the buckets that were skipped. */
async function pollGraph(
  context: RunContext<TrafficOptions>,
  { graph, settings, windows, isDeep }: Poll,
  startedAt: number,
  onWindow: () => void,
): Promise<number> {
  const { account, options, store, client, signal } = context;
  const zone = account.time_zone;
  let skipped = 0;
  for (const [index, window] of windows.entries()) {
    const answer = await readGraph(client, {
      ...window,
      filter: filterOf(settings),
      interval: options.interval,
      concurrency: options.concurrency,
      timeZone: zone,
      parameters: {
        productType: account.parameters.product_type,
        concurrency: account.parameters.concurrency,
      },
      signal,
    });
    const isLast = index === windows.length - 1;
    if (answer.buckets.length === 0 && answer.skipped > 0) throw unreadable(answer.skipped);
    await verifyCustomer(context);
    await store.traffic.saveWindow(graph.id, {
      buckets: answer.buckets,
      watermark: Math.min(window.to, startedAt),
      now: startedAt,
      ...(isLast && graph.baselinedAt === null ? { baselinedAt: startedAt } : {}),
      ...(isLast && isDeep ? { deepReadAt: startedAt } : {}),
    });
    skipped += answer.skipped;
    onWindow();
  }
  return skipped;
}

/** A window of which nothing could be read is not read: its watermark must not pass it by. */
const unreadable = (skipped: number): ProviderError =>
  new ProviderError('bad_response', 'analytics/graph', `none of ${skipped} buckets could be read`);

const filterOf = ({ product_type, proxy_user_id, service_id, hostname }: GraphOptions): GraphFilter => ({
  productType: product_type,
  proxyUserId: proxy_user_id,
  serviceId: service_id,
  hostname,
});

const sliceOf = (options: TrafficOptions, settings: GraphOptions): string =>
  JSON.stringify({ ...filterOf(settings), interval: options.interval });

const openGraph = async (context: ReadContext<TrafficOptions>, settings: GraphOptions): Promise<void> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  const identity = {
    account: account.name,
    name: settings.name,
    slice: sliceOf(options, settings),
    reading: JSON.stringify([account.time_zone, account.parameters.product_type]),
    zone: account.time_zone,
    bucketMs: bucketMsOf(options),
  };
  await store.traffic.openGraph(identity, floorAt(options, settings, account.time_zone, now), now);
};

// Traffic of the whole account and of configured slices, from analytics/graph.

import { forEachLimited } from '../../lib/parallel.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/customer.ts';
import { ProviderError } from '../../provider/errors.ts';
import { type Range, windowsOf } from '../../provider/time.ts';
import type { Collector, Outcome, ReadContext, RunContext } from '../collector.ts';
import { verifyCustomer } from '../customer.ts';
import { Attempts } from './attempts.ts';
import { costOf } from './cost.ts';
import { mistakeIn } from './expectation.ts';
import { exposeTraffic } from './expose.ts';
import { ACCOUNT_FAMILIES, LATENESS, listOf, SLICE_FAMILIES } from './families.ts';
import { trafficHistory } from './history.ts';
import { bucketMsOf, type GraphOptions, graphsOf, type TrafficOptions, trafficOptions } from './options.ts';
import { floorAt, planPoll } from './plan.ts';
import { filterOf, type Poll, readWindows, type WindowsRead } from './poll.ts';

/** Requests of the account's budget that traffic may have in flight. */
const IN_FLIGHT = 4;
/** Errors of one graph alone; any other would meet the next graph as well. */
const OF_ONE_GRAPH = new Set(['rejected', 'not_found']);

export const traffic: Collector<TrafficOptions, Attempts> = {
  name: 'traffic',
  endpoints: ['analytics/graph', CUSTOMER_ENDPOINT],
  families: [...listOf(ACCOUNT_FAMILIES), LATENESS, ...listOf(SLICE_FAMILIES)],
  options: trafficOptions,
  schedules: ({ deep_reread, graphs }) => [
    deep_reread.schedule,
    ...graphs.flatMap(({ schedule }) => schedule ?? []),
  ],
  open: async (context) => {
    for (const settings of graphsOf(context.options)) await openGraph(context, settings);
    return new Attempts();
  },
  cost: costOf,
  mistakes: (options) =>
    [
      { expect: options.expect, path: ['expect', 'within'] },
      ...options.graphs.map(({ expect }, index) => ({ expect, path: ['graphs', index, 'expect', 'within'] })),
    ].flatMap(({ expect, path }) => {
      const message = expect && mistakeIn(expect, bucketMsOf(options));
      return message === undefined ? [] : [{ path, message }];
    }),
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
  history: trafficHistory,
};

async function collect(context: RunContext<TrafficOptions>, attempts: Attempts): Promise<Outcome> {
  const { account, options, store, clock } = context;
  await verifyCustomer(context);
  const startedAt = clock.now();
  const known = new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));
  const polls = graphsOf(options).flatMap((settings) => {
    const graph = known.get(settings.name);
    return graph ? (windowsDue(context, { settings, graph, startedAt }, attempts) ?? []) : [];
  });

  const total = polls.reduce((sum, { recent, deep }) => sum + recent.length + (deep?.length ?? 0), 0);
  let done = 0;
  const onWindow = (): void => {
    done += 1;
    context.progress({ done, total, unit: 'windows' });
  };
  let skipped = 0;
  await forEachLimited(polls, IN_FLIGHT, async (poll) => {
    // Others go on meanwhile: the sum is read after the wait, not before.
    const buckets = await pollGraph(context, poll, attempts, onWindow);
    skipped += buckets;
  });
  const failedParts = attempts.failedParts(startedAt);
  const accountError = failedParts.find(({ part }) => part === 'account')?.error;
  const hasFailed = ({ settings }: Poll) => attempts.failedAt(settings.name, 'recent') === startedAt;
  if (accountError && polls.length > 0 && polls.every(hasFailed)) throw accountError;
  return { skipped, failedParts, isCurrent: accountError === undefined };
}

/** The windows of a graph that are due, if any. */
const windowsDue = (
  { account, options }: RunContext<TrafficOptions>,
  { graph, settings, startedAt }: Pick<Poll, 'graph' | 'settings' | 'startedAt'>,
  attempts: Attempts,
): Poll | undefined => {
  const zones = { data: account.time_zone, schedule: account.schedule_time_zone };
  const plan = planPoll(options, settings, graph, attempts, zones, startedAt);
  if (!plan) return undefined;
  const size = { zone: account.time_zone, bucketMs: graph.bucketMs, spanMs: options.window };
  const windows = ({ from, to }: Range): Range[] => (from < to ? windowsOf(from, to, size) : []);
  return { graph, settings, startedAt, recent: windows(plan.recent), deep: plan.deep && windows(plan.deep) };
};

/** Reads what is due of a graph, and remembers what failed of it; returns the buckets that were skipped. */
const pollGraph = async (
  context: RunContext<TrafficOptions>,
  poll: Poll,
  attempts: Attempts,
  onWindow: () => void,
): Promise<number> => {
  let skipped = 0;
  for (const reading of ['recent', 'deep'] as const) {
    if (poll[reading] === null) continue;
    const { error, ...result } = await attempt(() => readWindows(context, poll, reading, onWindow));
    skipped += result.skipped;
    if (!error) attempts.succeeded(poll.settings.name, reading);
    else attempts.failed(poll.settings.name, reading, poll.startedAt, error);
    if (error) break;
  }
  return skipped;
};

const attempt = async (read: () => Promise<WindowsRead>): Promise<WindowsRead> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ProviderError) || !OF_ONE_GRAPH.has(error.kind)) throw error;
    return { skipped: 0, error };
  }
};

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

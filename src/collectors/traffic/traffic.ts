// Traffic of the whole account and of configured slices, from analytics/graph.

import { CUSTOMER_ENDPOINT } from '../../provider/customer.ts';
import { GRAPH_ENDPOINT } from '../../provider/resources/analytics.ts';
import type { Collector, Outcome } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { type Part, PartsRun } from '../parts/parts-run.ts';
import { costOf } from './cost.ts';
import { mistakeIn } from './expectation.ts';
import { exposeTraffic } from './expose.ts';
import { ACCOUNT_FAMILIES, LATENESS, listOf, SLICE_FAMILIES } from './families.ts';
import { trafficHistory } from './history.ts';
import { dropOldGaps, dueGaps, readDeep, readGaps } from './older.ts';
import { bucketMsOf, type GraphOptions, graphsOf, type TrafficOptions, trafficOptions } from './options.ts';
import { partsOf, TrafficState } from './parts.ts';
import { floorAt, planPoll } from './plan.ts';
import { type Poll, type Polling, readApart, readNewest, windowsIn } from './poll.ts';
import { filterOf } from './window.ts';

/** Requests of the account's budget that traffic may have in flight. */
const IN_FLIGHT = 4;

export const traffic: Collector<TrafficOptions, TrafficState> = {
  name: 'traffic',
  endpoints: [GRAPH_ENDPOINT, CUSTOMER_ENDPOINT],
  families: [...listOf(ACCOUNT_FAMILIES), LATENESS, ...listOf(SLICE_FAMILIES)],
  options: trafficOptions,
  schedules: ({ deep_reread, graphs }) => [
    deep_reread.schedule,
    ...graphs.flatMap(({ schedule }) => schedule ?? []),
  ],
  open: async (context) => {
    for (const settings of graphsOf(context.options)) await openGraph(context, settings);
    return new TrafficState();
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

async function collect(context: RunContext<TrafficOptions>, state: TrafficState): Promise<Outcome> {
  const { options, clock, log, signal, store, account } = context;
  await verifyCustomer(context);
  const startedAt = clock.now();
  const known = new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));
  const polls = graphsOf(options).flatMap((settings) => {
    const graph = known.get(settings.name);
    return graph ? (pollDue(context, state, { settings, graph, startedAt }) ?? []) : [];
  });
  const onWindow = counting(context, polls);
  const [whole, slices] = [polls.filter(isWhole), polls.filter((poll) => !isWhole(poll))].map((group) =>
    group.map((poll) => partOf({ ...poll, context, state, onWindow })),
  );
  const run = new PartsRun({
    ...{ log, signal, startedAt, states: state.parts, total: polls.length },
    // What the account is read for goes well: whatever its slices meet is theirs.
    isMainPartWorking: () => state.parts.failure(ACCOUNT) === undefined && whole?.length === 0,
  });
  await run.ask(whole ?? [], 1);
  await run.ask(slices ?? [], IN_FLIGHT);
  const failedParts = run.end();
  const accountError = state.parts.failure(ACCOUNT)?.error;
  if (accountError && run.answered === 0 && polls.length > 0) throw accountError;
  // What matters most is named first.
  const inOrder = failedParts.toSorted((a, b) => Number(b.part === ACCOUNT) - Number(a.part === ACCOUNT));
  return { skipped: run.skipped, failedParts: inOrder, isCurrent: accountError === undefined };
}

const { recent: ACCOUNT } = partsOf({ name: '' });

const isWhole = ({ settings }: Poll): boolean => settings.name === '';

const pollDue = (
  { account, options }: RunContext<TrafficOptions>,
  state: TrafficState,
  { graph, settings, startedAt }: Pick<Poll, 'graph' | 'settings' | 'startedAt'>,
): Poll | undefined => {
  const zones = { data: account.time_zone, schedule: account.schedule_time_zone };
  const plan = planPoll(options, settings, graph, state, zones, startedAt);
  return plan && { graph, settings, startedAt, plan };
};

/** Reads what is due of a graph: it has failed where what is newest could not be read. */
const partOf = (polling: Polling): Part => {
  const parts = partsOf(polling.settings);
  return {
    name: parts.recent,
    endpoint: GRAPH_ENDPOINT,
    collect: async () => {
      let skipped = await readNewest(polling);
      await dropOldGaps(polling);
      skipped += await readApart(polling, parts.gaps, () => readGaps(polling));
      skipped += await readApart(polling, parts.deep, () => readDeep(polling));
      return skipped;
    },
  };
};

/** Tells how far the run is, by the windows that are known beforehand. */
const counting = (context: RunContext<TrafficOptions>, polls: readonly Poll[]): (() => void) => {
  const total = polls.flatMap(({ graph, plan: { newest, missed, deep }, startedAt }) =>
    [newest, missed, ...dueGaps(graph.gaps, startedAt), ...(deep ? [deep] : [])].flatMap((range) =>
      windowsIn(context, graph, range),
    ),
  ).length;
  let done = 0;
  return () => {
    done += 1;
    context.progress({ done, total: Math.max(done, total), unit: 'windows' });
  };
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

// Collects traffic of the whole account and of configured slices from analytics/graph.

import { PRODUCT_TYPE_WORDS } from '../../provider/documented-words.ts';
import { GRAPH_ENDPOINT } from '../../provider/resources/analytics.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/resources/proxy-users.ts';
import { type Collector, type Cost, type Outcome, slotsPerDay } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { type Part, PartsRun } from '../parts/parts-run.ts';
import { unknownWord } from '../unknown-words.ts';
import { exposeTraffic, trafficHistory } from './expose.ts';
import { ACCOUNT_FAMILIES, LATENESS, listOf, SLICE_FAMILIES } from './families.ts';
import { dropOldGaps, dueGaps, readDeepRange, readGaps } from './gaps-and-deep-reread.ts';
import { expectationMistake, readGraphs, storedGraphs } from './newest-traffic.ts';
import { bucketMsOf, type GraphOptions, graphsOf, type TrafficOptions, trafficOptions } from './options.ts';
import { filterOf, type Poll, type RunningPoll, readAsOwnPart, readNewest, windowsIn } from './poll.ts';
import { floorOf, partNamesOf, planPoll, TrafficState } from './poll-plan.ts';

/** The requests that traffic may have in flight, which leaves the rest of the account's pace to other collectors. */
const IN_FLIGHT = 4;

export const traffic: Collector<TrafficOptions, TrafficState> = {
  name: 'traffic',
  description: 'Traffic of the whole account, and of slices',
  isOnByDefault: true,
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
      const message = expect && expectationMistake(expect, bucketMsOf(options));
      return message === undefined ? [] : [{ path, message }];
    }),
  unknownWords: ({ graphs }) =>
    graphs.flatMap(({ product_type }, index) =>
      unknownWord(PRODUCT_TYPE_WORDS, product_type, ['graphs', index, 'product_type']),
    ),
  conflicts: async ({ account, options, store }) => {
    const graphsByName = await readGraphs({ account, store });
    return options.graphs.flatMap((settings, index) => {
      const slice = graphsByName.get(settings.name)?.slice;
      if (slice === undefined || slice === sliceKeyOf(options, settings)) return [];
      const message = `the store has a graph "${settings.name}" with another filter or interval, so its counters would be wrong; give this graph a new name`;
      return [{ path: ['graphs', index], message }];
    });
  },
  collect,
  expose: exposeTraffic,
  history: trafficHistory,
};

async function collect(context: RunContext<TrafficOptions>, state: TrafficState): Promise<Outcome> {
  const { options, clock, log, signal, account } = context;
  await verifyCustomer(context);
  const startedAt = clock.now();
  const zones = { data: account.time_zone, schedule: account.schedule_time_zone };
  const polls = (await storedGraphs(context)).flatMap(({ settings, graph }): Poll[] => {
    const plan = planPoll(options, settings, graph, state, zones, startedAt);
    return plan ? [{ graph, settings, startedAt, plan }] : [];
  });
  const onWindow = progressCounter(context, polls);
  const [accountPolls, slicePolls] = [
    polls.filter(isWholeAccount),
    polls.filter((poll) => !isWholeAccount(poll)),
  ].map((group) => group.map((poll) => toPart({ ...poll, context, state, onWindow })));
  const run = new PartsRun({
    ...{ log, signal, startedAt, states: state.parts, total: polls.length },
    // If the whole account works and is not due, failures of slices concern only these slices.
    isMainPartWorking: () => state.parts.failureOf(ACCOUNT) === undefined && accountPolls?.length === 0,
  });
  await run.collect(accountPolls ?? [], 1);
  await run.collect(slicePolls ?? [], IN_FLIGHT);
  const failedParts = run.end();
  const accountError = state.parts.failureOf(ACCOUNT)?.error;
  if (accountError && run.succeeded === 0 && polls.length > 0) throw accountError;
  // The failure of the whole account is the most important one, so it comes first.
  const inOrder = failedParts.toSorted((a, b) => Number(b.part === ACCOUNT) - Number(a.part === ACCOUNT));
  return { skipped: run.skipped, failedParts: inOrder, isSuccessDespiteFailures: accountError === undefined };
}

const { recent: ACCOUNT } = partNamesOf({ name: '' });

const isWholeAccount = ({ settings }: Poll): boolean => settings.name === '';

/** Reads what is due for a graph. The part has failed if the newest window could not be read. */
const toPart = (poll: RunningPoll): Part => {
  const parts = partNamesOf(poll.settings);
  return {
    name: parts.recent,
    endpoint: GRAPH_ENDPOINT,
    collect: async () => {
      let skipped = await readNewest(poll);
      await dropOldGaps(poll);
      skipped += await readAsOwnPart(poll, parts.gaps, () => readGaps(poll));
      skipped += await readAsOwnPart(poll, parts.deep, () => readDeepRange(poll));
      return skipped;
    },
  };
};

/** Returns a function that reports progress by the number of windows. The total counts the windows known at the start. */
const progressCounter = (context: RunContext<TrafficOptions>, polls: readonly Poll[]): (() => void) => {
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

const sliceKeyOf = (options: TrafficOptions, settings: GraphOptions): string =>
  JSON.stringify({ ...filterOf(settings), interval: options.interval });

const openGraph = async (context: ReadContext<TrafficOptions>, settings: GraphOptions): Promise<void> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  const identity = {
    account: account.name,
    name: settings.name,
    slice: sliceKeyOf(options, settings),
    requestFormat: JSON.stringify([account.time_zone, account.parameters.product_type]),
    zone: account.time_zone,
    bucketMs: bucketMsOf(options),
  };
  await store.traffic.openGraph(identity, floorOf(options, settings, account.time_zone, now), now);
};

/** A poll of a graph requests the trailing window, and at the slots of the deep reread a longer one. */
function costOf(options: TrafficOptions, zone: string, now: number): Cost {
  const graphs = graphsOf(options);
  const windowsIn = (span: number): number => Math.ceil((span + bucketMsOf(options)) / options.window);
  const polls = graphs.map(({ schedule }) => slotsPerDay(schedule ?? options.schedule, zone, now));
  const deepPolls = graphs.length * slotsPerDay(options.deep_reread.schedule, zone, now);
  return {
    requestsPerDay:
      polls.reduce((sum, slots) => sum + slots, 0) * windowsIn(options.reread) +
      deepPolls * windowsIn(options.deep_reread.span),
    series: graphs.length * listOf(ACCOUNT_FAMILIES).length,
    assumptions: summaryAssumptions(options.graphs),
    warnings: [],
  };
}

/** The provider documents that it may summarise many host names, and neither when nor how a filter treats it. */
const SUMMARY = '*.';

/** Describes the slices by host name without a slice of the summary that their host name may become a part of. */
const summaryAssumptions = (graphs: readonly GraphOptions[]): string[] => {
  const hosts = graphs.flatMap(({ hostname }) => hostname ?? []);
  const summaries = hosts.filter((host) => host.startsWith(SUMMARY));
  const names = graphs
    .filter(({ hostname }) => hostname !== undefined && !hostname.startsWith(SUMMARY))
    .filter(({ hostname = '' }) => !summaries.some((summary) => isWithin(hostname, summary)))
    .map(({ name }) => name);
  return names.length === 0 ? [] : [describe(names)];
};

/** Whether the host name is the domain of the summary, or below it. */
const isWithin = (host: string, summary: string): boolean => `.${host}`.endsWith(summary.slice(1));

const describe = (names: readonly string[]): string =>
  `the provider counts each request under its full host name; if there are many, it may summarise them as *.host.tld, and slices by host name (${names.join(', ')}) lose this traffic. A slice of such a summary, as hostname: "*.host.tld", shows it`;

// Compares the account's sources day by day: the stored values with the provider's own sums, and with each other.

import { DAY } from '../../lib/time.ts';
import type { GraphFilter } from '../../provider/resources/analytics.ts';
import type { ReconciledDay, SourcePair } from '../../store/reconciliation-store.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { RunContext } from '../context.ts';
import type { Day } from './days.ts';
import { differs, type Explanation, explain, incompleteDay, isIncomplete } from './explain.ts';
import { readDailySums, readHourlySums } from './provider-sums.ts';
import { type GraphDay, graphDay, graphHours, ledgerDay, type SourceDay, usersDay } from './source-days.ts';

export type ComparisonContext = Pick<RunContext<unknown>, 'account' | 'client' | 'store' | 'signal'>;

const RESIDENTIAL: GraphFilter = { productType: 'residential' };

type Account = ComparisonContext['account'];

/**
 * Both sources of a pair on a day, and the causes why one of them is incomplete. If it has such causes, it is unknown
 * whether the sources agree.
 */
export interface Comparison extends ReconciledDay {
  readonly missing: readonly string[];
}

/** Returns the pairs whose sources are both polled. All comparisons need traffic. */
export const comparedPairs = (account: Account): SourcePair[] => {
  if (!account.traffic) return [];
  const slice = residentialSlice(account);
  return [
    'buckets_coarse',
    ...(slice ? (['residential_buckets_coarse'] as const) : []),
    ...(slice && account.residential_ledger ? (['residential_buckets_ledger'] as const) : []),
    ...(account.residential_ledger && account.proxy_users ? (['users_ledger'] as const) : []),
  ];
};

/** Returns the slice of all residential traffic; undefined if none is configured. */
const residentialSlice = ({ traffic }: Account) =>
  (traffic || { graphs: [] }).graphs.find(
    ({ product_type, proxy_user_id, service_id, hostname }) =>
      product_type === RESIDENTIAL.productType && !proxy_user_id && !service_id && !hostname,
  );

/** Returns the graph of the whole account, and the graph of all residential traffic. */
const comparedGraphs = async ({ account, store }: ComparisonContext) => {
  if (!account.traffic) return {};
  const graphsByName = new Map(
    (await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]),
  );
  const slice = residentialSlice(account);
  return { accountGraph: graphsByName.get(''), residential: slice && graphsByName.get(slice.name) };
};

/**
 * Compares each pair whose sources are polled on each of the days (in order, without gaps). It leaves out days that are
 * incomplete in a source. With `includesIncomplete` it returns each pair for each day, with the causes in `missing`.
 * Throws ProviderError and StoreError.
 */
export const compareDays = async (
  context: ComparisonContext,
  days: readonly Day[],
  includesIncomplete = false,
): Promise<Comparison[]> => {
  const { accountGraph, residential } = await comparedGraphs(context);
  const isIncluded = (side: SourceDay): boolean =>
    includesIncomplete || !side.explanations.some(isIncomplete);
  const comparisons: Comparison[] = [];
  if (accountGraph) {
    const stored = (await readGraphDays(context, accountGraph, days)).filter(([, side]) => isIncluded(side));
    comparisons.push(...(await compareWithProviderSums(context, 'buckets_coarse', accountGraph, {}, stored)));
  }
  const graph = residential ? await readGraphDays(context, residential, days) : [];
  if (residential) {
    const stored = graph.filter(([, side]) => isIncluded(side));
    comparisons.push(
      ...(await compareWithProviderSums(
        context,
        'residential_buckets_coarse',
        residential,
        RESIDENTIAL,
        stored,
      )),
    );
  }
  for (const [day, pair, first, second] of await compareWithLedger(context, days, residential, graph)) {
    if (isIncluded(first) && isIncluded(second)) comparisons.push(comparisonOf(day, pair, first, second));
  }
  return includesIncomplete ? withMissingPairs(context.account, days, comparisons) : comparisons;
};

const NO_DATA: SourceDay = { bytes: 0, explanations: [incompleteDay('no_data')] };

/** Adds the pairs for which a source has no data at all. */
const withMissingPairs = (
  account: Account,
  days: readonly Day[],
  comparisons: readonly Comparison[],
): Comparison[] => {
  const isFound = (day: Day, pair: SourcePair): boolean =>
    comparisons.some((each) => each.dayStart === day.start && each.pair === pair);
  const missingPairs = days.flatMap((day) =>
    comparedPairs(account)
      .filter((pair) => !isFound(day, pair))
      .map((pair) => comparisonOf(day, pair, NO_DATA, NO_DATA)),
  );
  return [...comparisons, ...missingPairs];
};

type GraphDays = (readonly [Day, GraphDay])[];

const readGraphDays = async (
  { store }: ComparisonContext,
  graph: Graph,
  days: readonly Day[],
): Promise<GraphDays> => {
  const comparisons: GraphDays = [];
  for (const day of days) comparisons.push([day, await graphDay(store, graph, day)]);
  return comparisons;
};

/**
 * Compares a graph's days with the provider's sums, and skips days without a sum. A day with too large a difference gets
 * the hours that differ.
 */
const compareWithProviderSums = async (
  context: ComparisonContext,
  pair: SourcePair,
  graph: Graph,
  filter: GraphFilter,
  stored: GraphDays,
): Promise<Comparison[]> => {
  const sums = await readDailySums(
    context,
    filter,
    stored.map(([day]) => day),
  );
  const comparisons: Comparison[] = [];
  for (const [day, side] of stored) {
    const bytes = sums.get(day.start);
    if (bytes === undefined) continue;
    const comparison = comparisonOf(day, pair, side, { bytes, explanations: [] });
    const hours = differs(comparison) ? await differingHours(context, graph, filter, day) : [];
    comparisons.push({ ...comparison, hours });
  }
  return comparisons;
};

const differingHours = async (
  context: ComparisonContext,
  graph: Graph,
  filter: GraphFilter,
  day: Day,
): Promise<ReconciledDay['hours']> => {
  const { store, account } = context;
  const stored = await graphHours(store, graph, account.time_zone, day);
  if (!stored) return [];
  const provided = await readHourlySums(context, filter, day);
  const hours = [...new Set([...stored.keys(), ...provided.keys()])].toSorted((a, b) => a - b);
  return hours
    .map((at) => ({ at, firstBytes: stored.get(at) ?? 0, secondBytes: provided.get(at) ?? 0 }))
    .filter(({ firstBytes, secondBytes }) => firstBytes !== secondBytes);
};

/** Pairs traffic and the growth of users' bytes with the ledger, if the ledger is polled. */
const compareWithLedger = async (
  { account, store }: ComparisonContext,
  days: readonly Day[],
  residential: Graph | undefined,
  graph: GraphDays,
): Promise<(readonly [Day, SourcePair, SourceDay, SourceDay])[]> => {
  const [from, to] = [days[0], days.at(-1)];
  if (!account.residential_ledger || !from || !to) return [];
  const { usage_reasons } = account.residential_ledger;
  const rows = await store.ledger.days(account.name, from.date, `${to.date}~`);
  const { completeAt } = (await store.ledger.summary(account.name)).listing;
  const periods = (await store.users.usage(account.name, from.start, to.end + DAY)).filter(
    ({ productType }) => productType === 'residential',
  );
  const comparisons: (readonly [Day, SourcePair, SourceDay, SourceDay])[] = [];
  for (const day of days) {
    const ledger = ledgerDay(rows, usage_reasons, completeAt, day);
    const traffic = graph.find(([{ start }]) => start === day.start)?.[1];
    const ledgerWithSmartpath = withSmartpath(ledger, traffic);
    if (traffic) comparisons.push([day, 'residential_buckets_ledger', traffic, ledgerWithSmartpath]);
    if (!account.proxy_users) continue;
    // The sum begins with the bucket that contains the instant.
    const trafficFrom = async (from: number): Promise<number> =>
      residential
        ? (await graphDay(store, residential, { ...day, start: from - residential.bucketMs })).bytes
        : 0;
    comparisons.push([day, 'users_ledger', await usersDay(periods, trafficFrom, day), ledgerWithSmartpath]);
  }
  return comparisons;
};

/** Explains a difference by bytes that smartpath routed. The ledger does not have them, unless they were charged. */
const withSmartpath = (ledger: SourceDay, traffic: GraphDay | undefined): SourceDay => {
  const smartpath: Explanation = {
    cause: 'smartpath',
    low: 0,
    high: traffic?.smartpathBytes ?? 0,
    isAllOrNothing: true,
  };
  return { ...ledger, explanations: [...ledger.explanations, smartpath] };
};

const comparisonOf = (
  { date, start }: Day,
  pair: SourcePair,
  { bytes: firstBytes, explanations }: SourceDay,
  { bytes: secondBytes, explanations: others }: SourceDay,
): Comparison => ({
  ...{ pair, date, dayStart: start, firstBytes, secondBytes, hours: [] },
  missing: [...new Set([...others, ...explanations].filter(isIncomplete).map(({ cause }) => cause))],
  // The second source's explanations come first, because they are exact, such as bytes that are not charged.
  ...explain(firstBytes - secondBytes, [...others, ...explanations]),
});

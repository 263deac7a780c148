// Compares the account's sources day by day: the stored values with the provider's own sums, and with each other.

import type { GraphFilter } from '../../provider/resources/analytics.ts';
import type { ReconciledDay, SourcePair } from '../../store/reconciliation-store.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { RunContext } from '../context.ts';
import { readGraphs } from '../traffic/newest-traffic.ts';
import { type ComparedDay, chargedPairs, compareCharged } from './charged.ts';
import type { Day } from './days.ts';
import { differs, explain, incompleteDay, isIncomplete } from './explain.ts';
import { type OnProviderError, ProviderSums } from './provider-sums.ts';
import {
  type GraphDay,
  graphDay,
  graphHours,
  ledgerDay,
  type SourceDay,
  sliceOf,
  withSmartpath,
} from './source-days.ts';
import { compareSummaries, summaryPairs } from './summaries.ts';
import { readUserDays } from './user-days.ts';

export type ComparisonContext = Pick<RunContext<unknown>, 'account' | 'client' | 'store' | 'signal'>;

const RESIDENTIAL: GraphFilter = { productType: 'residential' };

type Account = ComparisonContext['account'];

/** Both sources of a pair on a day, and why one is incomplete. With such a cause, it is unknown whether the sources agree. */
export interface Comparison extends ReconciledDay {
  readonly missing: readonly string[];
  /** When the stored history begins (ms), if it begins after the start of the day. */
  readonly historyBeginsAt: number | null;
}

/** Returns the pairs whose sources are both polled. All comparisons need traffic. */
export const comparedPairs = (account: Account): SourcePair[] => {
  if (!account.traffic) return [];
  const slice = sliceOf(account, 'residential');
  return [
    'buckets_coarse',
    ...(slice ? (['residential_buckets_coarse'] as const) : []),
    ...(slice && account.residential_ledger ? (['residential_buckets_ledger'] as const) : []),
    ...(account.residential_ledger && account.proxy_users ? (['users_ledger'] as const) : []),
    ...chargedPairs(account),
    ...summaryPairs(account),
  ];
};

const comparedGraphs = async ({ account, store }: ComparisonContext) => {
  if (!account.traffic) return {};
  const graphsByName = await readGraphs({ account, store });
  const slice = sliceOf(account, 'residential');
  return { accountGraph: graphsByName.get(''), residential: slice && graphsByName.get(slice.name) };
};

/**
 * Compares each pair whose sources are polled on each of the days (in order, without gaps). It leaves out days that are
 * incomplete in a source. With `onProviderError` it returns each pair for each day, with the causes in `missing`, and
 * passes the first ProviderError on. Otherwise it throws ProviderError. Throws StoreError.
 */
export const compareDays = async (
  context: ComparisonContext,
  days: readonly Day[],
  onProviderError?: OnProviderError,
): Promise<Comparison[]> => {
  const includesIncomplete = onProviderError !== undefined;
  const sums = new ProviderSums(context, onProviderError);
  const { accountGraph, residential } = await comparedGraphs(context);
  const isIncluded = (side: SourceDay): boolean =>
    includesIncomplete || !side.explanations.some(isIncomplete);
  const comparisons: Comparison[] = [];
  const compareGraph = async (compared: ComparedGraph | undefined): Promise<GraphDays> => {
    const all = compared ? await readGraphDays(context, compared.graph, days) : [];
    const stored = all.filter(([, side]) => isIncluded(side));
    if (compared) comparisons.push(...(await compareWithProviderSums(context, sums, compared, stored)));
    return all;
  };
  await compareGraph(accountGraph && { pair: 'buckets_coarse', graph: accountGraph, filter: {} });
  const graph = await compareGraph(
    residential && { pair: 'residential_buckets_coarse', graph: residential, filter: RESIDENTIAL },
  );
  for (const [day, pair, first, second] of [
    ...(await compareWithLedger(context, days, residential, graph)),
    ...(await compareCharged(context, days)),
    ...(await compareSummaries(context, days)),
  ]) {
    if (isIncluded(first) && isIncluded(second)) comparisons.push(comparisonOf(day, pair, first, second));
  }
  return includesIncomplete ? withMissingPairs(context.account, days, comparisons) : comparisons;
};

const NO_DATA: SourceDay = { bytes: 0, explanations: [incompleteDay('no_data')] };
const NO_SUM: SourceDay = { bytes: 0, explanations: [incompleteDay('no_provider_sum')] };

/** Adds the pairs for which a source has no data at all, except those with summaries, which no earlier day can have. */
const withMissingPairs = (
  account: Account,
  days: readonly Day[],
  comparisons: readonly Comparison[],
): Comparison[] => {
  const isFound = (day: Day, pair: SourcePair): boolean =>
    comparisons.some((each) => each.dayStart === day.start && each.pair === pair);
  const summaries = new Set(summaryPairs(account));
  const missingPairs = days.flatMap((day) =>
    comparedPairs(account)
      .filter((pair) => !summaries.has(pair) && !isFound(day, pair))
      .map((pair) => comparisonOf(day, pair, NO_DATA, NO_DATA)),
  );
  return [...comparisons, ...missingPairs];
};

type GraphDays = (readonly [Day, GraphDay])[];

/** A graph, the pair of its values with the provider's own sums, and the filter of these sums. */
interface ComparedGraph {
  readonly pair: SourcePair;
  readonly graph: Graph;
  readonly filter: GraphFilter;
}

const readGraphDays = async (
  { store }: ComparisonContext,
  graph: Graph,
  days: readonly Day[],
): Promise<GraphDays> => {
  const comparisons: GraphDays = [];
  for (const day of days) comparisons.push([day, await graphDay(store, graph, day)]);
  return comparisons;
};

/** Compares a graph's days with the provider's sums. A day with too large a difference gets the hours that differ. */
const compareWithProviderSums = async (
  context: ComparisonContext,
  sums: ProviderSums,
  { pair, graph, filter }: ComparedGraph,
  stored: GraphDays,
): Promise<Comparison[]> => {
  const days = stored.map(([day]) => day);
  const bytesByDay = await sums.ofDays(filter, days);
  const comparisons: Comparison[] = [];
  for (const [day, side] of stored) {
    const bytes = bytesByDay.get(day.start);
    if (bytes === undefined && !sums.includesMissing) continue;
    const provided = bytes === undefined ? NO_SUM : { bytes, explanations: [] };
    const comparison = comparisonOf(day, pair, side, provided);
    const hours = differs(comparison) ? await differingHours(context, sums, graph, filter, day) : [];
    comparisons.push({ ...comparison, hours });
  }
  return comparisons;
};

const differingHours = async (
  { store, account }: ComparisonContext,
  sums: ProviderSums,
  graph: Graph,
  filter: GraphFilter,
  day: Day,
): Promise<ReconciledDay['hours']> => {
  const stored = await graphHours(store, graph, account.time_zone, day);
  const provided = stored && (await sums.ofHours(filter, day));
  if (!provided) return [];
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
): Promise<ComparedDay[]> => {
  const [from, to] = [days[0], days.at(-1)];
  if (!account.residential_ledger || !from || !to) return [];
  const { usage_reasons } = account.residential_ledger;
  const rows = await store.ledgers.residential.days(account.name, from.date, `${to.date}~`);
  const { completeAt } = (await store.ledgers.residential.summary(account.name)).listing;
  const usersOn = await readUserDays({ account, store }, days, 'residential', residential);
  const comparisons: ComparedDay[] = [];
  for (const day of days) {
    const ledger = ledgerDay(rows, usage_reasons, completeAt, day);
    const traffic = graph.find(([{ start }]) => start === day.start)?.[1];
    const ledgerWithSmartpath = withSmartpath(ledger, traffic);
    if (traffic) comparisons.push([day, 'residential_buckets_ledger', traffic, ledgerWithSmartpath]);
    if (account.proxy_users) comparisons.push([day, 'users_ledger', await usersOn(day), ledgerWithSmartpath]);
  }
  return comparisons;
};

const comparisonOf = (
  { date, start }: Day,
  pair: SourcePair,
  { bytes: firstBytes, explanations }: SourceDay,
  { bytes: secondBytes, explanations: others }: SourceDay,
): Comparison => ({
  ...{ pair, date, dayStart: start, firstBytes, secondBytes, hours: [] },
  historyBeginsAt: [...others, ...explanations].find((each) => each.historyBeginsAt)?.historyBeginsAt ?? null,
  missing: [...new Set([...others, ...explanations].filter(isIncomplete).map(({ cause }) => cause))],
  // The second source's explanations come first, because they are exact, such as bytes that are not charged.
  ...explain(firstBytes - secondBytes, [...others, ...explanations]),
});

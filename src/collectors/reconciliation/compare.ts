// Compares the account's sources day by day: what is stored with the provider's own sums, and with each other.

import { DAY } from '../../lib/time.ts';
import type { GraphFilter } from '../../provider/resources/analytics.ts';
import type { Pair, Reconciled } from '../../store/reconciliation-store.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { RunContext } from '../context.ts';
import { readDays, readHours } from './coarse.ts';
import type { Day } from './days.ts';
import { differs, explain, incomplete, isIncomplete } from './explain.ts';
import { type GraphDay, graphDay, graphHours, ledgerDay, type Side, usersDay } from './stored.ts';

export type Comparing = Pick<RunContext<unknown>, 'account' | 'client' | 'store' | 'signal'>;

const RESIDENTIAL: GraphFilter = { productType: 'residential' };

type Account = Comparing['account'];

/** Both sides of a pair on a day, and what they lack of it: then neither that they agree nor that they differ is known. */
export interface Compared extends Reconciled {
  readonly missing: readonly string[];
}

/** Pairs of which both sources are polled; all comparing goes by traffic. */
export const comparedPairs = (account: Account): Pair[] => {
  if (!account.traffic) return [];
  const slice = residentialSlice(account);
  return [
    'buckets_coarse',
    ...(slice ? (['residential_buckets_coarse'] as const) : []),
    ...(slice && account.residential_ledger ? (['residential_buckets_ledger'] as const) : []),
    ...(account.residential_ledger && account.proxy_users ? (['users_ledger'] as const) : []),
  ];
};

/** All residential traffic, where such a slice is configured. */
const residentialSlice = ({ traffic }: Account) =>
  (traffic || { graphs: [] }).graphs.find(
    ({ product_type, proxy_user_id, service_id, hostname }) =>
      product_type === RESIDENTIAL.productType && !proxy_user_id && !service_id && !hostname,
  );

/** The graph of the whole account, and the one of all residential traffic. */
const comparedGraphs = async ({ account, store }: Comparing) => {
  if (!account.traffic) return {};
  const known = new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));
  const slice = residentialSlice(account);
  return { whole: known.get(''), residential: slice && known.get(slice.name) };
};

/**
 * What each pair comes to on each of the days (in order, without a gap), as far as its sources are polled. Days that a
 * source does not have whole are left out unless `includesIncomplete`: then each pair is there on each day, with what
 * is missing of it. Throws ProviderError and StoreError.
 */
export const compareDays = async (
  comparing: Comparing,
  days: readonly Day[],
  includesIncomplete = false,
): Promise<Compared[]> => {
  const { whole, residential } = await comparedGraphs(comparing);
  const isWanted = (side: Side): boolean => includesIncomplete || !side.explanations.some(isIncomplete);
  const found: Compared[] = [];
  if (whole) {
    const ours = (await graphDays(comparing, whole, days)).filter(([, side]) => isWanted(side));
    found.push(...(await withCoarse(comparing, 'buckets_coarse', whole, {}, ours)));
  }
  const graph = residential ? await graphDays(comparing, residential, days) : [];
  if (residential) {
    const ours = graph.filter(([, side]) => isWanted(side));
    found.push(
      ...(await withCoarse(comparing, 'residential_buckets_coarse', residential, RESIDENTIAL, ours)),
    );
  }
  for (const [day, pair, first, second] of await withLedger(comparing, days, residential, graph)) {
    if (isWanted(first) && isWanted(second)) found.push(reconciled(day, pair, first, second));
  }
  return includesIncomplete ? withUnread(comparing.account, days, found) : found;
};

const NOTHING: Side = { bytes: 0, explanations: [incomplete('no_data')] };

/** Adds the pairs of which a source has nothing at all. */
const withUnread = (account: Account, days: readonly Day[], found: readonly Compared[]): Compared[] => {
  const isFound = (day: Day, pair: Pair): boolean =>
    found.some((each) => each.dayStart === day.start && each.pair === pair);
  const unread = days.flatMap((day) =>
    comparedPairs(account)
      .filter((pair) => !isFound(day, pair))
      .map((pair) => reconciled(day, pair, NOTHING, NOTHING)),
  );
  return [...found, ...unread];
};

type GraphDays = (readonly [Day, GraphDay])[];

const graphDays = async ({ store }: Comparing, graph: Graph, days: readonly Day[]): Promise<GraphDays> => {
  const found: GraphDays = [];
  for (const day of days) found.push([day, await graphDay(store, graph, day)]);
  return found;
};

/** Of a graph's days, those that the provider has a sum of; with the hours that differ where too much does. */
const withCoarse = async (
  comparing: Comparing,
  pair: Pair,
  graph: Graph,
  filter: GraphFilter,
  ours: GraphDays,
): Promise<Compared[]> => {
  const sums = await readDays(
    comparing,
    filter,
    ours.map(([day]) => day),
  );
  const found: Compared[] = [];
  for (const [day, side] of ours) {
    const bytes = sums.get(day.start);
    if (bytes === undefined) continue;
    const compared = reconciled(day, pair, side, { bytes, explanations: [] });
    const hours = differs(compared) ? await differingHours(comparing, graph, filter, day) : [];
    found.push({ ...compared, hours });
  }
  return found;
};

const differingHours = async (
  comparing: Comparing,
  graph: Graph,
  filter: GraphFilter,
  day: Day,
): Promise<Reconciled['hours']> => {
  const { store, account } = comparing;
  const ours = await graphHours(store, graph, account.time_zone, day);
  if (!ours) return [];
  const theirs = await readHours(comparing, filter, day);
  const hours = [...new Set([...ours.keys(), ...theirs.keys()])].toSorted((a, b) => a - b);
  return hours
    .map((at) => ({ at, firstBytes: ours.get(at) ?? 0, secondBytes: theirs.get(at) ?? 0 }))
    .filter(({ firstBytes, secondBytes }) => firstBytes !== secondBytes);
};

/** Traffic and users' growth beside the ledger, where it is polled. */
const withLedger = async (
  { account, store }: Comparing,
  days: readonly Day[],
  residential: Graph | undefined,
  graph: GraphDays,
): Promise<(readonly [Day, Pair, Side, Side])[]> => {
  const [from, to] = [days[0], days.at(-1)];
  if (!account.residential_ledger || !from || !to) return [];
  const { usage_reasons } = account.residential_ledger;
  const rows = await store.ledger.days(account.name, from.date, `${to.date}~`);
  const { completeAt } = (await store.ledger.summary(account.name)).listing;
  const periods = (await store.users.usage(account.name, from.start, to.end + DAY)).filter(
    ({ productType }) => productType === 'residential',
  );
  const found: (readonly [Day, Pair, Side, Side])[] = [];
  for (const day of days) {
    const ledger = ledgerDay(rows, usage_reasons, completeAt, day);
    const traffic = graph.find(([{ start }]) => start === day.start)?.[1];
    const charged = withSmartpath(ledger, traffic);
    if (traffic) found.push([day, 'residential_buckets_ledger', traffic, charged]);
    if (!account.proxy_users) continue;
    // From the bucket on that holds the instant.
    const usedBefore = async (from: number): Promise<number> =>
      residential
        ? (await graphDay(store, residential, { ...day, start: from - residential.bucketMs })).bytes
        : 0;
    found.push([day, 'users_ledger', await usersDay(periods, usedBefore, day), charged]);
  }
  return found;
};

/** The ledger is without what smartpath routed, unless that was charged after all. */
const withSmartpath = (ledger: Side, traffic: GraphDay | undefined): Side => {
  const smartpath = { cause: 'smartpath', low: 0, high: traffic?.smartpathBytes ?? 0, isWhole: true };
  return { ...ledger, explanations: [...ledger.explanations, smartpath] };
};

const reconciled = (
  { date, start }: Day,
  pair: Pair,
  { bytes: firstBytes, explanations }: Side,
  { bytes: secondBytes, explanations: others }: Side,
): Compared => ({
  ...{ pair, date, dayStart: start, firstBytes, secondBytes, hours: [] },
  missing: [...new Set([...others, ...explanations].filter(isIncomplete).map(({ cause }) => cause))],
  // The second side's first: it knows what is exact, such as bytes that are not charged.
  ...explain(firstBytes - secondBytes, [...others, ...explanations]),
});

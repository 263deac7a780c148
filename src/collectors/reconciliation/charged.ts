// Compares the provider's log summaries with the traffic, the growth of the users and, of the types that are sold by the byte, the
// charged bytes with the traffic and the ledgers. What it gives as charged for other types is not documented.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { dayOf, USE_COUNTERS } from '../../store/log-summary-store.ts';
import type { SourcePair } from '../../store/reconciliation-store.ts';
import type { RunContext } from '../context.ts';
import { readGraphs } from '../traffic/newest-traffic.ts';
import type { Day } from './days.ts';
import { type Explanation, incompleteDay } from './explain.ts';
import { graphDay, ledgerDay, type SourceDay, sliceOf, withSmartpath } from './source-days.ts';
import { readUserDays } from './user-days.ts';

type ChargedContext = Pick<RunContext<unknown>, 'account' | 'store'>;
type Account = ChargedContext['account'];
export type ComparedDay = readonly [Day, SourcePair, first: SourceDay, second: SourceDay];

export const chargedPairs = (account: Account): SourcePair[] =>
  account.usage
    ? [
        ...METERED_TYPES.filter((type) => account[`${type}_ledger`]).map(
          (type) => `${type}_charged_ledger` as const,
        ),
        ...METERED_TYPES.filter((type) => sliceOf(account, type)).map(
          (type) => `${type}_buckets_charged` as const,
        ),
        'buckets_usage',
        ...(account.proxy_users ? METERED_TYPES.map((type) => `${type}_users_usage` as const) : []),
      ]
    : [];

export const compareCharged = async (
  context: ChargedContext,
  days: readonly Day[],
): Promise<ComparedDay[]> => {
  const { account, store } = context;
  if (!account.usage) return [];
  const compared: ComparedDay[] = [];
  const graphs = await readGraphs(context);
  const all = graphs.get('');
  const used = new Map<Day, UsedOn>();
  for (const day of days) {
    const usedOn = await readUse(context, day);
    used.set(day, usedOn);
    if (all) compared.push([day, 'buckets_usage', await graphDay(store, all, day), usedOn()]);
    for (const type of METERED_TYPES)
      compared.push(...(await compareType(context, day, type, usedOn(type, CHARGED))));
  }
  if (!account.proxy_users) return compared;
  for (const type of METERED_TYPES) {
    const slice = sliceOf(account, type);
    const graph = slice && graphs.get(slice.name);
    // Without traffic of the type, that of the account limits what a reset can hide.
    const usersOn = await readUserDays(context, days, type, graph ?? all);
    for (const [day, usedOn] of used) {
      const traffic = graph && (await graphDay(store, graph, day));
      const use = usedOn(type);
      const explanations = [...use.explanations, unmeteredSmartpath(traffic?.smartpathBytes ?? 0)];
      compared.push([day, `${type}_users_usage`, await usersOn(day), { ...use, explanations }]);
    }
  }
  return compared;
};

/** Whether the use of users has what smartpath routed is not documented. */
const unmeteredSmartpath = (bytes: number): Explanation => ({
  ...{ cause: 'smartpath', low: -bytes, high: 0, isAllOrNothing: true },
});

const compareType = async (
  { account, store }: ChargedContext,
  day: Day,
  type: MeteredType,
  charged: SourceDay,
): Promise<ComparedDay[]> => {
  const compared: ComparedDay[] = [];
  const slice = sliceOf(account, type);
  const graph = slice && (await readGraphs({ account, store })).get(slice.name);
  if (graph) {
    const traffic = await graphDay(store, graph, day);
    compared.push([day, `${type}_buckets_charged`, traffic, withSmartpath(charged, traffic)]);
  }
  const ledger = account[`${type}_ledger`];
  if (!ledger) return compared;
  const { days, summary } = store.ledgers[type];
  const rows = await days(account.name, day.date, `${day.date}~`);
  const { completeAt } = (await summary(account.name)).listing;
  const use = ledgerDay(rows, ledger.usage_reasons, completeAt, day);
  return [...compared, [day, `${type}_charged_ledger`, charged, use]];
};

const [ALL, CHARGED] = [USE_COUNTERS.indexOf('bytes'), USE_COUNTERS.indexOf('chargedBytes')];

/** Returns the bytes of a product type, or of all. A day that was not read whole after its end is incomplete. */
type UsedOn = (type?: MeteredType, place?: number) => SourceDay;

const readUse = async ({ account, store }: ChargedContext, { date, end }: Day): Promise<UsedOn> => {
  const day = dayOf(date);
  const read = (await store.logSummaries.days(account.name)).find((each) => each.day === day);
  const isWhole = read !== undefined && !read.isDeleted && read.readAt >= end;
  const { sums, total } = await store.logSummaries.sums(account.name, {
    ...{ from: day, to: day, by: 'network', limit: Number.MAX_SAFE_INTEGER },
  });
  const isTotalKnown = sums.every(({ values }) => values[ALL] !== null);
  return (type, place = ALL) => {
    const use = type === undefined ? total : sums.find(({ key }) => key === type);
    const bytes = use?.values[place];
    // The provider lists no row of a type without traffic, and gives no number that it does not know.
    const isKnown = isWhole && bytes !== null && (type !== undefined || isTotalKnown);
    return { bytes: bytes ?? 0, explanations: isKnown ? [] : [incompleteDay('not_read')] };
  };
};

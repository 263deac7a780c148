// Compares what the provider charges by its log summaries, of the types that are sold by the byte, with the traffic and the ledgers.
// What it gives as charged for other types is not documented.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { dayOf } from '../../store/log-summary-store.ts';
import type { SourcePair } from '../../store/reconciliation-store.ts';
import type { RunContext } from '../context.ts';
import { readGraphs } from '../traffic/newest-traffic.ts';
import type { Day } from './days.ts';
import { incompleteDay } from './explain.ts';
import { graphDay, ledgerDay, type SourceDay, sliceOf, withSmartpath } from './source-days.ts';

type ChargedContext = Pick<RunContext<unknown>, 'account' | 'store'>;
type Account = ChargedContext['account'];
export type ComparedDay = readonly [Day, SourcePair, first: SourceDay, second: SourceDay];

const isMeteredPolled = (account: Account, type: MeteredType): boolean => Boolean(account[`${type}_ledger`]);

export const chargedPairs = (account: Account): SourcePair[] =>
  account.usage
    ? [
        ...METERED_TYPES.filter((type) => isMeteredPolled(account, type)).map(
          (type) => `${type}_charged_ledger` as const,
        ),
        ...METERED_TYPES.filter((type) => sliceOf(account, type)).map(
          (type) => `${type}_buckets_charged` as const,
        ),
      ]
    : [];

export const compareCharged = async (
  context: ChargedContext,
  days: readonly Day[],
): Promise<ComparedDay[]> => {
  const pairs = new Set(chargedPairs(context.account));
  if (pairs.size === 0) return [];
  const compared: ComparedDay[] = [];
  const types = METERED_TYPES.filter((type) => [...pairs].some((pair) => pair.startsWith(`${type}_`)));
  for (const day of days) {
    const charged = await chargedOn(context, day);
    for (const type of types) compared.push(...(await compareType(context, day, type, charged(type))));
  }
  return compared;
};

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

/** Returns the charged bytes of a day by product type. A day that was not read whole after its end is incomplete. */
const chargedOn = async (
  { account, store }: ChargedContext,
  { date, end }: Day,
): Promise<(type: MeteredType) => SourceDay> => {
  const day = dayOf(date);
  const read = (await store.logSummaries.days(account.name)).find((each) => each.day === day);
  const isWhole = read !== undefined && !read.isDeleted && read.readAt >= end;
  const { sums } = await store.logSummaries.sums(account.name, {
    ...{ from: day, to: day, by: 'network', limit: Number.MAX_SAFE_INTEGER },
  });
  return (type) => {
    const bytes = sums.find(({ key }) => key === type)?.values[2];
    // The provider lists no row of a type without traffic, and gives no number that it does not know.
    const isKnown = isWhole && bytes !== null;
    return { bytes: bytes ?? 0, explanations: isKnown ? [] : [incompleteDay('not_read')] };
  };
};

// Compares the bytes that are left by the provider's summaries with the balances of the ledgers, as they are after the day. Of
// which time a summary adds up the used bytes is not documented, so these are not compared.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { bucketStart, DAY, HOUR } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';
import { LATE_ROWS_MS } from '../../store/ledger-store.ts';
import type { SourcePair } from '../../store/reconciliation-store.ts';
import type { StoredSummary } from '../../store/service-store.ts';
import type { RunContext } from '../context.ts';
import { readGraphs } from '../traffic/newest-traffic.ts';
import type { ComparedDay } from './charged.ts';
import type { Day } from './days.ts';
import { type Explanation, incompleteDay, TOLERATED_SHARE } from './explain.ts';
import { graphDay, type SourceDay, sliceOf } from './source-days.ts';

/** So little of an almost empty balance is no difference. */
const ROUNDING_BYTES = 1_000_000;

type SummaryContext = Pick<RunContext<unknown>, 'account' | 'store'>;

export const summaryPairs = (account: SummaryContext['account']): SourcePair[] =>
  account.customer
    ? METERED_TYPES.filter((type) => account[`${type}_ledger`]).map(
        (type) => `${type}_summary_ledger` as const,
      )
    : [];

/** Only the newest summary is stored, so only the day before it is compared. */
export const compareSummaries = async (
  context: SummaryContext,
  days: readonly Day[],
): Promise<ComparedDay[]> => {
  const pairs = new Set(summaryPairs(context.account));
  if (pairs.size === 0) return [];
  const compared: ComparedDay[] = [];
  for (const summary of await context.store.customers.summaries(context.account.name)) {
    const { productType, answeredAt, leftBytes } = summary;
    const pair = `${productType}_summary_ledger` as const;
    const day = days.findLast(({ end }) => end <= answeredAt && answeredAt < end + DAY);
    if (!day || !pairs.has(pair)) continue;
    const left = { bytes: leftBytes ?? 0, explanations: leftBytes === null ? NOT_GIVEN : [] };
    compared.push([day, pair, left, await balanceAfter(context, day, summary)]);
  }
  return compared;
};

const NOT_GIVEN = [incompleteDay('no_data')];

/** Returns the balance of the newest listing, which may be older or newer than the summary. */
const balanceAfter = async (
  { account, store }: SummaryContext,
  day: Day,
  { productType, answeredAt, leftBytes }: StoredSummary,
): Promise<SourceDay> => {
  const { balance, listing } = await store.ledgers[productType].summary(account.name);
  const { completeStartedAt, completeAt, undecodedRows } = listing;
  const bytes = balance ? balance.addedBytes - balance.usedBytes : 0;
  if (!balance || completeStartedAt === null || completeStartedAt < day.end || undecodedRows > 0)
    return { bytes, explanations: [incompleteDay(balance ? 'not_listed' : 'no_data')] };
  const from = Math.min(answeredAt, completeStartedAt);
  const until = Math.max(answeredAt, completeAt ?? completeStartedAt);
  const change = await changeBetween({ account, store }, productType, from, until);
  // What was added after an older listing is in the summary alone, so how much that is cannot be known.
  const excess = (leftBytes ?? 0) - bytes - change.high;
  const mayBeAdded = completeStartedAt < answeredAt && excess > TOLERATED_SHARE * (leftBytes ?? 0);
  return { bytes, explanations: [mayBeAdded ? incompleteDay('not_listed_after') : change] };
};

/** Explains what can have changed between readings: late use of the day or the last hours, and what was added since. */
const changeBetween = async (
  { account, store }: SummaryContext,
  type: MeteredType,
  from: number,
  until: number,
): Promise<Explanation> => {
  const zone = account.time_zone;
  const graph = (await readGraphs({ account, store })).get(sliceOf(account, type)?.name ?? '');
  if (!graph || (graph.watermark ?? 0) < until - HOUR) return incompleteDay('not_read');
  const start = Math.min(bucketStart(zone, from, DAY), from - LATE_ROWS_MS) - graph.bucketMs;
  const { bytes: traffic } = await graphDay(store, graph, { date: '', start, end: until });
  const date = formatLocal(from - LATE_ROWS_MS, zone).slice(0, 'YYYY-MM-DD'.length);
  const rows = await store.ledgers[type].days(account.name, date, '~');
  const added = rows.reduce((sum, { addedBytes }) => sum + addedBytes, 0);
  // Rows can also take away what is no traffic.
  const taken = rows.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  const used = Math.max(traffic, taken) + ROUNDING_BYTES;
  return { cause: 'reading_time', low: -used - added, high: used };
};

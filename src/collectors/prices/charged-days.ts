// Reads the charged bytes of each day from the log summaries. They can be millions of rows, so the sums are kept until the rows
// change.

import type { MeteredType } from '../../lib/product-types.ts';
import { type ChargedBytes, dateOf, dayOf } from '../../store/log-summary-store.ts';
import type { Store } from '../../store/store.ts';

/** Undefined if the provider does not give the charged bytes of the day's rows. */
type BytesOf = (date: string, type: MeteredType) => number | undefined;

interface Kept {
  readonly from: string;
  readonly revision: number;
  readonly bytesOf: BytesOf;
}

const keptSums = new WeakMap<Store, Map<string, Kept>>();

const MOST_DAYS = 1_000;
const LAST_DATE = '9999-12-31';

/** Returns the bytes of dates from `from` on. A day of whose type there is no row has 0. */
export const chargedDays = async (store: Store, account: string, from: string): Promise<BytesOf> => {
  const kept = keptSums.get(store) ?? new Map<string, Kept>();
  keptSums.set(store, kept);
  const revision = store.revision(['logSummaries']);
  const last = kept.get(account);
  if (last?.from === from && last.revision === revision) return last.bytesOf;
  const bytesOf = await readDays(store, account, from);
  kept.set(account, { from, revision, bytesOf });
  return bytesOf;
};

const readDays = async (store: Store, account: string, from: string): Promise<BytesOf> => {
  const range = { from: dayOf(from), to: dayOf(LAST_DATE) };
  const { sums } = await store.logSummaries.sums(account, { ...range, by: 'day', limit: MOST_DAYS });
  const byDate = new Map<string, ChargedBytes | undefined>(
    // Without any charged bytes, the provider does not give them.
    sums.map(({ key, values, charged }) => [dateOf(Number(key)), values[2] === null ? undefined : charged]),
  );
  return (date, type) => (byDate.has(date) ? byDate.get(date) && (byDate.get(date)?.[type] ?? 0) : 0);
};

// Reads the used bytes of a metered type: from its ledger, by which the provider deducts, or else those charged.

import type { MeteredType } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import { shownCounter } from '../../store/counter.ts';
import { type ChargedBytes, dateOf, dayOf } from '../../store/log-summary-store.ts';
import type { Store } from '../../store/store.ts';
import type { OtherSettings } from '../collector.ts';
import type { ReadContext } from '../context.ts';
import { hasAllRows, leftBytesOf } from '../ledger/recent-balance.ts';

export type UseContext = Pick<ReadContext<unknown>, 'account' | 'store'>;

export interface MeteredUse {
  readonly source: Source;
  /** Tells apart counters of bytes: counters with the same key go on. */
  readonly counterKey: string;
  /** When the newest data that is complete was read (ms). */
  readonly readAt: number;
  readonly countedBytes: number;
  /** What is left of the balance; undefined if no ledger is polled. */
  readonly leftBytes: number | undefined;
  /** The first date that is known (`YYYY-MM-DD`). */
  readonly since: string;
  /** Returns a function that gives the used bytes of a date that is not before `from`; undefined if they are not known. */
  daysFrom(from: string): Promise<(date: string) => number | undefined>;
}

type Source = 'ledger' | 'usage';

export const sourceOf = (account: OtherSettings, type: MeteredType): Source | undefined => {
  if (account[`${type}_ledger`]) return 'ledger';
  return account.usage ? 'usage' : undefined;
};

/** Returns undefined if no source is polled, or while none of its data is complete. */
export const readMeteredUse: ReadUse = (context, type) =>
  sourceOf(context.account, type) === 'ledger' ? readLedgerUse(context, type) : readCharged(context, type);

type ReadUse = (context: UseContext, type: MeteredType) => Promise<MeteredUse | undefined>;

const readLedgerUse: ReadUse = async ({ account, store }, type) => {
  const settings = account[`${type}_ledger`];
  const ledger = store.ledgers[type];
  const { listing, reasons, balance } = await ledger.summary(account.name);
  if (!settings || listing.completeAt === null || !hasAllRows(listing)) return undefined;
  const { usage_reasons: used } = settings;
  const since = (await ledger.firstDate(account.name)) ?? dateOf(listing.completeAt);
  return {
    source: 'ledger',
    counterKey: `ledger ${used.toSorted().join(' ')}`,
    readAt: listing.completeAt,
    countedBytes: reasons
      .filter(({ reason }) => used.includes(reason))
      .reduce((sum, { counters }) => sum + shownCounter(counters.usedBytes, listing.storedAt).value, 0),
    leftBytes: balance && leftBytesOf(balance),
    since,
    daysFrom: async (from) => {
      const byDate = await ledger.usedByDate(account.name, used, from);
      return (date) => byDate.get(date) ?? 0;
    },
  };
};

const readCharged: ReadUse = async ({ account, store }, type) => {
  const known = (await store.logSummaries.days(account.name)).filter(
    ({ readAt, isDeleted }) => readAt > 0 && !isDeleted,
  );
  const [first] = known;
  if (!account.usage || !first) return undefined;
  const { storedAt, groups } = await store.logSummaries.counters(account.name);
  const charged = groups.find(({ network, of }) => network === type && of === null)?.counters.chargedBytes;
  const dates = new Set(known.map(({ day }) => dateOf(day)));
  return {
    source: 'usage',
    counterKey: 'usage',
    readAt: Math.max(...known.map(({ readAt }) => readAt)),
    countedBytes: charged ? shownCounter(charged, storedAt).value : 0,
    leftBytes: undefined,
    since: dateOf(first.day),
    daysFrom: async (from) => {
      const byDate = await chargedDays(store, account.name, from);
      return (date) => (dates.has(date) ? byDate(date, type) : undefined);
    },
  };
};

/** The reasons of rows that the customer pays for by the byte. */
const PURCHASES = ['top_up', 'service_purchase'];

/** Returns the size of the newest purchase in the ledger; undefined if there is none. */
export const newestPurchase = async (
  { account, store }: UseContext,
  type: MeteredType,
): Promise<number | undefined> =>
  sourceOf(account, type) === 'ledger' ? store.ledgers[type].newestAdded(account.name, PURCHASES) : undefined;

export const dateBefore = (day: number, days: number): string => dateOf((day - days) * DAY);

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

/** Returns the bytes of dates from `from` on; 0 for days without rows. The sums are kept until a row changes. */
const chargedDays = async (store: Store, account: string, from: string): Promise<BytesOf> => {
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

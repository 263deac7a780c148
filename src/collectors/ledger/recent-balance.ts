// Computes the balance of a ledger, its forecast, and the bytes added and used in recent days.

import { forecastExhaustion } from '../../lib/forecast.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';
import type { Balance, BalanceWithRates, LedgerDay, LedgerSummary } from '../../store/ledger-store.ts';
import type { Listing } from '../../store/listing.ts';
import type { ReadContext } from '../context.ts';

const ADDED_DAYS = 30;
const USED_DAYS = 7;

export interface RecentBalance {
  readonly leftBytes: number;
  /** When the balance will be used up (ms); undefined if that is unknown, or if nothing is being used. */
  readonly exhaustedAt: number | undefined;
  /** Bytes added in the last 30 days and used in the last 7, in days of the provider, to the newest complete listing. */
  readonly addedBytes: number;
  readonly usedBytes: number;
}

/** Returns undefined before a complete listing with rows, and while one of its rows was never decoded. */
export const recentBalance = async (
  type: MeteredType,
  { account, options, store }: ReadContext<{ readonly usage_reasons: readonly string[] }>,
  { balance, listing }: Pick<LedgerSummary, 'balance' | 'listing'>,
): Promise<RecentBalance | undefined> => {
  const { completeAt } = listing;
  if (completeAt === null || !hasAllRows(listing) || !balance) return undefined;
  const dateBefore = (days: number): string =>
    formatLocal(completeAt - (days - 1) * DAY, account.time_zone).slice(0, 'YYYY-MM-DD'.length);
  const days = await store.ledgers[type].days(account.name, dateBefore(ADDED_DAYS), dateBefore(0));
  const sum = (bytes: 'addedBytes' | 'usedBytes', isIncluded: (day: LedgerDay) => boolean): number =>
    days.filter(isIncluded).reduce((all, day) => all + day[bytes], 0);
  const usedSince = dateBefore(USED_DAYS);
  return {
    leftBytes: leftBytesOf(balance),
    exhaustedAt: exhaustionTimeOf(balance, completeAt),
    addedBytes: sum('addedBytes', () => true),
    usedBytes: sum(
      'usedBytes',
      ({ reason, periodDate }) => options.usage_reasons.includes(reason) && periodDate >= usedSince,
    ),
  };
};

/** Whether the account still uses bytes although at most `threshold` bytes are left. */
export const isExhausted = ({ usedBytes, leftBytes }: RecentBalance, threshold: number): boolean =>
  usedBytes > 0 && leftBytes <= threshold;

/** Whether all rows are stored. A sum that lacks a row is left out, because it would be wrong. */
export const hasAllRows = ({ completeAt, undecodedRows }: Listing): boolean =>
  completeAt !== null && undecodedRows === 0;

/** Whether all rows are stored except those that came during the listing, so that rows can be counted. */
export const isCounted = ({ countedAt, undecodedRows }: Listing): boolean =>
  countedAt !== null && undecodedRows === 0;

export const leftBytesOf = ({ addedBytes, usedBytes }: Balance): number => addedBytes - usedBytes;

/** Forecasts at `at` (ms) when the balance will be used up (ms); undefined if there is no forecast. */
export const exhaustionTimeOf = (balance: BalanceWithRates, at: number): number | undefined =>
  balance.rates ? forecastExhaustion(balance.rates, leftBytesOf(balance), at) : undefined;

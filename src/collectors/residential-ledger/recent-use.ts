// The residential balance, and what the ledger's last days say about it.

import { DAY } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';
import type { LedgerDay, LedgerSummary } from '../../store/ledger-store.ts';
import type { ReadContext } from '../context.ts';
import { exhaustionOf, isWhole, leftOf } from './balance.ts';

const ADDED_DAYS = 30;
const USED_DAYS = 7;

export interface RecentBalance {
  readonly leftBytes: number;
  /** When it will be used up (ms); undefined where that is not known, or nothing is being used. */
  readonly exhaustedAt: number | undefined;
  /** In the last 30 days, and 7, of the provider's zone up to the newest complete listing, whose own day is the last. */
  readonly addedBytes: number;
  readonly usedBytes: number;
}

/** Undefined where there is no balance: before a complete listing with a row, and while a row of it is not understood. */
export const recentBalance = async (
  { account, options, store }: ReadContext<{ readonly usage_reasons: readonly string[] }>,
  { balance, listing }: Pick<LedgerSummary, 'balance' | 'listing'>,
): Promise<RecentBalance | undefined> => {
  const { completeAt } = listing;
  if (completeAt === null || !isWhole(listing) || !balance) return undefined;
  const dateBefore = (days: number): string =>
    formatLocal(completeAt - (days - 1) * DAY, account.time_zone).slice(0, 'YYYY-MM-DD'.length);
  const days = await store.ledger.days(account.name, dateBefore(ADDED_DAYS), dateBefore(0));
  const sum = (bytes: 'addedBytes' | 'usedBytes', isMeant: (day: LedgerDay) => boolean): number =>
    days.filter(isMeant).reduce((all, day) => all + day[bytes], 0);
  const usedSince = dateBefore(USED_DAYS);
  return {
    leftBytes: leftOf(balance),
    exhaustedAt: exhaustionOf(balance, completeAt),
    addedBytes: sum('addedBytes', () => true),
    usedBytes: sum(
      'usedBytes',
      ({ reason, periodDate }) => options.usage_reasons.includes(reason) && periodDate >= usedSince,
    ),
  };
};

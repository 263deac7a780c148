// Readings of balances of the residential ledger.

import { forecastExhaustion } from '../../lib/forecast.ts';
import type { Balance, UsedBalance } from '../../store/ledger-store.ts';
import type { Listing } from '../../store/listing.ts';

/** Whether every row is stored: a sum that lacks one is left out rather than wrong. */
export const isWhole = ({ completeAt, unread }: Listing): boolean => completeAt !== null && unread === 0;

/** Whether every row is stored but what came while they were read: good for counting them. */
export const isCounted = ({ countedAt, unread }: Listing): boolean => countedAt !== null && unread === 0;

export const leftOf = ({ addedBytes, usedBytes }: Balance): number => addedBytes - usedBytes;

/** When the balance will be used up (ms), as seen at `at` (ms). */
export const exhaustionOf = (balance: UsedBalance, at: number): number | undefined =>
  balance.rates ? forecastExhaustion(balance.rates, leftOf(balance), at) : undefined;

// Computes values from the balances and the listing of the residential ledger.

import { forecastExhaustion } from '../../lib/forecast.ts';
import type { Balance, BalanceWithRates } from '../../store/ledger-store.ts';
import type { Listing } from '../../store/listing.ts';

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

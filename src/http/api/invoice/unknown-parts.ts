// Says what is not known of a month, and why.

import { LATE_ROWS_MS } from '../../../store/ledger-store.ts';
import type { Listing } from '../../../store/listing.ts';
import type { ReconciledDay, SourcePair } from '../../../store/reconciliation-store.ts';
import type { LedgerMonth } from './ledger-month.ts';
import { datesUntil, type Period } from './month.ts';
import { MOST_LISTED, type Unknown, unknown } from './unknown-part.ts';

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

/** `listing` is undefined if the ledger is not polled, and `found` if it was never read. */
export const unknownLedger = (
  listing: Listing | undefined,
  found: Pick<LedgerMonth, 'untimedRows' | 'lateRowCount' | 'serviceCount'> | undefined,
  zone: string,
  month: Period,
): Unknown => {
  if (!listing) return [unknown('ledger', 'residential_ledger is off')];
  const { completeStartedAt, undecodedRows } = listing;
  if (completeStartedAt === null || !found)
    return [unknown('ledger', 'proxywatch has not read the whole ledger yet')];
  const { untimedRows, lateRowCount, serviceCount } = found;
  const readUntil = datesUntil(month, zone, completeStartedAt - LATE_ROWS_MS).length;
  return [
    ...(readUntil < month.dates.length
      ? [
          unknown(
            'ledger',
            'proxywatch last read the ledger less than three hours after the end of these days, or before it',
            month.dates.slice(readUntil),
          ),
        ]
      : []),
    ...(undecodedRows > 0
      ? [
          unknown(
            'ledger',
            `proxywatch could not read ${rows(undecodedRows)} of the ledger, which can be of this ${month.unit}`,
          ),
        ]
      : []),
    ...(untimedRows > 0
      ? [unknown('ledger', `${rows(untimedRows)} without a time of change can be late`)]
      : []),
    ...cut(lateRowCount, 'late rows'),
    ...cut(serviceCount, 'sums by service'),
  ];
};

const cut = (count: number, what: string): Unknown =>
  count > MOST_LISTED
    ? [unknown('ledger', `only the first ${MOST_LISTED} of ${count} ${what} are listed`)]
    : [];

/** `dates` are those of the days that are over. */
export const unknownPairs = (
  polled: readonly SourcePair[],
  days: readonly ReconciledDay[],
  dates: readonly string[],
): Unknown => {
  if (polled.length === 0)
    return [unknown('reconciliation', 'reconciliation is off, or fewer than two sources are polled')];
  return polled.flatMap((pair) => {
    const compared = new Set(days.filter((day) => day.pair === pair).map(({ date }) => date));
    const missing = dates.filter((date) => !compared.has(date));
    return missing.length > 0
      ? [unknown('reconciliation', `${pair}: a source does not have all of these days`, missing)]
      : [];
  });
};

export const unknownMobile = unknown(
  'mobile',
  'proxywatch does not know for which mobile traffic the provider charges',
);

// Says what is not known of a month, and why.

import { datesUntil, type Period } from '../../../lib/calendar.ts';
import type { MeteredType } from '../../../lib/product-types.ts';
import { LATE_ROWS_MS } from '../../../store/ledger-store.ts';
import type { Listing } from '../../../store/listing.ts';
import type { ReconciledDay, SourcePair } from '../../../store/reconciliation-store.ts';
import type { UnknownPart } from './invoice-json.ts';
import type { LedgerMonth } from './ledger-month.ts';
import { MOST_LISTED, type Unknown, unknown } from './unknown-part.ts';

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

/** `listing` is undefined if the ledger is not polled, and `found` if it was never read. */
export const unknownLedger = (
  type: MeteredType,
  listing: Listing | undefined,
  found: Pick<LedgerMonth, 'untimedRows' | 'lateRowCount' | 'serviceCount'> | undefined,
  zone: string,
  month: Period,
): Unknown => {
  const part = type === 'mobile' ? 'mobile' : 'ledger';
  if (!listing) return [unknown(part, `${type}_ledger is off`)];
  const { completeStartedAt, undecodedRows } = listing;
  if (completeStartedAt === null || !found)
    return [unknown(part, 'proxywatch has not read the whole ledger yet')];
  const { untimedRows, lateRowCount, serviceCount } = found;
  const readUntil = datesUntil(month, zone, completeStartedAt - LATE_ROWS_MS).length;
  return [
    ...(readUntil < month.dates.length
      ? [
          unknown(
            part,
            'proxywatch last read the ledger less than three hours after the end of these days, or before it',
            month.dates.slice(readUntil),
          ),
        ]
      : []),
    ...(undecodedRows > 0
      ? [
          unknown(
            part,
            `proxywatch could not read ${rows(undecodedRows)} of the ledger, which can be of this ${month.unit}`,
          ),
        ]
      : []),
    ...(untimedRows > 0 ? [unknown(part, `${rows(untimedRows)} without a time of change can be late`)] : []),
    ...cut(part, lateRowCount, 'late rows'),
    ...cut(part, serviceCount, 'sums by service'),
  ];
};

const cut = (part: UnknownPart['part'], count: number, what: string): Unknown =>
  count > MOST_LISTED ? [unknown(part, `only the first ${MOST_LISTED} of ${count} ${what} are listed`)] : [];

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

// Says what is not known of a month and why, also of services that were read too early or too late.

import { datesUntil, type Period } from '../../../lib/calendar.ts';
import type { MeteredType } from '../../../lib/product-types.ts';
import { HOUR } from '../../../lib/time.ts';
import { LATE_ROWS_MS } from '../../../store/ledger-store.ts';
import type { Listing } from '../../../store/listing.ts';
import type { ReconciledDay, SourcePair } from '../../../store/reconciliation-store.ts';
import {
  NOT_FOUND_ANSWERS_UNTIL_REMOVED,
  type ServiceAttempt,
  type StoredService,
} from '../../../store/service-store.ts';
import { rfc3339 } from '../item.ts';
import { MOST_LISTED, named, type Unknown, type UnknownPart, unknown } from './invoice-json.ts';
import type { LedgerMonth } from './ledger-month.ts';

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

interface KnownServices {
  readonly services: readonly Pick<StoredService, 'id' | 'answeredAt'>[];
  /** The ids that the inventory and the ledger name, and those that rows of the month name. */
  readonly referencedIds: readonly string[];
  readonly idsOfMonth: ReadonlySet<string | null>;
  readonly attempts: readonly Pick<ServiceAttempt, 'id' | 'answeredAt' | 'notFoundAnswers' | 'expiresAt'>[];
  /** Whether a run of the collector ever succeeded. */
  readonly wasRead: boolean;
}

export const unknownServices = (known: KnownServices, month: Period, now: number): Unknown => {
  if (!known.wasRead && known.attempts.every(({ answeredAt }) => answeredAt === null))
    return [unknown('services', 'proxywatch has not read the services yet')];
  return [
    ...unread(known),
    ...removedServices(known, month),
    ...early(known, month, now),
    ...(known.services.some(({ answeredAt }) => answeredAt >= month.to)
      ? [
          unknown(
            'services',
            'quantities, cycles and prices are those of the newest answers, after the month',
          ),
        ]
      : []),
  ];
};

const isRemoved = ({ notFoundAnswers }: Pick<ServiceAttempt, 'notFoundAnswers'>): boolean =>
  notFoundAnswers >= NOT_FOUND_ANSWERS_UNTIL_REMOVED;

const unread = ({ referencedIds, attempts }: KnownServices): Unknown => {
  const answered = new Set(
    attempts.filter((each) => each.answeredAt !== null || isRemoved(each)).map(({ id }) => id),
  );
  const ids = [...new Set([...referencedIds, ...attempts.map(({ id }) => id)])].filter(
    (id) => !answered.has(id),
  );
  return ids.length === 0
    ? []
    : [unknown('services', `the provider has not answered about these yet: ${named(ids)}`)];
};

/** The ledger names services of all times, so one that was never found may be of another month. */
export const removedServices = (
  { attempts, idsOfMonth }: Pick<KnownServices, 'attempts' | 'idsOfMonth'>,
  { from }: Pick<Period, 'from'>,
): Unknown => {
  const ids = attempts
    .filter((each) => isRemoved(each) && (each.answeredAt !== null || idsOfMonth.has(each.id)))
    .filter(({ expiresAt }) => expiresAt === null || expiresAt >= from)
    .map(({ id }) => id);
  return ids.length === 0
    ? []
    : [unknown('services', `the provider no longer finds these, which are not listed: ${named(ids)}`)];
};

const early = ({ services }: KnownServices, { to }: Period, now: number): Unknown => {
  const [until, when] =
    now < to ? [now - HOUR, 'more than an hour ago'] : [to, 'before the end of the month'];
  const found = services.filter(({ answeredAt }) => answeredAt < until);
  if (found.length === 0) return [];
  const oldest = rfc3339(Math.min(...found.map(({ answeredAt }) => answeredAt)));
  const orLater = found.length > 1 ? ' or later' : '';
  return [
    unknown('services', `last read at ${oldest}${orLater}, ${when}: ${named(found.map(({ id }) => id))}`),
  ];
};

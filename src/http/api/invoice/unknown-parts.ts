// Says what is not known of a month, and why.

import { localDayOf, startOfLocalDay } from '../../../lib/local-days.ts';
import { DAY } from '../../../lib/time.ts';
import type { Listing } from '../../../store/listing.ts';
import type { ReconciledDay, SourcePair } from '../../../store/reconciliation-store.ts';
import type { StoredService } from '../../../store/service-store.ts';
import type { UseDay } from '../../../store/user-use-store.ts';
import { rfc3339 } from '../item.ts';
import type { INVOICE_PARTS, UnknownPart } from './invoice-json.ts';
import { datesUntil, type Month } from './month.ts';

type Unknown = readonly UnknownPart[];

const unknown = (
  part: (typeof INVOICE_PARTS)[number],
  message: string,
  dates: readonly string[] = [],
): UnknownPart => ({ part, message, dates: [...dates] });

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

/** `listing` is undefined if the ledger is not polled. */
export const unknownLedger = (
  listing: Listing | undefined,
  untimedRows: number,
  zone: string,
  month: Month,
): Unknown => {
  if (!listing) return [unknown('ledger', 'residential_ledger is off')];
  const { completeStartedAt, undecodedRows } = listing;
  if (completeStartedAt === null) return [unknown('ledger', 'proxywatch has not read the whole ledger yet')];
  const readUntil = datesUntil(month, zone, completeStartedAt).length;
  return [
    ...(readUntil < month.dates.length
      ? [
          unknown(
            'ledger',
            'proxywatch last read the ledger before the end of these days',
            month.dates.slice(readUntil),
          ),
        ]
      : []),
    ...(undecodedRows > 0
      ? [
          unknown(
            'ledger',
            `proxywatch could not read ${rows(undecodedRows)} of the ledger, which can be of this month`,
          ),
        ]
      : []),
    ...(untimedRows > 0
      ? [unknown('ledger', `${rows(untimedRows)} without a time of change can be late`)]
      : []),
  ];
};

interface Use {
  readonly json: { readonly deleted_users: number };
  readonly days: readonly UseDay[];
}

/** `use` is undefined if the users are not polled. */
export const unknownUsers = (use: Use | undefined, zone: string, month: Month, now: number): Unknown => {
  if (!use) return [unknown('users', 'proxy_users is off')];
  const { days, json } = use;
  const known = new Set(days.map(({ day }) => day));
  const last = localDayOf(zone, now);
  const missing = month.dates.filter((date) => !known.has(dayOf(date)) && dayOf(date) <= last);
  const [first] = days;
  const isPartial = first !== undefined && first.since > startOfLocalDay(zone, first.day);
  return [
    ...(missing.length > 0 ? [unknown('users', 'the use of these days was not counted', missing)] : []),
    ...(isPartial
      ? [unknown('users', `the use before ${rfc3339(first.since)} was not counted`, [dateOf(first.day)])]
      : []),
    ...(json.deleted_users > 0
      ? [unknown('users', `the use of ${json.deleted_users} users was deleted to save space`)]
      : []),
  ];
};

const dayOf = (date: string): number => Date.parse(date) / DAY;
const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 'YYYY-MM-DD'.length);

export const unknownServices = (
  isOn: boolean,
  services: readonly Pick<StoredService, 'answeredAt'>[],
  { to }: Month,
): Unknown => {
  if (!isOn) return [unknown('services', 'services is off')];
  return services.some(({ answeredAt }) => answeredAt >= to)
    ? [unknown('services', 'quantities, cycles and prices are those of the newest answers, after the month')]
    : [];
};

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

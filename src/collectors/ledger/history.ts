// Reads the history of a ledger day by day, for exports with timestamps.

import type { Family } from '../../lib/family.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { DAY, zoneOffset } from '../../lib/time.ts';
import { instantOf, type Range } from '../../provider/time.ts';
import {
  LATE_ROWS_MS,
  LEDGER_COUNTERS,
  type LedgerCounter,
  type LedgerStore,
  publishedDate,
} from '../../store/ledger-store.ts';
import type { RowValues } from '../../store/publication-store.ts';
import type { ReadContext } from '../context.ts';
import { type HistoryRow, type HistorySource, type HistoryStream, historyGauge } from '../history-source.ts';

const HELP_STARTS: Readonly<Record<LedgerCounter, string>> = {
  addedBytes: 'Number of bytes added',
  usedBytes: 'Number of bytes used or deducted',
  requests: 'Number of requests',
};

/** The days that are read at once (ms). A day has a row for each reason and service. */
const CHUNK_MS = 31 * DAY;

/** Defines the source. Its families are named after the counters in `live`. */
export const ledgerHistory = (
  type: MeteredType,
  live: Readonly<Record<LedgerCounter, Family>>,
): readonly HistorySource[] => [
  {
    source: type === 'mobile' ? 'mobile_ledger' : 'ledger',
    families: LEDGER_COUNTERS.map((counter) => ({
      family: historyGauge(
        live[counter],
        `${HELP_STARTS[counter]} on each day of the provider's time zone, from the stored rows of ${type}_ledger/search.`,
      ),
      isSum: true,
    })),
    // A row of the ledger can get another date or reason.
    movingPartsRowMs: DAY,
    streams: (context) => streams(context.store.ledgers[type], context),
    read: (context, stream, range) => read(context.store.ledgers[type], context, stream, range),
    timeOf: ({ account }, at) => instantOf(at, account.time_zone),
    rowTimeOf,
  },
];

/** A day has settled when a listing saw all rows some hours after its end. */
const streams = async (ledger: LedgerStore, { account }: ReadContext<unknown>): Promise<HistoryStream[]> => {
  const { reasons, listing } = await ledger.summary(account.name);
  const settledUntil = dateOf((listing.countedStartedAt ?? 0) - LATE_ROWS_MS, account.time_zone);
  return reasons.map(({ reason }) => ({ subject: reason, labels: { reason }, settledUntil }));
};

async function* read(
  ledger: LedgerStore,
  { account }: ReadContext<unknown>,
  { subject }: HistoryStream,
  { from, to }: Range,
): AsyncGenerator<HistoryRow> {
  const first = Math.ceil(from / DAY) * DAY;
  for (let start = first; start < to; start += CHUNK_MS) {
    const days = await ledger.days(
      account.name,
      textOf(start),
      textOf(Math.min(to - 1 + DAY, start + CHUNK_MS)),
    );
    const ofReason = days.filter(({ reason }) => reason === subject);
    for (const [date, services] of Map.groupBy(ofReason, ({ periodDate }) => publishedDate(periodDate))) {
      const values = LEDGER_COUNTERS.map((counter) => sumOf(services.map((service) => service[counter])));
      yield { at: date, end: date + DAY, values };
    }
  }
}

/** Null if no value was given at all. */
const sumOf = (values: RowValues): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);

/** Dates count as if they were in UTC, where all days have the same length. */
const dateOf = (time: number, zone: string): number =>
  Math.floor((time + zoneOffset(zone, time)) / DAY) * DAY;

function rowTimeOf({ account: { time_zone: zone } }: ReadContext<unknown>, time: number): number {
  const date = dateOf(time, zone);
  return instantOf(date, zone) < time ? date + DAY : date;
}

const textOf = (date: number): string => new Date(date).toISOString().slice(0, 10);

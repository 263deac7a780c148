// Reads the history of the residential ledger day by day, for backfill.

import type { Family } from '../../lib/family.ts';
import { DAY, zoneOffset } from '../../lib/time.ts';
import { instantOf, parseLocal, type Range } from '../../provider/time.ts';
import { LEDGER_COUNTERS, type LedgerCounter, type LedgerDay } from '../../store/ledger-store.ts';
import type { ReadContext } from '../context.ts';
import { type HistoryFamily, type HistorySample, historyGauge } from '../history.ts';

const HELP_STARTS: Readonly<Record<LedgerCounter, string>> = {
  addedBytes: 'Number of bytes added',
  usedBytes: 'Number of bytes used or deducted',
  requests: 'Number of requests',
};
const SOURCE = "on each day of the provider's time zone, from the stored rows of residential_ledger/search.";

/** The days that are read at once (ms). A day has a row for each reason and service. */
const CHUNK_MS = 31 * DAY;

/** Defines the history families. They are named after the counters in `live`. */
export const ledgerHistory = (live: Readonly<Record<LedgerCounter, Family>>): HistoryFamily[] =>
  LEDGER_COUNTERS.map((counter) => ({
    family: historyGauge(live[counter], `${HELP_STARTS[counter]} ${SOURCE}`),
    read: (context, range) => read(context, range, counter),
  }));

async function* read(
  context: ReadContext<unknown>,
  range: Range,
  counter: LedgerCounter,
): AsyncGenerator<HistorySample> {
  const reasons = new Map<string, Map<number, number | null>>();
  for await (const { reason, periodDate, ...day } of daysIn(context, range)) {
    const at = instantOf(parseLocal(periodDate) ?? Number.NaN, context.account.time_zone);
    if (at < range.from || at >= range.to) continue;
    const sums = reasons.get(reason) ?? new Map<number, number | null>();
    reasons.set(reason, sums.set(at, sumOf(sums.get(at), day[counter])));
  }
  for (const [reason, sums] of reasons) {
    for (const [at, value] of sums) yield { labels: { reason }, at, value };
  }
}

/** Adds a value to a sum; null if no value was given at all. */
const sumOf = (sum: number | null | undefined, value: number | null): number | null =>
  value === null ? (sum ?? null) : (sum ?? 0) + value;

/** Yields the days of the provider's zone that the range touches, in order of their dates. */
async function* daysIn(
  { account, store }: ReadContext<unknown>,
  { from, to }: Range,
): AsyncGenerator<LedgerDay> {
  // Dates are counted as if they were in UTC, where all days have the same length.
  const dateOf = (at: number): number => Math.floor((at + zoneOffset(account.time_zone, at)) / DAY) * DAY;
  const end = dateOf(to - 1) + DAY;
  for (let start = dateOf(from); start < end; start += CHUNK_MS) {
    yield* await store.ledger.days(account.name, textOf(start), textOf(Math.min(end, start + CHUNK_MS)));
  }
}

const textOf = (date: number): string => new Date(date).toISOString().slice(0, 10);

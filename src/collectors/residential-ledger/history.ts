// The history of the residential ledger, day by day.

import type { Family } from '../../lib/family.ts';
import { DAY, zoneOffset } from '../../lib/time.ts';
import { instantOf, parseLocal, type Range } from '../../provider/time.ts';
import { LEDGER_COUNTERS, type LedgerCounter, type LedgerDay } from '../../store/ledger-store.ts';
import type { ReadContext } from '../context.ts';
import { type HistoryFamily, type HistorySample, pastOf } from '../history.ts';

const TEXTS: Readonly<Record<LedgerCounter, string>> = {
  addedBytes: 'Bytes added',
  usedBytes: 'Bytes used or taken away',
  requests: 'Requests',
};
const SOURCE = "by day of the provider's time zone, from the stored rows of residential_ledger/search.";

/** Days read at once: a day has a row for each reason and service. */
const CHUNK = 31 * DAY;

/** `live` are the counters that it is named after. */
export const ledgerHistory = (live: Readonly<Record<LedgerCounter, Family>>): HistoryFamily[] =>
  LEDGER_COUNTERS.map((counter) => ({
    family: pastOf(live[counter], `${TEXTS[counter]} ${SOURCE}`),
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

/** Of what was given. */
const sumOf = (sum: number | null | undefined, value: number | null): number | null =>
  value === null ? (sum ?? null) : (sum ?? 0) + value;

/** In order of their dates: those of the zone that the range touches. */
async function* daysIn(
  { account, store }: ReadContext<unknown>,
  { from, to }: Range,
): AsyncGenerator<LedgerDay> {
  // Dates are counted as if they were UTC's, in which a day is always as long.
  const dateOf = (at: number): number => Math.floor((at + zoneOffset(account.time_zone, at)) / DAY) * DAY;
  const end = dateOf(to - 1) + DAY;
  for (let start = dateOf(from); start < end; start += CHUNK) {
    yield* await store.ledger.days(account.name, textOf(start), textOf(Math.min(end, start + CHUNK)));
  }
}

const textOf = (date: number): string => new Date(date).toISOString().slice(0, 10);

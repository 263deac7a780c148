// Computes what a receiver of remote write must have of each day, from the stored history and how far the receiver is.

import {
  correctionSampleOf,
  correctionsFor,
  publishedRows,
  sampleOf,
} from '../../../collectors/published-history.ts';
import type { Day } from '../../../collectors/reconciliation/days.ts';
import { firstRowAt } from '../../../daemon/remote-write/form-batch.ts';
import type { SentHistory } from '../../../daemon/remote-write/histories.ts';
import type { Family } from '../../../lib/family.ts';
import type { Range } from '../../../provider/time.ts';
import type { ReceiverState } from '../../../store/publication-store.ts';

/** The sum of all samples of a series and its revisions in a day. */
export interface SentSum {
  readonly day: Day;
  readonly family: Family;
  readonly labels: Readonly<Record<string, string>>;
  readonly sum: number;
}

const BEFORE_START = 'the receiver gets no history from before its start';
const NOT_SENT = 'some of it is not sent yet';
const NOT_STORED = 'the store does not have it any more';
const NO_WHOLE_DAY = 'the store has it in days of another time zone';

/** `storedSince` is the time (ms) from which the store has all history of the source. Throws StoreError. */
export const sentSums = async (
  history: SentHistory,
  state: ReceiverState,
  days: readonly Day[],
  storedSince: number,
) => {
  const { source, stream } = history;
  const reasons = new Map(days.map((day) => [day, reasonAgainst(history, state, day, storedSince)]));
  const complete = days.filter((day) => reasons.get(day) === undefined);
  const sums = await addUp(history, state, complete, (day, reason) => day && reasons.set(day, reason));
  return {
    sums: complete
      .filter((day) => reasons.get(day) === undefined)
      .flatMap((day) =>
        source.families.flatMap(({ family, isSum }, index) =>
          isSum ? [{ day, family, labels: stream.labels, sum: sums.of(day, index) }] : [],
        ),
      ),
    /** The days that cannot be compared, by the reason. */
    leftOut: [...reasons].flatMap(([day, reason]) => (reason === undefined ? [] : [[reason, day] as const])),
  };
};

const reasonAgainst = (
  history: SentHistory,
  state: ReceiverState,
  { start, end }: Day,
  storedSince: number,
): string | undefined => {
  const { published, stream } = history;
  const first = firstRowAt(history, state);
  const sent = state.position.streams.get(published.id) ?? first;
  if (start < timeOf(history, first)) return BEFORE_START;
  const sentUntil = timeOf(history, Math.min(sent, published.until, stream.settledUntil));
  if (end > Math.min(sentUntil, state.kept.earlyFrom ?? sentUntil)) return NOT_SENT;
  return start < storedSince ? NOT_STORED : undefined;
};

/** Returns the sums of the days, and leaves out days that cannot be compared. */
const addUp = async (
  history: SentHistory,
  state: ReceiverState,
  days: readonly Day[],
  leaveOut: (day: Day | undefined, reason: string) => void,
): Promise<ReturnType<typeof daySums>> => {
  const { source } = history;
  const sums = daySums(history, days);
  const range = rangeOf(history, days);
  // Read once: a correction that a daemon notes meanwhile is then a part of the first value, and not counted twice.
  const corrections = await correctionsFor(history, range);
  for await (const row of publishedRows(history, range, corrections)) {
    // A row of the ledger is a date, which is a day of the zone.
    const [first, last] = [row.at, source.timeOf ? row.at : row.end - 1].map((at) => sums.dayOf(at));
    if (first !== last) for (const day of [first, last]) leaveOut(day, NO_WHOLE_DAY);
    sums.add(first, (index) => sampleOf(history, row, index)?.value);
  }
  for (const correction of corrections) {
    const day = sums.dayOf(correction.at);
    if (correction.sequence > state.position.correction) leaveOut(day, NOT_SENT);
    sums.add(day, (index) => correctionSampleOf(history, correction, index)?.value);
  }
  return sums;
};

/** Sums by day, in the order of the source's families. */
const daySums = (history: SentHistory, days: readonly Day[]) => {
  const byDay = new Map(days.map((day) => [day, history.source.families.map(() => 0)]));
  return {
    /** Returns the day of a row; undefined if it is none of these days. */
    dayOf: (at: number): Day | undefined => {
      const time = timeOf(history, at);
      return days.find(({ start, end }) => time >= start && time < end);
    },
    add: (day: Day | undefined, amountOf: (index: number) => number | undefined): void => {
      const sums = day && byDay.get(day);
      for (const [index, sum] of sums?.entries() ?? []) if (sums) sums[index] = sum + (amountOf(index) ?? 0);
    },
    of: (day: Day, index: number): number => byDay.get(day)?.[index] ?? 0,
  };
};

const rangeOf = ({ source, context }: SentHistory, days: readonly Day[]): Range => {
  const rowTime = (time: number): number => source.rowTimeOf?.(context, time) ?? time;
  return { from: rowTime(days[0]?.start ?? 0), to: rowTime(days.at(-1)?.end ?? 0) };
};

const timeOf = ({ source, context }: SentHistory, at: number): number => source.timeOf?.(context, at) ?? at;

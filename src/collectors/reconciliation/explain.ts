// Computes how much of a difference has an explanation. It has no side effects.

import type { ExplainedDifference, ReconciledDay } from '../../store/reconciliation-store.ts';

/** A cause explains any number of bytes from `low` (0 or below) to `high` (0 or above) of a difference. */
export interface Explanation {
  readonly cause: string;
  readonly low: number;
  readonly high: number;
  /** Whether it explains either all of `low` or `high`, or nothing. */
  readonly isAllOrNothing?: boolean;
  /** When the stored history begins (ms), if it begins after the start of the day. */
  readonly historyBeginsAt?: number;
}

/** Explains any difference, because a source does not have the complete day. */
export const incompleteDay = (cause: string): Explanation => ({
  cause,
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
});

/** Explains any difference, because the stored history begins only at this time (ms). */
export const beforeHistory = (historyBeginsAt: number): Explanation => ({
  ...incompleteDay('before_history'),
  historyBeginsAt,
});

export const isIncomplete = ({ low, high }: Explanation): boolean => high - low === Number.POSITIVE_INFINITY;

type Explained = Pick<ReconciledDay, 'explained' | 'unexplainedBytes'>;

/** Assigns to each cause, in order, as much of the difference as it can explain, in the way that leaves the least. */
export const explain = (difference: number, explanations: readonly Explanation[]): Explained => {
  const [first, ...others] = explanations;
  if (!first) return { explained: [], unexplainedBytes: difference };
  return possibleBytes(difference, first)
    .map((bytes) => withCause({ cause: first.cause, bytes }, explain(difference - bytes, others)))
    .reduce((best, other) => (leavesLess(other, best) ? other : best));
};

/** Returns the numbers of bytes that a cause can explain. The first leaves the least for the other causes. */
const possibleBytes = (left: number, { low, high, isAllOrNothing = false }: Explanation): number[] => {
  if (isAllOrNothing) return [0, low, high].toSorted((a, b) => Math.abs(left - a) - Math.abs(left - b));
  return [Math.min(high, Math.max(low, left))];
};

const withCause = (cause: ExplainedDifference, { explained, unexplainedBytes }: Explained): Explained => ({
  explained: cause.bytes === 0 ? explained : [cause, ...explained],
  unexplainedBytes,
});

const leavesLess = (one: Explained, other: Explained): boolean =>
  Math.abs(one.unexplainedBytes) < Math.abs(other.unexplainedBytes);

/** The share of a day's bytes that may differ without a cause, because sources are rounded and read at different times. */
export const TOLERATED_SHARE = 0.01;

/** Returns the bytes of the larger source, which shares of a difference refer to. */
export const comparedBytes = ({ firstBytes, secondBytes }: ReconciledDay): number =>
  Math.max(firstBytes, secondBytes);

/** Returns the share of the day's bytes that nothing explains; 0 for a day without bytes. */
export const unexplainedShare = (day: ReconciledDay): number =>
  comparedBytes(day) > 0 ? Math.abs(day.unexplainedBytes) / comparedBytes(day) : 0;

export const differs = (day: ReconciledDay): boolean => unexplainedShare(day) > TOLERATED_SHARE;

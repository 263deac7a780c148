// How much of a difference has an explanation: pure arithmetic.

import type { Explained, Reconciled } from '../../store/reconciliation-store.ts';

/** A cause accounts for any number of bytes from `low` (0 or below) to `high` (0 or above) of a difference. */
export interface Explanation {
  readonly cause: string;
  readonly low: number;
  readonly high: number;
  /** Whether it accounts for all of `high` or for nothing, whichever leaves less. */
  readonly isWhole?: boolean;
}

/** Explains whatever the difference is: a side does not say all of the day, so that nothing follows from it. */
export const incomplete = (cause: string): Explanation => ({
  cause,
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
});

export const isIncomplete = ({ low, high }: Explanation): boolean => high - low === Number.POSITIVE_INFINITY;

/** Gives each cause, in their order, as much of the difference as it can account for. */
export const explain = (
  difference: number,
  explanations: readonly Explanation[],
): Pick<Reconciled, 'explained' | 'unexplainedBytes'> => {
  const explained: Explained[] = [];
  let left = difference;
  for (const explanation of explanations) {
    const bytes = shareOf(left, explanation);
    if (bytes !== 0) explained.push({ cause: explanation.cause, bytes });
    left -= bytes;
  }
  return { explained, unexplainedBytes: left };
};

const shareOf = (left: number, { low, high, isWhole = false }: Explanation): number => {
  if (isWhole) return Math.abs(left - high) < Math.abs(left) ? high : 0;
  return Math.min(high, Math.max(low, left));
};

/** Part of a day's bytes that may differ without a reason: sources are rounded, and not read at one moment. */
export const TOLERATED = 0.01;

/** The larger side: what a difference is a part of. */
export const comparedBytes = ({ firstBytes, secondBytes }: Reconciled): number =>
  Math.max(firstBytes, secondBytes);

/** Part of the day's bytes that nothing explains; 0 where there are none. */
export const unexplainedShare = (day: Reconciled): number =>
  comparedBytes(day) > 0 ? Math.abs(day.unexplainedBytes) / comparedBytes(day) : 0;

/** Whether more is unexplained than is tolerated. */
export const differs = (day: Reconciled): boolean => unexplainedShare(day) > TOLERATED;

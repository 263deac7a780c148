// Computes counters of rows that the provider revises: what a changed row adds, and which value is shown.

/** A stored counter: `net` is the sum of its rows' positive and negative growth, `served` the highest `net` so far. */
export interface Counter {
  readonly net: number;
  readonly served: number;
  /** The counter shows 0 until a run is stored at or after this time (ms), so that `increase()` sees the first step. */
  readonly heldUntil: number;
}

/** Returns what a counter shows once the run of `storedAt` (ms) is in the store. */
export const shownCounter = (counter: Counter, storedAt: number | null) => {
  // The value on /metrics; it never falls.
  const value = storedAt !== null && storedAt >= counter.heldUntil ? counter.served : 0;
  // Downward revisions that new growth has not offset yet; below 0 only while a first step is held.
  return { value, withheld: value - counter.net };
};

/** Returns the counter after its rows grew by `growth`, which may be negative. */
export const withGrowth = (counter: Counter, growth: number): Counter => {
  const net = counter.net + growth;
  return { ...counter, net, served: Math.max(counter.served, net) };
};

/** An answered row, with its stored value and the baseline. */
interface RowObservation {
  /** The stored value; null if there is none yet. */
  readonly before: number | null;
  /** The answered value; null if none was given, which changes nothing. */
  readonly after: number | null;
  /** End of the row's period (ms). */
  readonly periodEnd: number;
  /** When the first complete answer was requested (ms); null until it has been read. */
  readonly baselinedAt: number | null;
}

/**
 * Returns what a row adds to its counter. Rows of the baseline are starting points. A row that appears later counts
 * whole if its period ends after the baseline. Every later change of a row counts, down as well as up.
 */
export const growthOf = ({ before, after, periodEnd, baselinedAt }: RowObservation): number => {
  if (baselinedAt === null || after === null) return 0;
  if (before !== null) return after - before;
  return periodEnd > baselinedAt ? after : 0;
};

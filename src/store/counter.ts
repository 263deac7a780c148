// Counters from rows that the provider revises: what a row's change adds, and what of a counter is shown.

/** A counter as it is kept: `net` is the sum of its rows' growth up and down, `served` the highest `net` so far. */
export interface Counter {
  readonly net: number;
  readonly served: number;
  /** Shown as 0 until a run is stored at or after this time (ms), so that `increase()` sees the first step. */
  readonly heldUntil: number;
}

export interface ShownCounter {
  /** What /metrics shows; never falls. */
  readonly value: number;
  /** `value` minus the truth: revisions downward not yet netted; below 0 only while a first step is held back. */
  readonly withheld: number;
}

/** What a counter shows once the run of `storedAt` (ms) is in the store. */
export const shown = (counter: Counter, storedAt: number | null): ShownCounter => {
  const value = storedAt !== null && storedAt >= counter.heldUntil ? counter.served : 0;
  return { value, withheld: value - counter.net };
};

/** The counter after its rows grew by `growth`, which may be negative. */
export const grown = (counter: Counter, growth: number): Counter => {
  const net = counter.net + growth;
  return { ...counter, net, served: Math.max(counter.served, net) };
};

/** How an answered row stands to what is stored of it and to the baseline. */
export interface RowObservation {
  /** Value stored for the row; null when none has been seen. */
  readonly before: number | null;
  /** Value answered now; null when none was given, which changes nothing. */
  readonly after: number | null;
  /** End of the row's period (ms). */
  readonly periodEnd: number;
  /** When the first complete answer was asked for (ms); null while it is still being read. */
  readonly baselinedAt: number | null;
}

/**
 * What a row adds to its counter. Rows of the baseline are starting points; a row first seen later counts
 * whole when its period ends after the baseline; every later change of a seen row counts, down as well as up.
 */
export const growthOf = ({ before, after, periodEnd, baselinedAt }: RowObservation): number => {
  if (baselinedAt === null || after === null) return 0;
  if (before !== null) return after - before;
  return periodEnd > baselinedAt ? after : 0;
};

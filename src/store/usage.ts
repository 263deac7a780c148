// Computes a proxy user's usage across resets, corrections and single wrong answers, without side effects.

import { DAY } from '../lib/time.ts';

/**
 * A fall to less than half of `old`, first answered by the listing begun at `at` (ms). The provider sometimes resets
 * `used` to 0 and sometimes answers a wrong 0, and announces neither. Only later answers distinguish them.
 */
export interface Fall {
  readonly old: number;
  readonly at: number;
  /** Bytes counted since. */
  readonly counted: number;
  /** The value it fell to while only one listing has answered it. Usage stays as it was until the next one; null then. */
  readonly held: number | null;
}

interface UsageState {
  readonly used: number;
  /** Falls from which `used` has not returned, the oldest first. Each is to less than half of the one before. */
  readonly falls: readonly Fall[];
}

export interface ObservedUsage extends UsageState {
  /** What the observation adds to the user's counter; below 0 if it takes back what was counted. */
  readonly growth: number;
}

/** A return in one step within this time after a fall means that there was no reset. */
const RETURN_MS = DAY;

/** Returns the state after a listing begun at `at` (ms) answered `given`. */
export const observeUsage = (
  { used, falls: known }: UsageState,
  given: number,
  at: number,
): ObservedUsage => {
  // This is the case of nearly all users.
  if (known.length === 0 && given >= used / 2) return { used: given, growth: given - used, falls: known };
  const falls = known.filter((fall) => fall.held !== null || Math.abs(at - fall.at) <= RETURN_MS);
  const back = falls.findIndex(({ old }) => given >= old);
  const returned = falls[back];
  if (returned) return withUsageGrowth(given - returned.old - returned.counted, given, falls.slice(0, back));
  const newest = falls.at(-1);
  if (newest && newest.held !== null) return resolveHeldFall(used, falls, newest, given, at);
  const fall = { old: used, at, counted: 0, held: given };
  return given < used / 2
    ? { used, falls: [...falls, fall], growth: 0 }
    : withUsageGrowth(given - used, given, falls);
};

/** Resolves a fall that one listing showed: a reset, unless the same listing repeats it, whose answers may all be wrong. */
const resolveHeldFall = (
  used: number,
  falls: readonly Fall[],
  fall: Fall,
  given: number,
  at: number,
): ObservedUsage => {
  const others = falls.slice(0, -1);
  if (fall.at === at) return { used, falls: [...others, { ...fall, held: given }], growth: 0 };
  const low = fall.held ?? 0;
  const reset = withUsageGrowth(low, low, [...others, { ...fall, held: null }]);
  const next = observeUsage(reset, given, at);
  return { ...next, growth: reset.growth + next.growth };
};

const withUsageGrowth = (growth: number, used: number, falls: readonly Fall[]): ObservedUsage => ({
  used,
  growth,
  falls: falls
    .filter(({ old }) => used < old / 2)
    .map((fall) => ({ ...fall, counted: fall.counted + growth })),
});

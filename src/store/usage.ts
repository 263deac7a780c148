// A proxy user's used bytes over resets, corrections and single wrong answers: pure.

import { DAY } from '../lib/time.ts';

/**
 * A fall to less than half of `old`, first answered by the listing begun at `at` (ms). The provider resets `used` to 0
 * at times and answers wrong zeros at others, and says of neither: only what follows tells them apart.
 */
export interface Fall {
  readonly old: number;
  readonly at: number;
  /** What has been counted since. */
  readonly counted: number;
  /** What it fell to, while one listing alone has said so: the use stays as it was until the next one; null then. */
  readonly held: number | null;
}

export interface Use {
  readonly used: number;
  /** Falls that the use has not come back from, the oldest first: each to less than half of the one before. */
  readonly falls: readonly Fall[];
}

export interface UseSeen extends Use {
  /** What the sighting adds to the user's usage; less than 0 where it takes back. */
  readonly growth: number;
}

/** Within this time of a fall a return in one step says that there was no reset. */
const RETURN_MS = DAY;

/** The use after a listing begun at `at` (ms) answered `given`. */
export const useSeen = ({ used, falls: known }: Use, given: number, at: number): UseSeen => {
  const falls = known.filter((fall) => fall.held !== null || Math.abs(at - fall.at) <= RETURN_MS);
  const back = falls.findIndex(({ old }) => given >= old);
  const returned = falls[back];
  if (returned) return grownBy(given - returned.old - returned.counted, given, falls.slice(0, back));
  const newest = falls.at(-1);
  if (newest && newest.held !== null) return seenFallen(used, falls, newest, given, at);
  const fall = { old: used, at, counted: 0, held: given };
  return given < used / 2
    ? { used, falls: [...falls, fall], growth: 0 }
    : grownBy(given - used, given, falls);
};

/** After a fall that was seen once: it was a reset, unless the same listing says it again, whose answers may all be wrong. */
const seenFallen = (used: number, falls: readonly Fall[], fall: Fall, given: number, at: number): UseSeen => {
  const others = falls.slice(0, -1);
  if (fall.at === at) return { used, falls: [...others, { ...fall, held: given }], growth: 0 };
  const low = fall.held ?? 0;
  const reset = grownBy(low, low, [...others, { ...fall, held: null }]);
  const next = useSeen(reset, given, at);
  return { ...next, growth: reset.growth + next.growth };
};

const grownBy = (growth: number, used: number, falls: readonly Fall[]): UseSeen => ({
  used,
  growth,
  falls: falls
    .filter(({ old }) => used < old / 2)
    .map((fall) => ({ ...fall, counted: fall.counted + growth })),
});

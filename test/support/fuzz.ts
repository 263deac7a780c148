// Sets how many cases the fuzz tests try, and repeats a failed run. A failure prints its seed and its smallest case.

import type { Parameters } from 'fast-check';

const { FUZZ_RUNS, FUZZ_SEED, FUZZ_PATH } = process.env;

/** Multiplies the number of cases, for a long search by hand. */
const MULTIPLIER = Number(FUZZ_RUNS ?? 1);

/** The time limit of a fuzz test (ms). */
export const FUZZ_TIMEOUT = 120_000 * MULTIPLIER;

/** The number of cases that a test tries in CI. FUZZ_SEED and FUZZ_PATH repeat the case that a failure printed. */
export const cases = <T = unknown>(numRuns: number): Parameters<T> => ({
  numRuns: numRuns * MULTIPLIER,
  // A slow machine tries fewer cases. A failure is reported with the smallest case that was found by then.
  interruptAfterTimeLimit: FUZZ_TIMEOUT / 4,
  ...(FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) }),
  ...(FUZZ_PATH === undefined ? {} : { path: FUZZ_PATH }),
});

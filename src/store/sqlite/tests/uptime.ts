// Adds up results of tests, and tells the subject's own failures from those of others.

import { HOUR } from '../../../lib/time.ts';
import type { FaultKind, Uptime } from '../../test-store.ts';
import type { ResolvedResult } from './test-batch.ts';

export const NO_RESULTS: Uptime = { results: 0, successes: 0, sumMs: 0, ownFailures: 0, otherFailures: 0 };

export const hourOf = (at: number): number => Math.floor(at / HOUR);

export const addUptime = (one: Uptime, other: Uptime): Uptime => ({
  results: one.results + other.results,
  successes: one.successes + other.successes,
  sumMs: one.sumMs + other.sumMs,
  ownFailures: addFailures(ownFailuresOf(one), ownFailuresOf(other)),
  otherFailures: addFailures(otherFailuresOf(one), otherFailuresOf(other)),
});

/** Adds up results of a subject of this kind. */
export const uptimeOf = (results: readonly ResolvedResult[], kind: FaultKind): Uptime => {
  let [successes, sumMs, ownFailures, otherFailures] = [0, 0, 0, 0];
  for (const { isSuccessful, responseTimeMs, cause } of results) {
    if (isSuccessful) {
      successes += 1;
      sumMs += responseTimeMs ?? 0;
    } else if (cause === kind) ownFailures += 1;
    else if (cause) otherFailures += 1;
  }
  return { results: results.length, successes, sumMs, ownFailures, otherFailures };
};

const addFailures = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Without a failure it is known that none is anybody's fault, no matter which version stored the results. */
const ownFailuresOf = (uptime: Uptime): number | null => (hasFailures(uptime) ? uptime.ownFailures : 0);

const otherFailuresOf = (uptime: Uptime): number | null => (hasFailures(uptime) ? uptime.otherFailures : 0);

const hasFailures = ({ results, successes }: Uptime): boolean => results > successes;

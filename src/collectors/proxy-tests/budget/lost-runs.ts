// Estimates the test runs that may have been made in periods that an older store file does not contain.

import type { MissingPeriod, SpentRuns } from '../../../store/test-store.ts';
import { lostSpending } from '../../day-budget/token-bucket.ts';
import {
  bucketCapacity,
  type Candidate,
  canKeepSchedule,
  refillRunsPerMs,
  runsToTestAll,
  type TestBudget,
} from '../planner.ts';

/**
 * Returns the most runs that the budget allowed in each of these periods, spread evenly over it. The daemon made them with
 * the store file that was replaced, most likely with the same configuration.
 */
export const lostRuns = (
  times: readonly MissingPeriod[],
  proxies: readonly Candidate[],
  budget: TestBudget,
): SpentRuns[] =>
  lostSpending(times, (spanMs) => runsAllowedIn(spanMs, proxies, budget)).map(({ at, amount }) => ({
    at,
    runs: amount,
  }));

const runsAllowedIn = (spanMs: number, proxies: readonly Candidate[], budget: TestBudget): number => {
  const allowed = canKeepSchedule(proxies, budget)
    ? (Math.floor(spanMs / budget.intervalMs) + 1) * runsToTestAll(proxies, budget)
    : bucketCapacity(budget) + refillRunsPerMs(budget) * spanMs;
  return Math.min(allowed, budget.maxRunsPerDay);
};

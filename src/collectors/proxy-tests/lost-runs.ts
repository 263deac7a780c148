// Runs that may have been spent while the store of an older file knows nothing of them.

import type { LostTime, SpentRuns } from '../../store/test-store.ts';
import {
  type Candidate,
  depthOf,
  keepsSchedule,
  runsPerMs,
  runsPerSlot,
  SLOT_MS,
  type TestBudget,
  WINDOW_MS,
} from './planner.ts';

/**
 * The most that the budget allowed in each of these times, spread evenly over its slots. It was spent by another store of
 * the same account, most likely with the same configuration.
 */
export const lostRuns = (
  times: readonly LostTime[],
  proxies: readonly Candidate[],
  budget: TestBudget,
): SpentRuns[] =>
  times.flatMap(({ from, to }) => {
    const start = Math.max(from, to - WINDOW_MS);
    const slots = Math.ceil((to - start) / SLOT_MS);
    const runs = allowedIn(to - start, proxies, budget) / slots;
    return Array.from({ length: slots }, (_, index) => ({ at: start + index * SLOT_MS, runs }));
  });

const allowedIn = (spanMs: number, proxies: readonly Candidate[], budget: TestBudget): number => {
  const allowed = keepsSchedule(proxies, budget)
    ? (Math.floor(spanMs / budget.intervalMs) + 1) * runsPerSlot(proxies, budget)
    : depthOf(budget) + runsPerMs(budget) * spanMs;
  return Math.min(allowed, budget.maxRunsPerDay);
};

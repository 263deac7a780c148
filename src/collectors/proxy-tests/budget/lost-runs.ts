// Test runs that may have been made in a period that an older store file does not contain.

import type { LostTime, SpentRuns } from '../../../store/test-store.ts';
import {
  type Candidate,
  depthOf,
  keepsSchedule,
  runsPerMs,
  runsPerSlot,
  SLOT_MS,
  type TestBudget,
  WINDOW_MS,
} from '../planner.ts';

/**
 * The most runs that the budget allowed in each of these periods, spread evenly over its slots. The daemon made them with
 * the store file that was replaced, most likely with the same configuration.
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

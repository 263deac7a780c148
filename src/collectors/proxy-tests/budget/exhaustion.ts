// Decides whether the day's budget of test runs is exhausted, so that tests pause for longer than planned.

import { HOUR } from '../../../lib/time.ts';
import type { SpentRuns } from '../../../store/test-store.ts';
import { countedSlots, WINDOW_MS } from '../../day-budget/token-bucket.ts';
import { type Candidate, callSpacingMs, type TestBudget } from '../planner.ts';

/**
 * A budget that is spread evenly has little left at any time, and a small one has nothing left between two calls. So only
 * a pause this many times longer than the planned one shows that the budget is exhausted.
 */
const MIN_PAUSE_FACTOR = 2;

/**
 * Whether the budget allows no call now, and the pause from the last call to the next is longer than planned. The result
 * is the same during the whole pause.
 */
export const isExhausted = (
  proxies: readonly Candidate[],
  budget: TestBudget,
  spent: readonly SpentRuns[],
  now: number,
): boolean => {
  const slots = countedSlots(spent, now).sort((a, b) => a.at - b.at);
  const nextAt = nextAffordableAt(budget, slots, now);
  if (proxies.length === 0 || nextAt <= now) return false;
  const pauseMs = nextAt - (slots.at(-1)?.at ?? now);
  return pauseMs > Math.max(HOUR, MIN_PAUSE_FACTOR * callSpacingMs(proxies, budget));
};

/** When the budget allows the next call (ms), as older runs stop counting; infinity if a call costs more than a day's budget. */
const nextAffordableAt = (
  { maxRunsPerDay, runsPerCall }: TestBudget,
  slots: readonly SpentRuns[],
  now: number,
): number => {
  let left = maxRunsPerDay - slots.reduce((sum, slot) => sum + slot.runs, 0);
  if (left >= runsPerCall) return now;
  for (const slot of slots) {
    left += slot.runs;
    if (left >= runsPerCall) return slot.at + WINDOW_MS;
  }
  return Number.POSITIVE_INFINITY;
};

// Whether the day's budget of test runs is used up, so that tests stand still longer than their spreading explains.

import { HOUR } from '../../../lib/time.ts';
import type { SpentRuns } from '../../../store/test-store.ts';
import { type Candidate, callSpacingMs, countedSlots, type TestBudget, WINDOW_MS } from '../planner.ts';

/** A spread budget has little left at any time, and small ones nothing between two calls: a pause is told by its length. */
const LONGER_THAN_SPACED = 2;

/**
 * Whether no call can be paid for, and from the last one to the next there is a pause that the plan doesn't have. It says
 * the same all through that pause.
 */
export const isExhausted = (
  proxies: readonly Candidate[],
  budget: TestBudget,
  spent: readonly SpentRuns[],
  now: number,
): boolean => {
  const slots = countedSlots(spent, now).sort((a, b) => a.at - b.at);
  const nextAt = affordableAt(budget, slots, now);
  if (proxies.length === 0 || nextAt <= now) return false;
  const pauseMs = nextAt - (slots.at(-1)?.at ?? now);
  return pauseMs > Math.max(HOUR, LONGER_THAN_SPACED * callSpacingMs(proxies, budget));
};

/** When a call can be paid for, as slots grow older than the budget's day (ms); never, where one costs more than it all. */
const affordableAt = (
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

// Finds how long tests have been made without a break, which proxies got no result in that time, and whether the budget is exhausted.

import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import type { SpentRuns } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { countedSlots, WINDOW_MS } from '../day-budget.ts';
import { readNewestResultTimes, readWaitingSince } from './fleet.ts';
import type { ProxyTestOptions } from './options.ts';
import { type Candidate, callSpacingMs, plannedCycleMs, type TestBudget } from './planner.ts';
import { type PlannerInput, readPlannerInput } from './planner-input.ts';

type Context = ReadContext<ProxyTestOptions>;

/** Calls are recorded in periods of ten minutes, and may come one period late. */
const SLACK_MS = 20 * MINUTE;
/** How far back the store keeps calls. */
const SPENT_HISTORY_MS = 8 * DAY;

/**
 * Returns since when calls have been made without a longer break than planned (ms); undefined before the first call.
 * A proxy that was not tested during downtime, with a spent budget or in a pause of the schedule is not overdue: it is
 * tested once tests continue.
 */
const steadySince = (
  proxies: readonly Candidate[],
  budget: TestBudget,
  spent: readonly SpentRuns[],
): number | undefined => {
  const longestMs = 2 * callSpacingMs(proxies, budget) + SLACK_MS;
  const times = spent.map(({ at }) => at).sort((a, b) => b - a);
  const last = times.findIndex(
    (at, index) => at - (times[index + 1] ?? Number.NEGATIVE_INFINITY) > longestMs,
  );
  return times[last];
};

export const readSteadySince = async (
  { account, store, clock }: Context,
  { proxies, budget }: PlannerInput,
): Promise<number | undefined> =>
  steadySince(proxies, budget, await store.tests.spent(account.name, clock.now() - SPENT_HISTORY_MS));

interface OverdueProxy {
  readonly id: string;
  /** The time from its last result, or from when it began to wait for its first one, to the last successful run (ms). */
  readonly untestedMs: number;
}

/** Finds proxies without a result for more than `cycles` planned cycles before `until` (ms), the last successful run. */
export const overdueProxies = async (
  context: Context,
  cycles: number,
  until: number,
): Promise<OverdueProxy[]> => {
  const input = await readPlannerInput(context);
  const overdueMs = cycles * plannedCycleMs(input.proxies, input.budget);
  const since = await readSteadySince(context, input);
  if (since === undefined || until - since <= overdueMs) return [];
  const newest = await readNewestResultTimes(context, input.proxies);
  return [...newest, ...(await readWaitingSince(context, input.proxies, newest))]
    .map(([id, at]) => ({ id, untestedMs: until - at }))
    .filter(({ untestedMs }) => untestedMs > overdueMs);
};

/** A budget is rarely large between calls, so only a pause this many times longer than planned shows that it is exhausted. */
const MIN_PAUSE_FACTOR = 2;

/** Whether the budget allows no call now, and the pause to the next is longer than planned. It stays so during the pause. */
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

// Finds how long tests have been made without a break, and which proxies got no result in that time.

import { DAY, MINUTE } from '../../lib/time.ts';
import type { SpentRuns } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
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
export const steadySince = (
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

export interface OverdueProxy {
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

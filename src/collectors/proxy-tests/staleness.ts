// How long tests have been going on without a break, and which proxies they passed over meanwhile, or never reached.

import { DAY, MINUTE } from '../../lib/time.ts';
import type { SpentRuns } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { newestResults, waitingSince } from './fleet.ts';
import type { ProxyTestOptions } from './options.ts';
import { type Candidate, callSpacingMs, plannedCycleMs, type TestBudget } from './planner.ts';
import { type Round, roundOf } from './round.ts';

type Context = ReadContext<ProxyTestOptions>;

/** Calls are noted by slots of ten minutes, and may come a slot late. */
const SLACK_MS = 20 * MINUTE;
/** As far back as calls are remembered. */
const REMEMBERED_MS = 8 * DAY;

/**
 * Since when calls were made without a break longer than the plan has (ms); undefined before the first. What downtime, a
 * spent budget or a schedule's night left untested is not passed over: it has its turn once tests go on.
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
  { proxies, budget }: Round,
): Promise<number | undefined> =>
  steadySince(proxies, budget, await store.tests.spent(account.name, clock.now() - REMEMBERED_MS));

export interface OverdueProxy {
  readonly id: string;
  /** From its last result, or since it waits for its first one, to the last successful run (ms). */
  readonly untestedMs: number;
}

/** Proxies without a result for more than so many planned cycles before `until` (ms), the last successful run. */
export const overdueProxies = async (
  context: Context,
  cycles: number,
  until: number,
): Promise<OverdueProxy[]> => {
  const round = await roundOf(context);
  const overdueMs = cycles * plannedCycleMs(round.proxies, round.budget);
  const since = await readSteadySince(context, round);
  if (since === undefined || until - since <= overdueMs) return [];
  const newest = await newestResults(context, round.proxies);
  return [...newest, ...(await waitingSince(context, round.proxies, newest))]
    .map(([id, at]) => ({ id, untestedMs: until - at }))
    .filter(({ untestedMs }) => untestedMs > overdueMs);
};

// Reads the planner's input from the configuration and the store, without a request to the provider.

import { cronOf } from '../../lib/cron.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import type { MissingPeriod, SpentRuns } from '../../store/test-store.ts';
import type { ComparedTests, ReadContext } from '../context.ts';
import { lostSpending, mostSpentIn } from '../day-budget.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { priceKeyOf } from './call.ts';
import { type Candidate, canKeepSchedule, dayBudget, runsToTestAll, type TestBudget } from './planner.ts';

export interface PlannerInput {
  readonly proxies: readonly (TestedProxy & Candidate)[];
  readonly budget: TestBudget;
  /** Includes the runs that may have been spent in periods that an older store file does not contain. */
  readonly spent: readonly SpentRuns[];
}

/** Spent runs are read further back than the budget's day; the planner cuts them exactly. */
const SPENT_SPAN = DAY + HOUR;

/** Reads the proxies with their last tests, the budget and the runs that are spent. */
export const readPlannerInput = async (context: ReadContext<ComparedTests>): Promise<PlannerInput> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  const turns = new Map((await store.tests.proxies(account.name)).map((turn) => [turn.proxy, turn]));
  const proxies = (await readTestedProxies(context)).map((proxy) => ({
    ...proxy,
    lastTestedAt: turns.get(proxy.id)?.lastTestedAt ?? null,
    failingRounds: turns.get(proxy.id)?.failingRounds ?? 0,
  }));
  const budget = {
    maxRunsPerDay: options.max_runs_per_day,
    runsPerCall: await store.tests.priceOf(account.name, priceKeyOf(options)),
    intervalMs: cronOf(options.schedule, account.schedule_time_zone).gap(now),
  };
  const recorded = await store.tests.spent(account.name, now - SPENT_SPAN);
  const lost = lostRuns(await store.tests.missingPeriods(account.name), proxies, budget);
  return { proxies, budget, spent: [...recorded, ...lost] };
};

/**
 * Returns the most runs that the budget allowed in each of these periods, spread evenly over it. The daemon made them with
 * the store file that was replaced, most likely with the same configuration.
 */
const lostRuns = (
  times: readonly MissingPeriod[],
  proxies: readonly Candidate[],
  budget: TestBudget,
): SpentRuns[] =>
  lostSpending(times, (spanMs) => runsAllowedIn(spanMs, proxies, budget)).map(({ at, amount }) => ({
    at,
    runs: amount,
  }));

const runsAllowedIn = (spanMs: number, proxies: readonly Candidate[], budget: TestBudget): number => {
  if (!canKeepSchedule(proxies, budget)) return mostSpentIn(spanMs, dayBudget(budget));
  const slots = Math.floor(spanMs / budget.intervalMs) + 1;
  return Math.min(slots * runsToTestAll(proxies, budget), budget.maxRunsPerDay);
};

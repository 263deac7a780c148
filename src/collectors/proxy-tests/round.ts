// What the planner needs to know, from the configuration and the store: pure of any call.

import { cronOf } from '../../lib/cron.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import type { SpentRuns } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { lostRuns } from './budget/lost-runs.ts';
import { priceKeyOf } from './budget/price.ts';
import type { ProxyTestOptions } from './options.ts';
import type { Candidate, TestBudget } from './planner.ts';
import { type TestedProxy, testedProxies } from './sources/tested-proxies.ts';

export interface Round {
  readonly proxies: readonly (TestedProxy & Candidate)[];
  readonly budget: TestBudget;
  /** Also what may have been spent in times that an older file of the store knows nothing of. */
  readonly spent: readonly SpentRuns[];
}

/** Spent runs are read further back than the budget's day, which the planner cuts exactly. */
const SPENT_SPAN = DAY + HOUR;

/** How things stand now: the proxies with their turns, and what of the budget is spent. */
export const roundOf = async (context: ReadContext<ProxyTestOptions>): Promise<Round> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  const turns = new Map((await store.tests.proxies(account.name)).map((turn) => [turn.proxy, turn]));
  const proxies = (await testedProxies(context)).map((proxy) => ({
    ...proxy,
    lastTestedAt: turns.get(proxy.id)?.lastTestedAt ?? null,
    failingRounds: turns.get(proxy.id)?.failingRounds ?? 0,
  }));
  const budget = {
    maxRunsPerDay: options.max_runs_per_day,
    runsPerCall: await store.tests.priceOf(account.name, priceKeyOf(options)),
    intervalMs: cronOf(options.schedule, account.schedule_time_zone).gap(now),
  };
  const known = await store.tests.spent(account.name, now - SPENT_SPAN);
  const lost = lostRuns(await store.tests.lostTimes(), proxies, budget);
  return { proxies, budget, spent: [...known, ...lost] };
};

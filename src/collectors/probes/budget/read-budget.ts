// Reads what the byte budget of the day still allows, from the store and the configuration.

import { cronOf } from '../../../lib/cron.ts';
import { SECOND } from '../../../lib/time.ts';
import type { SpentBytes } from '../../../store/probe-store.ts';
import type { ReadContext } from '../../context.ts';
import {
  bucketCapacity,
  canAffordEachSlot,
  type DayBudget,
  evenlySpread,
  lostSpending,
  refillPerMs,
  remainingOf,
  type Spent,
  WINDOW_MS,
} from '../../day-budget/token-bucket.ts';
import type { VantageOptions } from '../vantage.ts';

export interface ReadBudget {
  /** What is left of the day's budget, in bytes. */
  readonly remaining: number;
  /** What spreading allows now, in bytes. */
  readonly allowed: number;
}

/** `price` is the estimate of a round of all metered proxies, and `reserve` that of one proxy, in bytes. */
export const readByteBudget = async (
  context: ReadContext<VantageOptions>,
  { price, reserve }: { readonly price: number; readonly reserve: number },
): Promise<ReadBudget> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  // A probe that began at the end of a slot ends a little later.
  const windowMs = WINDOW_MS + options.timeout + SECOND;
  const intervalMs = cronOf(options.schedule, account.schedule_time_zone).gap(now);
  const budget = { perDay: options.max_bytes_per_day, reserve, intervalMs, windowMs };
  const recorded = (await store.probes.spent(account.name, now - windowMs)).map(toSpent);
  const lost = lostSpending(await store.tests.missingPeriods(), (ms) => mostSpentIn(ms, budget), windowMs);
  const spent = [...recorded, ...lost];
  const remaining = Math.floor(remainingOf(budget, spent, now));
  const isSpread = !canAffordEachSlot(budget, price);
  const allowed = isSpread ? Math.min(remaining, evenlySpread(budget, spent, now)) : remaining;
  return { remaining, allowed };
};

const toSpent = ({ at, bytes }: SpentBytes): Spent => ({ at, amount: bytes });

const mostSpentIn = (spanMs: number, budget: DayBudget): number =>
  Math.min(budget.perDay, bucketCapacity(budget) + refillPerMs(budget) * spanMs);

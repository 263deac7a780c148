// Reads what the byte budget of the day still allows, from the store and the configuration.

import { cronOf } from '../../../lib/cron.ts';
import { SECOND } from '../../../lib/time.ts';
import type { SpentBytes } from '../../../store/probe-store.ts';
import type { ReadContext } from '../../context.ts';
import {
  canAffordEachSlot,
  evenlySpread,
  lostSpending,
  mostSpentIn,
  remainingOf,
  type Spent,
  WINDOW_MS,
} from '../../day-budget.ts';
import { longestProbeMs } from '../targets.ts';
import type { VantageOptions } from '../vantage.ts';
import type { BytePrice } from './byte-budget.ts';

export interface ReadBudget {
  /** What is left of the day's budget, in bytes. */
  readonly remaining: number;
  /** What spreading allows now, in bytes. */
  readonly allowed: number;
}

export interface RoundPrice {
  /** The estimate of a round of all metered proxies, in bytes; infinite to spread the budget always. */
  readonly round: number;
  readonly proxy: BytePrice;
}

export const readByteBudget = async (
  context: ReadContext<VantageOptions>,
  { round, proxy }: RoundPrice,
): Promise<ReadBudget> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  const windowMs = windowOf(options);
  const intervalMs = cronOf(options.schedule, account.schedule_time_zone).gap(now);
  const budget = { perDay: options.max_bytes_per_day, reserve: proxy.estimate, intervalMs, windowMs };
  const recorded = (await store.probes.spent(account.name, now - windowMs)).map(toSpent);
  const missing = await store.tests.missingPeriods(account.name);
  const lost = lostSpending(missing, (ms) => mostSpentIn(ms, budget), windowMs);
  const spent = [...recorded, ...lost];
  const remaining = Math.floor(remainingOf(budget, spent, now));
  // The upper bound of one proxy stays free. Otherwise none could be reserved at the end of the day.
  const usable = { ...budget, perDay: Math.max(0, budget.perDay - proxy.most) };
  const isSpread = !canAffordEachSlot(usable, round);
  const allowed = isSpread ? Math.min(remaining, evenlySpread(usable, spent, now)) : remaining;
  return { remaining, allowed };
};

/** The bytes of a proxy that began at the end of a slot flow a little later, at one url after another. */
const windowOf = (options: VantageOptions): number =>
  WINDOW_MS + (options.urls.length + (options.exit ? 1 : 0)) * longestProbeMs(options) + SECOND;

const toSpent = ({ at, bytes }: SpentBytes): Spent => ({ at, amount: bytes });

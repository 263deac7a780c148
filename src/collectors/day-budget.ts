// Spreads the budget of a day evenly over it, and over the proxies in turn.

import { hash } from 'node:crypto';
import { DAY, HOUR, MINUTE } from '../lib/time.ts';

/** The store counts what is spent in periods of this length. */
export const SPENT_SLOT_MS = 10 * MINUTE;
/** How long such a period counts (ms): until its last spending is a day old. */
export const WINDOW_MS = DAY + SPENT_SLOT_MS;

/** What was spent in the slot that starts at `at` (ms). */
export interface Spent {
  readonly at: number;
  readonly amount: number;
}

export interface DayBudget {
  /** The limit over any 24 hours. */
  readonly perDay: number;
  /** The amount that is reserved for one piece of work. The bucket can always hold it. */
  readonly reserve: number;
  /** The current time between two slots of the schedule. */
  readonly intervalMs: number;
  /** How long a slot counts (ms); WINDOW_MS if not given. Longer if the work of a slot can end after the slot. */
  readonly windowMs?: number;
}

/** What is left of the day's budget. `spent` must reach back as far as a slot counts. */
export const remainingOf = (
  { perDay, windowMs = WINDOW_MS }: Pick<DayBudget, 'perDay' | 'windowMs'>,
  spent: readonly Spent[],
  now: number,
): number =>
  Math.max(0, perDay - countedSlots(spent, now, windowMs).reduce((sum, slot) => sum + slot.amount, 0));

/** The slots that count at `now`. Those that a clock noted while it was days ahead do not belong to this day. */
export const countedSlots = <S extends { readonly at: number }>(
  spent: readonly S[],
  now: number,
  windowMs = WINDOW_MS,
): S[] => spent.filter((slot) => slot.at > now - windowMs && slot.at < now + windowMs);

/** What even spreading allows at `now`: the level of a token bucket that fills all day long. */
export const evenlySpread = (budget: DayBudget, spent: readonly Spent[], now: number): number => {
  const rate = refillPerMs(budget);
  const capacity = bucketCapacity(budget);
  let level = capacity;
  let at = now - (budget.windowMs ?? WINDOW_MS);
  for (const slot of spent.filter((slot) => slot.at > at && slot.at <= now).sort((a, b) => a.at - b.at)) {
    level = Math.min(capacity, level + rate * (slot.at - at)) - slot.amount;
    at = slot.at;
  }
  const epsilon = 1e-9; // keeps rounding from losing a whole unit
  return Math.min(capacity, level + rate * (now - at)) + epsilon;
};

/** The capacity of the token bucket: what may be saved up for one moment. */
const bucketCapacity = (budget: DayBudget): number => refillPerMs(budget) * burstMs(budget) + budget.reserve;

/** The refill rate. A full bucket plus a day's refill equal the budget, so the budget lasts for the whole day. */
export const refillPerMs = (budget: DayBudget): number =>
  budget.perDay / ((budget.windowMs ?? WINDOW_MS) + burstMs(budget));

/** The most that even spreading allows in a period. */
export const mostSpentIn = (spanMs: number, budget: DayBudget): number =>
  Math.min(budget.perDay, bucketCapacity(budget) + refillPerMs(budget) * spanMs);

/** The time whose refill may be saved up (ms): one slot of the schedule, and one that was missed. */
const burstMs = ({ intervalMs }: DayBudget): number => intervalMs + Math.min(intervalMs, HOUR);

/** Whether work of this price at each slot of the schedule stays within the budget, so that it need not be spread. */
export const canAffordEachSlot = (budget: DayBudget, price: number): boolean => {
  const slotsInWindow = Math.floor((budget.windowMs ?? WINDOW_MS) / budget.intervalMs) + 1;
  return price * slotsInWindow <= budget.perDay;
};

/**
 * Spreads the most that may have been spent in periods of which nothing is known evenly over each of them. An older
 * process made them with the store file that was replaced, most likely with the same configuration.
 */
export const lostSpending = (
  periods: readonly { readonly from: number; readonly to: number }[],
  mostSpentIn: (spanMs: number) => number,
  windowMs = WINDOW_MS,
): Spent[] =>
  periods.flatMap(({ from, to }) => {
    const start = Math.max(from, to - windowMs);
    const slots = Math.ceil((to - start) / SPENT_SLOT_MS);
    const amount = mostSpentIn(to - start) / slots;
    return Array.from({ length: slots }, (_, index) => ({ at: start + index * SPENT_SLOT_MS, amount }));
  });

interface Turn {
  readonly id: string;
  /** When the proxy was last tested (ms); null if it never was. */
  readonly lastTestedAt: number | null;
}

/**
 * Sorts the longest untested first. Proxies that were never tested come in an arbitrary order, which they keep from then
 * on. This separates neighbours in the configuration, so a batch is a fair sample of all proxies. The attribution of
 * faults relies on that. `orderOfTies` returns what those are sorted by that were tested at the same time.
 */
export const sortByLastTest = <P extends Turn>(
  proxies: readonly P[],
  orderOfTies: (turn: Turn) => string = ({ id }) => id,
): P[] =>
  proxies
    .map((proxy) => {
      const { id, lastTestedAt } = proxy;
      return lastTestedAt === null
        ? { proxy, since: Number.NEGATIVE_INFINITY, tieBreaker: hash('sha1', id) }
        : { proxy, since: lastTestedAt, tieBreaker: orderOfTies(proxy) };
    })
    .sort((a, b) => (a.since === b.since ? (a.tieBreaker < b.tieBreaker ? -1 : 1) : a.since - b.since))
    .map(({ proxy }) => proxy);

/** An order that is another one at each time, so that none is always the first of those that share a transaction. */
export const shuffledByTime = ({ id, lastTestedAt }: Turn): string => hash('sha1', `${lastTestedAt}${id}`);

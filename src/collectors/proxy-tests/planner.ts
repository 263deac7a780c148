// Plans which proxies to test now: in batches within the day's budget, the longest untested first, failed ones earlier.

import { MAX_PROXIES_PER_RUN } from '../../provider/resources/proxy-tests.ts';
import type { SpentRuns } from '../../store/test-store.ts';
import {
  canAffordEachSlot,
  type DayBudget,
  evenlySpread,
  refillPerMs,
  remainingOf,
  type Spent,
  sortByLastTest,
} from '../day-budget.ts';

/** Places in a batch for proxies that failed, while others wait: a fifth of it, so that the others never starve. */
const RETESTS_PER_BATCH = 4;

export interface Candidate {
  readonly id: string;
  /** Two proxies with the same key never share a batch, because their results could not be distinguished. */
  readonly endpointKey: string;
  /** When the proxy was last tested (ms); null if it never was. */
  readonly lastTestedAt: number | null;
  readonly failingRounds: number;
}

export interface TestBudget {
  /** The limit over any 24 hours. */
  readonly maxRunsPerDay: number;
  /** The expected price of a call: the most ids in `created` of an answer on the last days, at least 1. */
  readonly runsPerCall: number;
  /** The current time between two slots of the schedule. */
  readonly intervalMs: number;
}

/** Whether one call costs more than a day's budget. One as small as possible is still made, as it may cost less. */
export const isProbing = ({ maxRunsPerDay, runsPerCall }: TestBudget): boolean => runsPerCall > maxRunsPerDay;

/** The runs reserved for a call: its expected price, at most the whole budget of a day. */
export const reservedRuns = ({ maxRunsPerDay, runsPerCall }: TestBudget): number =>
  Math.min(runsPerCall, maxRunsPerDay);

/**
 * Returns the calls to make at `now`, each a batch of proxies. A budget that can keep the schedule tests every proxy at
 * each slot. A smaller one is spread evenly, and a proxy that failed is then tested again before its turn. The plan
 * depends only on stored rows, so a restart changes nothing.
 */
export const planBatches = <P extends Candidate>(
  proxies: readonly P[],
  budget: TestBudget,
  spent: readonly SpentRuns[],
  now: number,
): P[][] => {
  const affordable = Math.floor(allowedRuns(proxies, budget, spent, now) / reservedRuns(budget));
  const due = proxies.filter((proxy) => isDue(proxy, budget, now));
  if (isProbing(budget))
    return affordable > 0
      ? sortByLastTest(due)
          .slice(0, 1)
          .map((proxy) => [proxy])
      : [];
  const calls = Math.min(affordable, callsToTest(due, MAX_PROXIES_PER_RUN));
  return dealIntoBatches(chooseProxies(due, calls), calls, affordable);
};

/** The runs that may be spent at `now`; not a whole number if a small budget is spread. */
export const allowedRuns = (
  proxies: readonly Candidate[],
  budget: TestBudget,
  spent: readonly SpentRuns[],
  now: number,
): number => {
  const remaining = remainingRuns(budget, spent, now);
  return canKeepSchedule(proxies, budget)
    ? remaining
    : Math.min(remaining, evenlySpread(dayBudget(budget), amountsOf(spent), now));
};

/** The time in which every proxy is tested once (ms): the schedule's interval, or longer if the budget is too small for it. */
export const plannedCycleMs = (proxies: readonly Candidate[], budget: TestBudget): number => {
  if (canKeepSchedule(proxies, budget)) return budget.intervalMs;
  if (isProbing(budget)) return proxies.length * callSpacingMs(proxies, budget);
  // One more call accounts for the fraction of a call that a slot of the schedule leaves unused.
  const calls = callsToTest(proxies, MAX_PROXIES_PER_RUN - RETESTS_PER_BATCH) + 1;
  const perInterval = refillRunsPerMs(budget) * budget.intervalMs;
  return Math.ceil((calls * budget.runsPerCall) / perInterval) * budget.intervalMs;
};

/** The planned time between two calls (ms). */
export const callSpacingMs = (proxies: readonly Candidate[], budget: TestBudget): number =>
  canKeepSchedule(proxies, budget)
    ? budget.intervalMs
    : Math.max(budget.intervalMs, reservedRuns(budget) / refillRunsPerMs(budget));

/** The runs of the day's budget that calls may still use; 0 while one call costs more than the whole budget. */
export const usableRuns = (budget: TestBudget, spent: readonly SpentRuns[], now: number): number =>
  isProbing(budget) ? 0 : Math.floor(remainingRuns(budget, spent, now));

/** The runs left in the day's budget. `spent` must reach back 24 hours and 10 minutes. */
export const remainingRuns = (
  { maxRunsPerDay }: Pick<TestBudget, 'maxRunsPerDay'>,
  spent: readonly SpentRuns[],
  now: number,
): number => remainingOf({ perDay: maxRunsPerDay }, amountsOf(spent), now);

export const canKeepSchedule = (proxies: readonly Candidate[], budget: TestBudget): boolean =>
  !isProbing(budget) && canAffordEachSlot(dayBudget(budget), runsToTestAll(proxies, budget));

/** The price of testing all proxies once, in runs. */
export const runsToTestAll = (proxies: readonly Candidate[], budget: TestBudget): number =>
  callsToTest(proxies, MAX_PROXIES_PER_RUN) * budget.runsPerCall;

const callsToTest = (proxies: readonly Candidate[], perBatch: number): number => {
  const countByEndpoint = new Map<string, number>();
  for (const { endpointKey } of proxies)
    countByEndpoint.set(endpointKey, (countByEndpoint.get(endpointKey) ?? 0) + 1);
  const mostOfOneEndpoint = Math.max(0, ...countByEndpoint.values());
  return Math.max(Math.ceil(proxies.length / perBatch), mostOfOneEndpoint);
};

const refillRunsPerMs = (budget: TestBudget): number => refillPerMs(dayBudget(budget));

export const dayBudget = (budget: TestBudget): DayBudget => ({
  perDay: budget.maxRunsPerDay,
  reserve: reservedRuns(budget),
  intervalMs: budget.intervalMs,
});

const amountsOf = (spent: readonly SpentRuns[]): Spent[] =>
  spent.map(({ at, runs }) => ({ at, amount: runs }));

/** A proxy is due half an interval after its last test: a restart repeats no test, and an early slot is not lost. */
const isDue = ({ lastTestedAt }: Candidate, { intervalMs }: TestBudget, now: number): boolean =>
  lastTestedAt === null || lastTestedAt > now || lastTestedAt <= now - intervalMs / 2;

const chooseProxies = <P extends Candidate>(due: readonly P[], calls: number): P[] => {
  const reserved = calls * RETESTS_PER_BATCH;
  const inTurn = sortByLastTest(due);
  const waiting = inTurn.splice(calls * MAX_PROXIES_PER_RUN - reserved);
  const retests = waiting.filter((proxy) => proxy.failingRounds > 0).slice(0, reserved);
  const retested = new Set(retests);
  const next = waiting.filter((proxy) => !retested.has(proxy)).slice(0, reserved - retests.length);
  return [...inTurn, ...next, ...retests];
};

/** Distributes the proxies over the batches in turn, so each gets some retests. What has no place waits for the next slot. */
const dealIntoBatches = <P extends Candidate>(
  proxies: readonly P[],
  calls: number,
  affordable: number,
): P[][] => {
  const batches = Array.from({ length: calls }, () => new Map<string, P>());
  for (const [turn, proxy] of proxies.entries()) {
    let batch = firstBatchWithSpace(batches, turn, proxy.endpointKey);
    if (!batch && batches.length < affordable) {
      batch = new Map();
      batches.push(batch);
    }
    batch?.set(proxy.endpointKey, proxy);
  }
  return batches.map((batch) => [...batch.values()]);
};

const firstBatchWithSpace = <T>(
  batches: readonly Map<string, T>[],
  start: number,
  key: string,
): Map<string, T> | undefined => {
  for (let step = 0; step < batches.length; step++) {
    const batch = batches[(start + step) % batches.length];
    if (batch && batch.size < MAX_PROXIES_PER_RUN && !batch.has(key)) return batch;
  }
  return undefined;
};

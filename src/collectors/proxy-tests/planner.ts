// What to test now: batches within the day's budget, the longest untested first, failed proxies sooner.

import { hash } from 'node:crypto';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { MAX_PROXIES_PER_RUN } from '../../provider/resources/proxy-tests.ts';
import type { SpentRuns } from '../../store/test-store.ts';

/** Places of a batch for proxies that failed, while others wait: a fifth, so that these never starve. */
const RETESTS_PER_BATCH = 4;
/** The store counts spent runs by slots of this width. */
export const SLOT_MS = 10 * MINUTE;
/** How long a slot counts: until its last run is a day old. */
export const WINDOW_MS = DAY + SLOT_MS;

export interface Candidate {
  readonly id: string;
  /** Two proxies with the same key never share a batch: their results could not be told apart. */
  readonly endpointKey: string;
  /** Null when never tested (ms). */
  readonly lastTestedAt: number | null;
  readonly failingRounds: number;
}

export interface TestBudget {
  /** Over any 24 hours. */
  readonly maxRunsPerDay: number;
  /** What a call costs: the most ids in `created` of the last days, at least 1. */
  readonly runsPerCall: number;
  /** The schedule's present gap. */
  readonly intervalMs: number;
}

/**
 * Whether a single call costs more than a whole day may spend. Then one is made a day all the same, as small as it can be:
 * it may cost less, and what it costs is known afterwards alone.
 */
export const isProbing = ({ maxRunsPerDay, runsPerCall }: TestBudget): boolean => runsPerCall > maxRunsPerDay;

/** What is set aside for a call: all that a day has for one whose cost is not known. */
export const reservedRuns = ({ maxRunsPerDay, runsPerCall }: TestBudget): number =>
  Math.min(runsPerCall, maxRunsPerDay);

/**
 * The calls to make at `now`, each a batch of proxies. A budget that keeps the schedule tests every proxy each time;
 * a smaller one is spread evenly, and a proxy that failed is then tested again before its turn. Nothing but the store's
 * rows is remembered, so a restart changes nothing.
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
      ? sortByTurn(due)
          .slice(0, 1)
          .map((proxy) => [proxy])
      : [];
  const calls = Math.min(affordable, callsFor(due, MAX_PROXIES_PER_RUN));
  return deal(choose(due, calls), calls, affordable);
};

/** The runs that may be spent at `now`; no whole number where a small budget is spread. */
export const allowedRuns = (
  proxies: readonly Candidate[],
  budget: TestBudget,
  spent: readonly SpentRuns[],
  now: number,
): number => {
  const remaining = remainingRuns(budget, spent, now);
  return keepsSchedule(proxies, budget) ? remaining : Math.min(remaining, spreadRuns(budget, spent, now));
};

/** Time in which every proxy gets its turn (ms): the schedule's gap, or longer where the budget is too small for it. */
export const plannedCycleMs = (proxies: readonly Candidate[], budget: TestBudget): number => {
  if (keepsSchedule(proxies, budget)) return budget.intervalMs;
  if (isProbing(budget)) return proxies.length * callSpacingMs(proxies, budget);
  // One call more, for the part of a call that a slot of the schedule leaves over.
  const calls = callsFor(proxies, MAX_PROXIES_PER_RUN - RETESTS_PER_BATCH) + 1;
  const perInterval = runsPerMs(budget) * budget.intervalMs;
  return Math.ceil((calls * budget.runsPerCall) / perInterval) * budget.intervalMs;
};

/** Time between two calls while all goes as planned (ms). */
export const callSpacingMs = (proxies: readonly Candidate[], budget: TestBudget): number =>
  keepsSchedule(proxies, budget)
    ? budget.intervalMs
    : Math.max(budget.intervalMs, reservedRuns(budget) / runsPerMs(budget));

/** Runs that calls may still use of the day's budget: none while one costs more than all of it. */
export const usableRuns = (budget: TestBudget, spent: readonly SpentRuns[], now: number): number =>
  isProbing(budget) ? 0 : Math.floor(remainingRuns(budget, spent, now));

/** Runs of the day's budget that are left; `spent` must reach back 24 hours and 10 minutes. */
export const remainingRuns = (
  { maxRunsPerDay }: Pick<TestBudget, 'maxRunsPerDay'>,
  spent: readonly SpentRuns[],
  now: number,
): number => Math.max(0, maxRunsPerDay - countedSlots(spent, now).reduce((sum, slot) => sum + slot.runs, 0));

/** The slots that count at `now`; what a clock that was days ahead noted is not of this day. */
export const countedSlots = (spent: readonly SpentRuns[], now: number): SpentRuns[] =>
  spent.filter((slot) => slot.at > now - WINDOW_MS && slot.at < now + WINDOW_MS);

export const keepsSchedule = (proxies: readonly Candidate[], budget: TestBudget): boolean => {
  if (isProbing(budget)) return false;
  const slotsInWindow = Math.floor(WINDOW_MS / budget.intervalMs) + 1;
  return runsPerSlot(proxies, budget) * slotsInWindow <= budget.maxRunsPerDay;
};

/** What testing all proxies once costs. */
export const runsPerSlot = (proxies: readonly Candidate[], budget: TestBudget): number =>
  callsFor(proxies, MAX_PROXIES_PER_RUN) * budget.runsPerCall;

const callsFor = (proxies: readonly Candidate[], perBatch: number): number => {
  const alike = new Map<string, number>();
  for (const { endpointKey } of proxies) alike.set(endpointKey, (alike.get(endpointKey) ?? 0) + 1);
  const mostAlike = Math.max(0, ...alike.values());
  return Math.max(Math.ceil(proxies.length / perBatch), mostAlike);
};

/** Runs that even spreading allows: a bucket that fills all day long, replayed over what was spent. */
const spreadRuns = (budget: TestBudget, spent: readonly SpentRuns[], now: number): number => {
  const rate = runsPerMs(budget);
  const depth = depthOf(budget);
  let level = depth;
  let at = now - WINDOW_MS;
  for (const slot of spent.filter((slot) => slot.at > at && slot.at <= now).sort((a, b) => a.at - b.at)) {
    level = Math.min(depth, level + rate * (slot.at - at)) - slot.runs;
    at = slot.at;
  }
  const epsilon = 1e-9; // a whole run is not lost to rounding
  return Math.min(depth, level + rate * (now - at)) + epsilon;
};

/** The runs that may be saved up for one moment. */
export const depthOf = (budget: TestBudget): number =>
  runsPerMs(budget) * burstMs(budget) + reservedRuns(budget);

/** A full bucket and a day's filling are the budget, so that it does not run out before the day does. */
export const runsPerMs = (budget: TestBudget): number => budget.maxRunsPerDay / (WINDOW_MS + burstMs(budget));

/** What may be saved up: the runs of one slot of the schedule, and of one that was missed. */
const burstMs = ({ intervalMs }: TestBudget): number => intervalMs + Math.min(intervalMs, HOUR);

/** Half an interval keeps a restart from testing at once what was just tested, and spares slots that come early. */
const isDue = ({ lastTestedAt }: Candidate, { intervalMs }: TestBudget, now: number): boolean =>
  lastTestedAt === null || lastTestedAt > now || lastTestedAt <= now - intervalMs / 2;

const choose = <P extends Candidate>(due: readonly P[], calls: number): P[] => {
  const reserved = calls * RETESTS_PER_BATCH;
  const inTurn = sortByTurn(due);
  const waiting = inTurn.splice(calls * MAX_PROXIES_PER_RUN - reserved);
  const retests = waiting.filter((proxy) => proxy.failingRounds > 0).slice(0, reserved);
  const retested = new Set(retests);
  const next = waiting.filter((proxy) => !retested.has(proxy)).slice(0, reserved - retests.length);
  return [...inTurn, ...next, ...retests];
};

/**
 * Longest untested first. Those never tested come in an order that means nothing, and keep it from then on: with
 * neighbours of the configuration torn apart a batch is a fair sample of all, which the attribution of faults counts on.
 */
const sortByTurn = <P extends Candidate>(proxies: readonly P[]): P[] =>
  proxies
    .map((proxy) => {
      const { id, lastTestedAt } = proxy;
      return lastTestedAt === null
        ? { proxy, since: Number.NEGATIVE_INFINITY, lot: hash('sha1', id) }
        : { proxy, since: lastTestedAt, lot: id };
    })
    .sort((a, b) => (a.since === b.since ? (a.lot < b.lot ? -1 : 1) : a.since - b.since))
    .map(({ proxy }) => proxy);

/** Deals like cards, so that retests are spread over all batches; who finds no place waits for the next slot. */
const deal = <P extends Candidate>(proxies: readonly P[], calls: number, affordable: number): P[][] => {
  const batches = Array.from({ length: calls }, () => new Map<string, P>());
  for (const [turn, proxy] of proxies.entries()) {
    let batch = firstWithRoom(batches, turn, proxy.endpointKey);
    if (!batch && batches.length < affordable) {
      batch = new Map();
      batches.push(batch);
    }
    batch?.set(proxy.endpointKey, proxy);
  }
  return batches.map((batch) => [...batch.values()]);
};

const firstWithRoom = <T>(
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  isProbing,
  planBatches,
  plannedCycleMs,
  remainingRuns,
  reservedRuns,
  type TestBudget,
  usableRuns,
} from '../../../src/collectors/proxy-tests/planner.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { SpentRuns } from '../../../src/store/test-store.ts';
import { PlannerSimulation } from './planner-simulation.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SLOT = 10 * MINUTE;
const BUDGET: TestBudget = { maxRunsPerDay: 4_500, runsPerCall: 1, intervalMs: 10 * MINUTE };

const proxy = (index: number, more: Partial<Candidate> = {}): Candidate => ({
  id: `p${index}`,
  endpointKey: `key${index}`,
  lastTestedAt: null,
  failingRounds: 0,
  ...more,
});
const proxies = (count: number, more: (index: number) => Partial<Candidate> = () => ({})): Candidate[] =>
  Array.from({ length: count }, (_, index) => proxy(index, more(index)));
const idsOf = (batches: readonly Candidate[][]): string[] => batches.flat().map(({ id }) => id);

describe('planBatches', () => {
  it('tests every proxy if the budget can keep the schedule', () => {
    const batches = planBatches(proxies(60), BUDGET, [], NOW);
    expect(batches.map((batch) => batch.length)).toEqual([20, 20, 20]);
    expect(new Set(idsOf(batches)).size).toBe(60);
    expect(plannedCycleMs(proxies(60), BUDGET)).toBe(10 * MINUTE);
  });

  it('has nothing to do without proxies or runs', () => {
    expect(planBatches([], BUDGET, [], NOW)).toEqual([]);
    expect(planBatches(proxies(60), BUDGET, [{ at: NOW - HOUR, runs: 4_500 }], NOW)).toEqual([]);
  });

  it('separates neighbours in the configuration, so that a batch is a sample of all proxies', () => {
    const [batch = []] = planBatches(proxies(60), BUDGET, [], NOW);
    const firstThird = batch.filter(({ id }) => Number(id.slice(1)) < 20);
    expect(firstThird.length).toBeGreaterThan(2);
    expect(firstThird.length).toBeLessThan(15);
  });

  it('takes proxies that were never tested first, then the longest untested, if the budget is small', () => {
    const small = { ...BUDGET, maxRunsPerDay: 12 };
    const fleet = proxies(100, (index) => ({ lastTestedAt: index < 5 ? null : NOW - HOUR - index * MINUTE }));
    const [batch = [], ...others] = planBatches(fleet, small, [], NOW);
    const expected = [0, 1, 2, 3, 4, ...Array.from({ length: 15 }, (_, index) => 99 - index)];
    expect(batch.map(({ id }) => id).sort()).toEqual(expected.map((index) => `p${index}`).sort());
    expect(others).toEqual([]);
  });

  it('gives a fifth of each batch to proxies that failed, ahead of their turn', () => {
    const fleet = proxies(5_000, (index) => ({
      lastTestedAt: NOW - HOUR - index * 1_000,
      failingRounds: Number(index < 500),
    }));
    const batches = planBatches(fleet, BUDGET, [], NOW);
    expect(batches.length).toBeGreaterThan(30);
    for (const batch of batches) {
      expect(batch).toHaveLength(20);
      expect(batch.filter(({ failingRounds }) => failingRounds > 0)).toHaveLength(4);
    }
  });

  it('does not repeat a test at once, as after a crash', () => {
    const fleet = proxies(60, (index) => ({ lastTestedAt: index < 20 ? NOW - 2 * MINUTE : null }));
    expect(idsOf(planBatches(fleet, BUDGET, [], NOW))).toHaveLength(40);
  });

  it('tests a proxy whose last test is in the future, because the clock was set back', () => {
    expect(planBatches([proxy(0, { lastTestedAt: NOW + DAY })], BUDGET, [], NOW)).toHaveLength(1);
  });

  it('never puts two proxies of one endpoint into one batch', () => {
    const fleet = proxies(40, (index) => ({ endpointKey: `key${index % 2 === 0 ? 'shared' : index}` }));
    const batches = planBatches(fleet, BUDGET, [], NOW);
    expect(batches).toHaveLength(20);
    for (const batch of batches)
      expect(new Set(batch.map((each) => each.endpointKey)).size).toBe(batch.length);
    expect(new Set(idsOf(batches)).size).toBe(40);
  });

  it('accounts for calls that cost several runs', () => {
    const spent = [{ at: NOW - HOUR, runs: 4_490 }];
    expect(planBatches(proxies(100), { ...BUDGET, runsPerCall: 3 }, spent, NOW)).toHaveLength(3);
  });

  it('keeps its rules for any input', () => {
    const fleet = fc
      .array(
        fc.record({
          endpoint: fc.nat({ max: 50 }),
          ageMs: fc.option(fc.integer({ min: -HOUR, max: 2 * DAY })),
          failingRounds: fc.nat({ max: 3 }),
        }),
        { maxLength: 200 },
      )
      .map((all) =>
        all.map(({ endpoint, ageMs, failingRounds }, index) =>
          proxy(index, {
            endpointKey: `key${endpoint}`,
            lastTestedAt: ageMs === null ? null : NOW - ageMs,
            failingRounds,
          }),
        ),
      );
    const budget = fc.record({
      maxRunsPerDay: fc.integer({ min: 1, max: 5_000 }),
      runsPerCall: fc.integer({ min: 1, max: 3 }),
      intervalMs: fc.integer({ min: 1, max: 1_500 }).map((minutes) => minutes * MINUTE),
    });
    const spent = fc.array(
      fc.record({ at: fc.integer({ min: NOW - 2 * DAY, max: NOW + HOUR }), runs: fc.nat({ max: 500 }) }),
    );
    fc.assert(
      fc.property(fleet, budget, spent, (fleet, budget, spent) => {
        const batches = planBatches(fleet, budget, spent, NOW);
        const ids = idsOf(batches);
        const reserved = batches.length * reservedRuns(budget);
        expect(reserved).toBeLessThanOrEqual(remainingRuns(budget, spent, NOW));
        if (isProbing(budget)) expect(ids.length).toBeLessThanOrEqual(1);
        else expect(reserved).toBe(batches.length * budget.runsPerCall);
        expect(new Set(ids).size).toBe(ids.length);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(20);
          expect(new Set(batch.map((each) => each.endpointKey)).size).toBe(batch.length);
        }
        expect(planBatches(fleet.toReversed(), budget, spent.toReversed(), NOW)).toEqual(batches);
      }),
    );
  });
});

describe('a call that costs more than the day’s budget', () => {
  const budget: TestBudget = { maxRunsPerDay: 50, runsPerCall: 60, intervalMs: 10 * MINUTE };

  it('is made once a day, with one proxy, and the cycle is as many days as there are proxies', () => {
    const simulation = new PlannerSimulation(proxies(3), budget, NOW);
    simulation.run(6 * DAY, () => false);
    const gaps = ['p0', 'p1', 'p2'].flatMap((id) => simulation.gapsMs(id));
    expect(simulation.calls.map(({ at }) => Math.round((at - NOW) / (DAY + SLOT)))).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(plannedCycleMs(proxies(3), budget));
    expect(plannedCycleMs(proxies(3), budget)).toBeLessThan(3 * (DAY + 3 * HOUR));
  });

  it('waits until no runs of the day are spent, and leaves none for other calls', () => {
    const spent = [{ at: NOW - HOUR, runs: 1 }];
    expect(planBatches(proxies(5), budget, spent, NOW)).toEqual([]);
    expect(usableRuns(budget, spent, NOW)).toBe(0);
    expect(usableRuns(budget, [], NOW)).toBe(0);
    expect(planBatches(proxies(5), budget, [], NOW).map((batch) => batch.length)).toEqual([1]);
  });
});

describe('remainingRuns', () => {
  it('frees the runs of a period when all of it is older than 24 hours', () => {
    const spent: SpentRuns[] = [{ at: NOW - DAY, runs: 100 }];
    expect(remainingRuns(BUDGET, spent, NOW + 10 * MINUTE - 1)).toBe(4_400);
    expect(remainingRuns(BUDGET, spent, NOW + 10 * MINUTE)).toBe(4_500);
  });

  it('is never negative', () => {
    expect(remainingRuns(BUDGET, [{ at: NOW, runs: 9_999 }], NOW)).toBe(0);
  });
});

describe('over days', () => {
  const runDays = (
    fleet: Candidate[],
    budget: TestBudget,
    days: number,
    isDown: (at: number) => boolean = () => false,
  ) => {
    const simulation = new PlannerSimulation(fleet, budget, NOW);
    simulation.run(days * DAY, isDown);
    return simulation;
  };

  it('spreads 4,500 runs a day over 5,000 proxies, also with restarts', () => {
    const isDown = (at: number): boolean => (at - NOW) % DAY > 20 * HOUR && (at - NOW) % DAY <= 21 * HOUR;
    const failing = (index: number) => ({ failingRounds: Number(index % 25 === 0) });
    const fleet = proxies(5_000, failing);
    const { gapsMs, mostRunsInADay } = runDays(fleet, BUDGET, 3, isDown);
    const cycleMs = plannedCycleMs(fleet, BUDGET);
    const healthy = fleet.filter(({ failingRounds }) => failingRounds === 0).map(({ id }) => gapsMs(id));
    const failed = fleet.filter(({ failingRounds }) => failingRounds > 0).map(({ id }) => gapsMs(id));
    const mean = (gaps: readonly number[][]): number =>
      gaps.flat().reduce((sum, gap) => sum + gap, 0) / gaps.flat().length;

    expect(cycleMs).toBe(110 * MINUTE);
    expect(mostRunsInADay()).toBeLessThanOrEqual(4_500);
    expect(mostRunsInADay()).toBeGreaterThan(4_000);
    expect(Math.max(...healthy.map((gaps) => Math.max(...gaps)))).toBeLessThanOrEqual(cycleMs + HOUR);
    expect(mean(failed)).toBeLessThan(mean(healthy) / 3);
  });

  it.each([
    ['a schedule that the budget keeps', 500, BUDGET],
    ['a budget a little too small for the schedule', 640, BUDGET],
    ['a few runs a day', 50, { ...BUDGET, maxRunsPerDay: 12 }],
    ['one run a day', 20, { ...BUDGET, maxRunsPerDay: 1 }],
    ['runs each minute', 100, { ...BUDGET, intervalMs: MINUTE, maxRunsPerDay: 1_000 }],
    ['runs each day', 3_000, { ...BUDGET, intervalMs: DAY, maxRunsPerDay: 100 }],
    ['calls that cost two runs', 200, { ...BUDGET, maxRunsPerDay: 500, runsPerCall: 2 }],
  ])('tests every proxy within the planned cycle and the budget: %s', (_, count, budget) => {
    const fleet = proxies(count, (index) => ({ failingRounds: Number(index % 3 === 0) }));
    const cycleMs = plannedCycleMs(fleet, budget);
    const { gapsMs, mostRunsInADay } = runDays(fleet, budget, Math.max(3, (2 * cycleMs) / DAY));
    expect(mostRunsInADay()).toBeLessThanOrEqual(budget.maxRunsPerDay);
    for (const { id } of fleet) {
      expect(Math.max(...gapsMs(id))).toBeLessThanOrEqual(cycleMs);
    }
  });
});

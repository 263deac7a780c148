// Tests when a budget of test runs counts as exhausted.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Candidate, TestBudget } from '../../../src/collectors/proxy-tests/planner.ts';
import { isExhausted } from '../../../src/collectors/proxy-tests/staleness.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { PlannerSimulation } from './planner-simulation.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const fleetOf = (count: number): Candidate[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `p${index}`,
    endpointKey: `key${index}`,
    lastTestedAt: null,
    failingRounds: 0,
  }));

it('is false for a budget that is spread as planned', () => {
  const budgets = fc.record({
    maxRunsPerDay: fc.integer({ min: 1, max: 300 }),
    runsPerCall: fc.integer({ min: 1, max: 10 }),
    intervalMs: fc.constantFrom(10 * MINUTE, HOUR, 6 * HOUR),
  });
  fc.assert(
    fc.property(budgets, fc.integer({ min: 1, max: 300 }), (budget, count) => {
      fc.pre(budget.runsPerCall <= budget.maxRunsPerDay);
      const fleet = fleetOf(count);
      const simulation = new PlannerSimulation(fleet, budget, NOW, (spent, at) => {
        expect(isExhausted(fleet, budget, spent, at)).toBe(false);
      });
      simulation.run(3 * DAY, () => false);
    }),
    { numRuns: 40 },
  );
});

it('is true from when nothing is left for hours until a call is allowed again', () => {
  const budget: TestBudget = { maxRunsPerDay: 100, runsPerCall: 3, intervalMs: 10 * MINUTE };
  const isExhaustedAfter = (spent: { at: number; runs: number }[], at = NOW): boolean =>
    isExhausted(fleetOf(60), budget, spent, at);
  const spent = [
    { at: NOW - 3 * HOUR, runs: 50 },
    { at: NOW - 2 * HOUR, runs: 48 },
  ];
  expect(isExhaustedAfter(spent)).toBe(true);
  expect(isExhaustedAfter(spent, NOW + 21 * HOUR)).toBe(true);
  expect(isExhaustedAfter(spent, NOW + 22 * HOUR)).toBe(false);
  expect(isExhaustedAfter([{ at: NOW - 2 * HOUR, runs: 97 }])).toBe(false);
  expect(isExhausted([], budget, spent, NOW)).toBe(false);
});

it('is true for a budget that is smaller than the price of a call', () => {
  expect(isExhausted(fleetOf(5), { maxRunsPerDay: 5, runsPerCall: 8, intervalMs: HOUR }, [], NOW)).toBe(true);
});

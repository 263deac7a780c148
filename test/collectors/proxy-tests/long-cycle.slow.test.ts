import { describe, expect, it } from 'vitest';
import type { AttributedFault, Attribution } from '../../../src/collectors/faults/attribution.ts';
import type { FaultCell } from '../../../src/collectors/faults/proxy-round.ts';
import { planBatches, plannedCycleMs } from '../../../src/collectors/proxy-tests/planner.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { ERROR_SOURCE_CODES } from '../../../src/store/test-store.ts';
import { attributeFaults } from '../attribute-at-once.ts';

const BUDGET = { maxRunsPerDay: 150, runsPerCall: 1, intervalMs: 10 * MINUTE };
const FLEET = 400;
const DEAD = 5;
const isDead = (proxy: number): boolean => proxy < DEAD;

type Fails = (proxy: number, tester: string, hour: number) => boolean;

/** Plans, tests and attributes faults slot by slot; returns the faults after each slot. */
const simulate = (hours: number, fails: Fails): { hour: number; faults: readonly AttributedFault[] }[] => {
  const cells = new Map<string, FaultCell>();
  const spent: { at: number; runs: number }[] = [];
  let fleet = Array.from({ length: FLEET }, (_, index) => ({
    id: `p${index}`,
    index,
    endpointKey: `${index}`,
    lastTestedAt: null as number | null,
    failingRounds: 0,
  }));
  let attribution: Attribution = { faults: [], inconclusive: [] };
  const test = (index: number, tester: string, at: number): boolean => {
    const failed = fails(index, tester, at / HOUR);
    const key = `${index} ${tester}`;
    const { history, rounds, sources } = cells.get(key) ?? { history: 0, rounds: 0, sources: 0 };
    const outcomes = {
      history: ((history << 1) | Number(failed)) & 255,
      rounds: Math.min(rounds + 1, 8),
      sources: ((sources << 2) | (failed ? ERROR_SOURCE_CODES.proxy : 0)) & 0xff_ff,
    };
    const names = { proxy: `p${index}`, url: 'a', tester, productType: 'isp' };
    cells.set(key, { ...names, ...outcomes, at, errorSource: failed ? 'proxy' : null, errorCode: null });
    return failed;
  };

  return Array.from({ length: hours * 6 }, (_, slot) => {
    const now = slot * BUDGET.intervalMs;
    const batches = planBatches(fleet, BUDGET, spent, now);
    spent.push({ at: now, runs: batches.length });
    const tested = new Set(batches.flat());
    fleet = fleet.map((proxy) => {
      if (!tested.has(proxy)) return proxy;
      const failed = ['t1', 't2', 't3'].filter((tester) => test(proxy.index, tester, now)).length > 0;
      return { ...proxy, lastTestedAt: now, failingRounds: failed ? proxy.failingRounds + 1 : 0 };
    });
    attribution = attributeFaults(cells.values(), attribution, { faultAfter: 2, since: now });
    return { hour: now / HOUR, faults: attribution.faults };
  });
};

const namesOf = (faults: readonly AttributedFault[], kind: AttributedFault['kind']): string[] =>
  faults.filter((fault) => fault.kind === kind).map(({ subject }) => subject);
const deadProxies = Array.from({ length: DEAD }, (_, index) => `p${index}`);

describe('a fleet that takes hours to test', () => {
  it('has a planned cycle of hours', () => {
    const fleet = Array.from({ length: FLEET }, (_, index) => ({
      id: `p${index}`,
      endpointKey: `${index}`,
      lastTestedAt: null,
      failingRounds: 0,
    }));
    expect(plannedCycleMs(fleet, BUDGET)).toBeGreaterThan(4 * HOUR);
  });

  it('finds a tester at fault while it is dead, dead proxies, and nothing else', () => {
    const results = simulate(
      48,
      (proxy, tester, hour) => isDead(proxy) || (tester === 't1' && hour >= 12 && hour < 30),
    );
    for (const { hour, faults } of results) {
      expect(deadProxies).toEqual(expect.arrayContaining(namesOf(faults, 'proxy')));
      expect(namesOf(faults, 'target')).toEqual([]);
      expect(namesOf(faults, 'provider')).toEqual([]);
      if (hour < 12 || hour >= 31) expect(namesOf(faults, 'tester')).toEqual([]);
      if (hour >= 13 && hour < 30) expect(namesOf(faults, 'tester')).toEqual(['t1']);
      if (hour >= 12) expect(namesOf(faults, 'proxy')).toEqual(deadProxies);
    }
  });

  it('finds an outage within the hour, and no proxy at fault during or after it', () => {
    const results = simulate(36, (_, __, hour) => hour >= 12 && hour < 24);
    for (const { hour, faults } of results) {
      expect(faults.filter(({ kind }) => kind !== 'provider')).toEqual([]);
      if (hour < 12 || hour >= 25) expect(faults).toEqual([]);
      if (hour >= 13 && hour < 24) expect(namesOf(faults, 'provider')).toEqual(['']);
    }
  });
});

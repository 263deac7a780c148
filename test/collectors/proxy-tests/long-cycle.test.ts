import { describe, expect, it } from 'vitest';
import {
  attributeFaults,
  type Blame,
  type Judgement,
} from '../../../src/collectors/proxy-tests/faults/faults.ts';
import type { FaultCell } from '../../../src/collectors/proxy-tests/faults/proxy-round.ts';
import { planBatches, plannedCycleMs } from '../../../src/collectors/proxy-tests/planner.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { NAMED_SOURCES } from '../../../src/store/test-store.ts';

const BUDGET = { maxRunsPerDay: 150, runsPerCall: 1, intervalMs: 10 * MINUTE };
const FLEET = 400;
const DEAD = 5;
const isDead = (proxy: number): boolean => proxy < DEAD;

type Fails = (proxy: number, tester: string, hour: number) => boolean;

/** Plans, tests and judges slot by slot; returns the faults after each, by hour. */
const live = (hours: number, fails: Fails): { hour: number; faults: readonly Blame[] }[] => {
  const cells = new Map<string, FaultCell>();
  const spent: { at: number; runs: number }[] = [];
  let fleet = Array.from({ length: FLEET }, (_, index) => ({
    id: `p${index}`,
    index,
    endpointKey: `${index}`,
    lastTestedAt: null as number | null,
    failingRounds: 0,
  }));
  let judgement: Judgement = { faults: [], inconclusive: [] };
  const test = (index: number, tester: string, at: number): boolean => {
    const failed = fails(index, tester, at / HOUR);
    const key = `${index} ${tester}`;
    const { history, rounds, sources } = cells.get(key) ?? { history: 0, rounds: 0, sources: 0 };
    const outcomes = {
      history: ((history << 1) | Number(failed)) & 255,
      rounds: Math.min(rounds + 1, 8),
      sources: ((sources << 2) | (failed ? NAMED_SOURCES.proxy : 0)) & 0xff_ff,
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
    judgement = attributeFaults(cells.values(), judgement, { faultAfter: 2, since: now });
    return { hour: now / HOUR, faults: judgement.faults };
  });
};

const namesOf = (faults: readonly Blame[], kind: Blame['kind']): string[] =>
  faults.filter((fault) => fault.kind === kind).map(({ subject }) => subject);
const deadOnes = Array.from({ length: DEAD }, (_, index) => `p${index}`);

describe('a fleet that takes hours to test', () => {
  it('takes hours', () => {
    const fleet = Array.from({ length: FLEET }, (_, index) => ({
      id: `p${index}`,
      endpointKey: `${index}`,
      lastTestedAt: null,
      failingRounds: 0,
    }));
    expect(plannedCycleMs(fleet, BUDGET)).toBeGreaterThan(4 * HOUR);
  });

  it('blames a tester while it is dead, dead proxies, and nobody else', () => {
    const lived = live(
      48,
      (proxy, tester, hour) => isDead(proxy) || (tester === 't1' && hour >= 12 && hour < 30),
    );
    for (const { hour, faults } of lived) {
      expect(deadOnes).toEqual(expect.arrayContaining(namesOf(faults, 'proxy')));
      expect(namesOf(faults, 'target')).toEqual([]);
      expect(namesOf(faults, 'provider')).toEqual([]);
      if (hour < 12 || hour >= 31) expect(namesOf(faults, 'tester')).toEqual([]);
      if (hour >= 13 && hour < 30) expect(namesOf(faults, 'tester')).toEqual(['t1']);
      if (hour >= 12) expect(namesOf(faults, 'proxy')).toEqual(deadOnes);
    }
  });

  it('says an outage within the hour, and blames no proxy for it, nor after it', () => {
    const lived = live(36, (_, __, hour) => hour >= 12 && hour < 24);
    for (const { hour, faults } of lived) {
      expect(faults.filter(({ kind }) => kind !== 'provider')).toEqual([]);
      if (hour < 12 || hour >= 25) expect(faults).toEqual([]);
      if (hour >= 13 && hour < 24) expect(namesOf(faults, 'provider')).toEqual(['']);
    }
  });
});

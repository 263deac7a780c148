// Tests 5,000 proxies for two days over HTTP with a run budget that is too small for the schedule.

import { expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../src/lib/time.ts';
import { proxyAddress, userId, userPassword } from '../../src/simulator/identities.ts';
import { Harness } from '../support/harness.ts';

const PROXIES = 5_000;
const BUDGET = 4_500;
const SLOT = 10 * MINUTE;
const SLOTS = (2 * DAY) / SLOT;
/** A number of slots that divides neither an hour nor a day, so that no restart is at a boundary. */
const RESTART_EVERY = 41;
const FAILING = 50;

const PASSWORD = userPassword(1, 0);

const addressOf = (index: number): string => {
  const { host, httpPort } = proxyAddress(index);
  return `${host}:${httpPort}`;
};

const nameOf = (index: number): string => `proxy-${index}`;

const build = (): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T00:00:05Z',
    scenario: {
      proxies: PROXIES,
      seed: 1,
      outages: Array.from({ length: FAILING }, (_, index) => ({
        kind: 'proxy' as const,
        subject: addressOf(index * 97),
      })),
    },
    account: {
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      proxy_tests: {
        schedule: '*/10 * * * *',
        max_runs_per_day: BUDGET,
        urls: ['https://example.com/'],
        tester_servers: ['london-2-digitalocean-proxytester-1'],
        series: 'proxy',
        parallel: 10,
        proxies: Array.from({ length: PROXIES }, (_, index) => ({
          name: nameOf(index),
          proxy: `${addressOf(index)}:${userId(0)}:${PASSWORD}`,
        })),
      },
    },
  });

interface Slot {
  readonly runs: number;
  /** Proxies tested in the slot. */
  readonly tested: readonly string[];
}

/** Advances through the days slot by slot, with restarts. */
const runSlots = async (harness: Harness): Promise<Slot[]> => {
  const slots: Slot[] = [];
  let runsBefore = 0;
  for (let slot = 1; slot <= SLOTS; slot += 1) {
    if (slot % RESTART_EVERY === 0) {
      await harness.stop();
      await harness.start();
    }
    await harness.advance(SLOT);
    const runs = harness.simulator.requests.count('proxy_test_run/create');
    const now = harness.clock.now();
    const proxies = await harness.app.store.tests.proxies('main');
    const tested = proxies.filter(({ lastTestedAt }) => lastTestedAt === now).map(({ proxy }) => proxy);
    slots.push({ runs: runs - runsBefore, tested });
    runsBefore = runs;
  }
  return slots;
};

it('keeps the budget in any 24 hours and the cycle that it shows, and tests failed proxies sooner', {
  timeout: 1_500_000,
}, async () => {
  await using harness = await build();
  const cycleSlots = await cycleIn(harness);
  const slots = await runSlots(harness);

  const slotsInDay = DAY / SLOT;
  const days = slots.map((_, end) => slots.slice(Math.max(0, end + 1 - slotsInDay), end + 1));
  const mostRunsInDay = Math.max(...days.map((day) => day.reduce((sum, { runs }) => sum + runs, 0)));
  expect(mostRunsInDay).toBeLessThanOrEqual(BUDGET);
  expect(mostRunsInDay).toBeGreaterThan(0.9 * BUDGET);

  expect(await cycleIn(harness)).toBe(cycleSlots);
  const waits = longestWaits(slots);
  expect(waits.size).toBe(PROXIES);
  expect(Math.max(...waits.values())).toBeLessThanOrEqual(cycleSlots);

  const failing = new Set(Array.from({ length: FAILING }, (_, index) => nameOf(index * 97)));
  const [failingMean, workingMean] = [
    meanTests(slots, (name) => failing.has(name)),
    meanTests(slots, (name) => !failing.has(name)),
  ];
  expect(failingMean).toBeGreaterThan(1.5 * workingMean);
  console.log({
    mostRunsInDay,
    cycleSlots,
    longestWait: Math.max(...waits.values()),
    failingMean,
    workingMean,
  });
});

/** Returns the planned cycle in /metrics, in slots of the schedule. */
const cycleIn = async (harness: Harness): Promise<number> => {
  const metrics = await harness.metrics();
  const seconds = metrics.get('proxywatch_proxy_test_cycle_seconds{account="main"}') ?? Number.NaN;
  return (seconds * SECOND) / SLOT;
};

/** Returns for each proxy the most slots without a test, including those before the first and after the last one. */
const longestWaits = (slots: readonly Slot[]): Map<string, number> => {
  const last = new Map<string, number>();
  const waits = new Map<string, number>();
  const wait = (name: string, until: number): void => {
    waits.set(name, Math.max(waits.get(name) ?? 0, until - (last.get(name) ?? -1)));
  };
  for (const [index, { tested }] of slots.entries()) {
    for (const name of tested) {
      wait(name, index);
      last.set(name, index);
    }
  }
  for (const name of last.keys()) wait(name, slots.length - 1);
  return waits;
};

const meanTests = (slots: readonly Slot[], isCounted: (name: string) => boolean): number => {
  const counts = new Map<string, number>();
  for (const { tested } of slots) {
    for (const name of tested.filter(isCounted)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts.values()].reduce((sum, count) => sum + count, 0) / counts.size;
};

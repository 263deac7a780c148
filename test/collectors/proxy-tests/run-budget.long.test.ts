// Tests the day's budget over HTTP: it is never exceeded, whatever a call costs, and calls that did not run do not count.

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { Harness } from '../../support/harness.ts';
import { rows, START, StubFleet } from './sources-support.ts';
import { buildTests, callsOf, entries } from './tests-harness.ts';

const SLOT = 10 * MINUTE;
const REMAINING = 'proxywatch_proxy_test_budget_remaining';

const remaining = async (harness: Harness): Promise<number | undefined> =>
  (await harness.samples()).value(REMAINING);

interface MadeCall {
  readonly at: number;
  readonly runs: number;
}

const mostRunsInADay = (made: readonly MadeCall[]): number =>
  Math.max(
    ...made.map(({ at }) =>
      made.filter((other) => other.at > at - DAY && other.at <= at).reduce((sum, { runs }) => sum + runs, 0),
    ),
  );

/** Proxies with the same endpoint, each of which needs its own call. */
const sameEndpoint = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `p${index}`, proxy: '192.0.2.1:8000:alice:hunter2' }));

/** How a call ends: answered, refused before it runs, or with an error after which it may have run. */
const outcome = fc.constantFrom(200, 200, 200, 200, 429, 403, 401, 500, 422);
const REFUSED = [401, 403, 429];

describe('the budget', () => {
  it('holds in any 24 hours, whatever a call costs and however it ends', async () => {
    const situation = fc.record({
      runsPerCall: fc.integer({ min: 1, max: 40 }),
      max_runs_per_day: fc.integer({ min: 40, max: 120 }),
      calls: fc.integer({ min: 3, max: 12 }),
      parallel: fc.integer({ min: 1, max: 4 }),
      schedule: fc.constantFrom('0 * * * *', '0 */7 * * *'),
      outcomes: fc.array(outcome, { maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(situation, async ({ runsPerCall, calls, outcomes, ...proxy_tests }) => {
        await using fleet = await StubFleet.start();
        fleet.runsPerCall = runsPerCall;
        const made: MadeCall[] = [];
        let harness: Harness | undefined;
        // The first call is answered, because before that the price of a lost call is unknown.
        const upcoming = [200, ...outcomes];
        fleet.override = ({ method }) => {
          if (method !== 'POST') return undefined;
          const status = upcoming.shift() ?? 200;
          const at = harness?.clock.now() ?? Date.parse(START);
          if (!REFUSED.includes(status)) made.push({ at, runs: runsPerCall });
          return status === 200 ? undefined : { status };
        };
        harness = await fleet.buildHarness(sameEndpoint(calls), { account: { proxy_tests } });
        await using _harness = harness;
        for (let hour = 0; hour < 54; hour += 1) await harness.advance(HOUR);
        expect(mostRunsInADay(made)).toBeLessThanOrEqual(proxy_tests.max_runs_per_day);
        expect(made.length).toBeGreaterThan(0);
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  it('is checked before each call against the price that earlier calls have shown', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 200);
    fleet.runsPerCall = 30;
    // Ten calls a round are planned while the expected price of each is one run.
    const proxy_tests = { schedule: '0 * * * *', max_runs_per_day: 250 };
    await using harness = await fleet.buildHarness([{ search: {} }], { account: { proxy_tests } });
    expect(await remaining(harness)).toBe(250 - 8 * 30);
  });

  it('gets back the runs that a call was expected to cost but did not', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 20);
    fleet.runsPerCall = 5;
    await using harness = await fleet.buildHarness([{ search: {} }]);
    expect(await remaining(harness)).toBe(4_500 - 5);
    fleet.runsPerCall = 2;
    await harness.advance(SLOT);
    expect(await remaining(harness)).toBe(4_500 - 7);
  });

  it.each([
    [429, 0],
    [401, 0],
    [403, 0],
    [500, 1],
    [422, 1],
  ])('of a call that is answered %i loses %i', async (status, runs) => {
    await using harness = await buildTests();
    const before = (await remaining(harness)) ?? 0;
    harness.simulator.faults.add({ kind: 'status', status, endpoint: 'proxy_test_run' });
    await harness.advance(SLOT);
    expect(await remaining(harness)).toBe(before - runs);
  });

  it('of a call that was refused once and then answered loses one run', async () => {
    await using harness = await buildTests();
    const before = (await remaining(harness)) ?? 0;
    harness.simulator.faults.add({ kind: 'rate_limit', endpoint: 'proxy_test_run', count: 1 });
    await harness.advance(SLOT);
    expect(callsOf(harness).map(({ status }) => status)).toEqual([200, 429, 200]);
    expect(await remaining(harness)).toBe(before - 1);
  });

  it('is not spent by a call that waits for its turn when the daemon stops', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(60) } });
    const before = (await remaining(harness)) ?? 0;
    const made = callsOf(harness).length;
    harness.simulator.faults.add({
      kind: 'rate_limit',
      seconds: 1_200,
      endpoint: 'proxy_test_run',
      count: 1,
    });
    harness.clock.advance(SLOT);
    harness.app.runner.tick();
    // The first sleeper is the run's deadline, the second one the call that has to wait.
    while (harness.clock.sleepers < 2) await setImmediate();
    await harness.stop();
    harness.clock.advance(20 * MINUTE);
    await harness.start();
    const calls = callsOf(harness).slice(made);
    expect(calls.map(({ status }) => status)).toEqual([429, 200, 200, 200]);
    expect(await remaining(harness)).toBe(before - 3);
  });

  it('that is smaller than one call allows one probe a day, and tests continue when calls cost less again', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 40);
    fleet.runsPerCall = 60;
    const urls = ['https://example.com/', 'https://example.com/b'];
    const proxy_tests = { urls, max_runs_per_day: 50 };
    await using harness = await fleet.buildHarness([{ search: {} }], { account: { proxy_tests } });
    const asked: { proxies: number; urls: number }[] = [];
    fleet.override = ({ method, body }) => {
      if (method !== 'POST') return undefined;
      const call = JSON.parse(body) as { proxies: unknown[]; urls: unknown[] };
      asked.push({ proxies: call.proxies.length, urls: call.urls.length });
      return undefined;
    };
    const budgetGauges = async () => {
      const samples = await harness.samples();
      return ['budget_remaining', 'budget_exhausted', 'runs_per_call'].map((name) =>
        samples.value(`proxywatch_proxy_test_${name}`),
      );
    };
    fleet.runsPerCall = 2;
    for (let hour = 0; hour < 24; hour += 1) await harness.advance(HOUR);
    expect(asked).toEqual([]);
    expect(await budgetGauges()).toEqual([0, 1, 60]);
    expect((await harness.samples()).value('proxywatch_proxy_test_cycle_seconds')).toBeGreaterThan(
      39 * 86_400,
    );
    for (let hour = 0; hour < 48; hour += 1) await harness.advance(HOUR);
    expect(asked).toEqual([
      { proxies: 1, urls: 1 },
      { proxies: 1, urls: 1 },
    ]);
    for (let hour = 0; hour < 48; hour += 1) await harness.advance(HOUR);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.at(-1)).toEqual({ proxies: 20, urls: 2 });
    expect((await budgetGauges())[2]).toBe(2);
  });

  it('uses a new price when targets change', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 20);
    fleet.runsPerCall = 60;
    const proxy_tests = { max_runs_per_day: 100 };
    await using harness = await fleet.buildHarness([{ search: {} }], { account: { proxy_tests } });
    const price = async () => (await harness.samples()).value('proxywatch_proxy_test_runs_per_call');
    expect(await price()).toBe(60);
    fleet.runsPerCall = 3;
    await harness.restart({
      proxy_tests: { ...proxy_tests, urls: ['https://example.org/'], proxies: [{ search: {} }] },
    });
    for (let hour = 0; hour < 24; hour += 1) await harness.advance(HOUR);
    expect(await price()).toBe(3);
  });
});

// Tests when the alerts about proxies, testers, targets and the tests themselves have findings.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { rows, StubFleet } from '../collectors/proxy-tests/sources-support.ts';
import { buildTests, entries, hostOf, LONDON, URLS } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';
import { alertsFound, findingValues } from './findings.ts';

const SLOT = 10 * MINUTE;
const WAITING_SINCE = 'proxywatch_proxy_test_waiting_since_timestamp_seconds';
const NAMES = [
  'ProxyFailing',
  'ProxiesFailing',
  'ProxyTargetBlocked',
  'ProxyTesterFailing',
  'ProviderOutage',
  'ProxyTestsInconclusive',
  'ProxyTestsStale',
  'TestBudgetExhausted',
];

const roundsOf = async (harness: Harness, count: number): Promise<void> => {
  for (let round = 0; round < count; round += 1) await harness.advance(SLOT);
};
const down = (harness: Harness, ...indexes: number[]): void =>
  harness.simulator.outages.replace(indexes.map((index) => ({ kind: 'proxy', subject: hostOf(index) })));

describe('a proxy that fails', () => {
  it('is reported after two rounds, also after a restart and without tests, until it works again', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(12) } });
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    down(harness, 3);
    await roundsOf(harness, 1);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    await roundsOf(harness, 1);
    expect(await findingValues(harness, 'ProxyFailing')).toEqual({ p3: 1 });
    await harness.restart();
    harness.simulator.faults.add({ kind: 'status', status: 500 });
    await roundsOf(harness, 30);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProxyFailing']);
    harness.simulator.faults.clear();
    harness.simulator.outages.clear();
    await roundsOf(harness, 3);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });

  it('is dropped immediately if it is no longer configured or tests are off', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(5) } });
    down(harness, 3);
    await roundsOf(harness, 2);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProxyFailing']);
    await harness.restart({ proxy_tests: { urls: ['https://www.example.com/'], proxies: entries(3) } });
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    await harness.restart({ proxy_tests: false });
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });
});

describe('several proxies that fail', () => {
  it.each([
    { count: 3, failing: [1], ratio: undefined },
    { count: 3, failing: [1, 2], ratio: 2 / 3 },
    { count: 20, failing: [1, 2], ratio: undefined },
    { count: 20, failing: [1, 2, 3], ratio: 3 / 20 },
  ])(
    'fire ProxiesFailing above a tenth of the fleet, but not for a single one: $failing of $count',
    async (situation) => {
      await using harness = await buildTests({ tests: { proxies: entries(situation.count) } });
      down(harness, ...situation.failing);
      await roundsOf(harness, 2);
      const { ratio } = situation;
      expect(await findingValues(harness, 'ProxiesFailing')).toEqual(ratio ? { isp: ratio } : {});
      const samples = await harness.samples();
      expect(samples.by('product_type', 'proxywatch_proxies_at_fault')).toEqual({
        isp: situation.failing.length,
      });
    },
  );

  it('are not blamed for a dead tester or a target that blocks them', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(12) } });
    harness.simulator.outages.replace([{ kind: 'tester', subject: LONDON }]);
    await roundsOf(harness, 3);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProxyTesterFailing']);
    expect(await findingValues(harness, 'ProxyTesterFailing')).toEqual({ [LONDON]: 1 });
    expect((await harness.samples()).value('proxywatch_proxies_failing')).toBe(12);
    harness.simulator.outages.replace([{ kind: 'target', subject: 'shop.example' }]);
    await roundsOf(harness, 6);
    expect(await findingValues(harness, 'ProxyTargetBlocked')).toEqual({ shop: 1 });
    expect(await alertsFound(harness, NAMES)).toEqual(['ProxyTargetBlocked']);
  });

  it('count as an outage of the provider if all fail at once', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(12) } });
    harness.simulator.outages.add({ kind: 'proxy', subject: '*' });
    await roundsOf(harness, 3);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProviderOutage']);
    harness.simulator.outages.clear();
    await roundsOf(harness, 3);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });
});

describe('a proxy that is not tested', () => {
  /** Results name another host, as if the provider wrote the proxy's host differently. */
  const STRANGE = { kind: 'set_fields', fields: { proxy_host: '198.51.100.9' } } as const;

  it('although runs succeed is stale after three cycles', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(2) } });
    await roundsOf(harness, 6);
    harness.simulator.faults.add(STRANGE);
    await roundsOf(harness, 3);
    expect(await findingValues(harness, 'ProxyTestsStale')).toEqual({});
    await roundsOf(harness, 1);
    expect(await findingValues(harness, 'ProxyTestsStale')).toEqual({ p0: 2_400, p1: 2_400 });
    harness.simulator.faults.clear();
    await roundsOf(harness, 1);
    expect(await findingValues(harness, 'ProxyTestsStale')).toEqual({});
  });

  it('because its batch always fails is stale after three cycles', async () => {
    await using fleet = await StubFleet.start();
    fleet.rows = rows(0, 40);
    await using harness = await fleet.buildHarness([{ search: {} }]);
    await roundsOf(harness, 6);
    fleet.rows = rows(0, 41);
    const late = 'p0040';
    fleet.override = ({ method, body }) =>
      method === 'POST' && body.includes('192.0.2.40:') ? { status: 422 } : undefined;
    const waiting = async () => Object.keys((await harness.samples()).by('proxy_id', WAITING_SINCE));
    await roundsOf(harness, 1);
    expect(await waiting()).toEqual([late]);
    await roundsOf(harness, 3);
    expect(await findingValues(harness, 'ProxyTestsStale')).toEqual({});
    await roundsOf(harness, 1);
    expect(await findingValues(harness, 'ProxyTestsStale')).toMatchObject({ [late]: 2_400 });
    await harness.restart();
    await roundsOf(harness, 1);
    expect(await findingValues(harness, 'ProxyTestsStale')).toMatchObject({ [late]: 3_000 });
    fleet.override = () => undefined;
    await roundsOf(harness, 2);
    expect(await findingValues(harness, 'ProxyTestsStale')).toEqual({});
    expect(await waiting()).toEqual([]);
  });

  it('because it was just added is not stale while it waits for its turn', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(20), max_runs_per_day: 48 } });
    await roundsOf(harness, 72);
    await harness.restart({ proxy_tests: { urls: URLS, proxies: entries(80), max_runs_per_day: 48 } });
    for (let round = 0; round < 36; round += 1) {
      await roundsOf(harness, 1);
      expect([round, await alertsFound(harness, NAMES)]).toEqual([round, []]);
    }
  });

  it('because its password is not found after a restart is stale, although the others are tested', async () => {
    await using harness = await buildTests({
      scenario: { proxies: 4 },
      tests: { proxies: [...entries(2), { search: {} }] },
    });
    await roundsOf(harness, 6);
    harness.simulator.faults.add({ kind: 'status', status: 503, endpoint: 'proxy/search' });
    await harness.restart();
    await roundsOf(harness, 3);
    expect(await findingValues(harness, 'ProxyTestsStale')).toEqual({});
    await roundsOf(harness, 2);
    expect(Object.values(await findingValues(harness, 'ProxyTestsStale'))).toEqual([3_000, 3_000]);
    harness.simulator.faults.clear();
    await roundsOf(harness, 1);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });

  it('because nothing ran for days is not stale while it waits for its turn', async () => {
    await using harness = await buildTests({
      tests: { proxies: entries(60), max_runs_per_day: 48 },
    });
    await roundsOf(harness, 72);
    await harness.stop();
    harness.clock.advance(72 * HOUR);
    await harness.start();
    // Most proxies have not been tested for days.
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    await roundsOf(harness, 3);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });

  it('because the schedule pauses at night is not stale', async () => {
    await using harness = await buildTests({
      tests: { proxies: entries(60), max_runs_per_day: 60, schedule: '*/10 8-17 * * *' },
    });
    for (let slot = 0; slot < 6 * 24; slot += 1) {
      await harness.advance(SLOT);
      expect([slot, await alertsFound(harness, NAMES)]).toEqual([slot, []]);
    }
  });
});

describe('the budget of tests', () => {
  it('is reported if it is used up, but not if it is spread over the day', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(60), max_runs_per_day: 200 } });
    for (let slot = 0; slot < 60; slot += 1) {
      await harness.advance(SLOT);
      expect([slot, await alertsFound(harness, NAMES)]).toEqual([slot, []]);
    }
    // The same runs exceed the smaller budget.
    await harness.restart({
      proxy_tests: { urls: ['https://www.example.com/'], proxies: entries(60), max_runs_per_day: 20 },
    });
    await roundsOf(harness, 1);
    expect(await alertsFound(harness, NAMES)).toEqual(['TestBudgetExhausted']);
    expect((await harness.samples()).value('proxywatch_proxy_test_budget_exhausted')).toBe(1);
  });
});

// Tests scenarios of an account's proxies with proxy tests and inventory: metrics and alerts together.

import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { alertsFound, findingValues } from '../alerts/findings.ts';
import {
  buildInventory,
  changeCounts,
  idOf,
  infoOf,
  NO_CHANGES,
} from '../collectors/inventory/inventory-harness.ts';
import { entries, FRANKFURT, hostOf, LONDON, URLS } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';

const SLOT = 10 * MINUTE;
const TESTERS = [LONDON, FRANKFURT].map((id) => ({ id, city_id: 100, city_name: id, country_id: 'gb' }));
const NAMES = [
  'CollectorFailing',
  'DataStale',
  'ProxyFailing',
  'ProxiesFailing',
  'ProxyTargetBlocked',
  'ProxyTesterFailing',
  'ProviderOutage',
  'ProxyTestsStale',
  'TestBudgetExhausted',
];
const RESULTS = 'proxywatch_proxy_test_results_total';

const build = (proxies: unknown, count: number): Promise<Harness> =>
  buildInventory({
    firstStepHold: '0s',
    scenario: { proxies: count, testers: TESTERS },
    account: {
      reconciliation: false,
      proxy_tests: { urls: URLS, proxies, discover_every: '10m' },
    },
  });

/** Runs rounds of tests, after each of which exactly these alert conditions must hold. */
const runRounds = async (
  harness: Harness,
  count: number,
  conditions: readonly string[] = [],
): Promise<void> => {
  for (let round = 1; round <= count; round += 1) {
    await harness.advance(SLOT);
    expect([round, await alertsFound(harness, NAMES)]).toEqual([round, conditions]);
  }
};

test('a proxy that fails is replaced by another address, which is tested at once and ends the alert', async () => {
  await using harness = await build([{ search: {} }], 12);
  await runRounds(harness, 1);
  harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(3) });
  await runRounds(harness, 1);
  await runRounds(harness, 2, ['ProxyFailing']);
  expect(await findingValues(harness, 'ProxyFailing')).toEqual({ [idOf(3)]: 1 });
  const set = { proxy_ip_address: '192.0.2.77' };
  harness.simulator.changes.add({ kind: 'proxy', subject: 3, set });
  for (let round = 0; round < 3; round += 1) await harness.advance(SLOT);
  expect(await alertsFound(harness, NAMES)).toEqual([]);
  const success = (await harness.samples()).all('proxywatch_proxy_test_success', { proxy_id: idOf(3) });
  expect(success.map(({ value }) => value)).toEqual([1, 1, 1, 1]);
  await harness.advance(HOUR);
  expect(await changeCounts(harness)).toEqual({ ...NO_CHANGES, address: 1 });
  expect(await infoOf(harness, idOf(3))).toMatchObject({ ip_address: '192.0.2.77' });
  expect(await alertsFound(harness, NAMES)).toEqual([]);
});

test('a tester that fails, at first half of the time and then always, is reported, and no proxy is', async () => {
  await using harness = await build(entries(12), 12);
  await runRounds(harness, 2);
  const down = { kind: 'tester', subject: LONDON } as const;
  harness.simulator.outages.add({ ...down, flap: { period_minutes: 20, bad_minutes: 10 } });
  for (let round = 0; round < 6; round += 1) {
    await harness.advance(SLOT);
    expect(
      await alertsFound(
        harness,
        NAMES.filter((name) => name !== 'ProxyTesterFailing'),
      ),
    ).toEqual([]);
  }
  harness.simulator.outages.replace([down]);
  await runRounds(harness, 4, ['ProxyTesterFailing']);
  expect(await findingValues(harness, 'ProxyTesterFailing')).toEqual({ [LONDON]: 1 });
  const samples = await harness.samples();
  expect(samples.by('product_type', 'proxywatch_proxies_failing')).toEqual({ isp: 12 });
  expect(samples.by('product_type', 'proxywatch_proxies_at_fault')).toEqual({ isp: 0 });
  harness.simulator.outages.clear();
  for (let round = 0; round < 3; round += 1) await harness.advance(SLOT);
  expect(await alertsFound(harness, NAMES)).toEqual([]);
});

test('a search that fails half way keeps its list, whose proxies are still tested, without an alert', async () => {
  await using harness = await build([{ search: { proxy_status: 'in_use' } }], 150);
  await runRounds(harness, 1);
  const inUse = harness.simulator.truth.proxies().filter(({ proxy_status }) => proxy_status === 'in_use');
  const before = (await harness.samples()).by('proxy_id', RESULTS, { url: 'shop', tester_server: LONDON });
  expect(Object.keys(before)).toHaveLength(inUse.length);
  // Some page fails again and again, which is a failed part of the run and makes no data stale.
  harness.simulator.faults.add({ kind: 'status', status: 503, endpoint: 'proxy/search', probability: 0.9 });
  await runRounds(harness, 6);
  expect(
    (await harness.app.store.runs.states('main')).find(({ collector }) => collector === 'proxy_tests')
      ?.result,
  ).toBe('partial');
  const after = (await harness.samples()).by('proxy_id', RESULTS, { url: 'shop', tester_server: LONDON });
  expect(after).toEqual(Object.fromEntries(Object.keys(before).map((id) => [id, (before[id] ?? 0) + 6])));
});

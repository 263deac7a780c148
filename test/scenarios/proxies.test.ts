// Situations of an account's proxies, lived through with tests and inventory: figures and alerts together.

import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { findingsOf, found } from '../alerts/findings.ts';
import {
  buildInventory,
  countsOf,
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

/** Rounds of tests, each of which must leave exactly these conditions. */
const rounds = async (harness: Harness, count: number, conditions: readonly string[] = []): Promise<void> => {
  for (let round = 1; round <= count; round += 1) {
    await harness.advance(SLOT);
    expect([round, await found(harness, NAMES)]).toEqual([round, conditions]);
  }
};

test('a proxy that fails is replaced by another address, which is tested at once and ends the alert', async () => {
  await using harness = await build([{ search: {} }], 12);
  await rounds(harness, 1);
  harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(3) });
  await rounds(harness, 1);
  await rounds(harness, 2, ['ProxyFailing']);
  expect(await findingsOf(harness, 'ProxyFailing')).toEqual({ [idOf(3)]: 1 });
  const set = { proxy_ip_address: '192.0.2.77' };
  harness.simulator.changes.add({ kind: 'proxy', subject: 3, set });
  for (let round = 0; round < 3; round += 1) await harness.advance(SLOT);
  expect(await found(harness, NAMES)).toEqual([]);
  const success = (await harness.samples()).all('proxywatch_proxy_test_success', { proxy_id: idOf(3) });
  expect(success.map(({ value }) => value)).toEqual([1, 1, 1, 1]);
  await harness.advance(HOUR);
  expect(await countsOf(harness)).toEqual({ ...NO_CHANGES, address: 1 });
  expect(await infoOf(harness, idOf(3))).toMatchObject({ ip_address: '192.0.2.77' });
  expect(await found(harness, NAMES)).toEqual([]);
});

test('a tester that goes bad, half at first and then wholly, is told of alone, and of no proxy', async () => {
  await using harness = await build(entries(12), 12);
  await rounds(harness, 2);
  const down = { kind: 'tester', subject: LONDON } as const;
  harness.simulator.outages.add({ ...down, flap: { period_minutes: 20, bad_minutes: 10 } });
  for (let round = 0; round < 6; round += 1) {
    await harness.advance(SLOT);
    expect(
      await found(
        harness,
        NAMES.filter((name) => name !== 'ProxyTesterFailing'),
      ),
    ).toEqual([]);
  }
  harness.simulator.outages.replace([down]);
  await rounds(harness, 4, ['ProxyTesterFailing']);
  expect(await findingsOf(harness, 'ProxyTesterFailing')).toEqual({ [LONDON]: 1 });
  const samples = await harness.samples();
  expect(samples.by('product_type', 'proxywatch_proxies_failing')).toEqual({ isp: 12 });
  expect(samples.by('product_type', 'proxywatch_proxies_at_fault')).toEqual({ isp: 0 });
  harness.simulator.outages.clear();
  for (let round = 0; round < 3; round += 1) await harness.advance(SLOT);
  expect(await found(harness, NAMES)).toEqual([]);
});

test('a search that fails half way keeps its list, whose proxies are tested as ever, without an alert', async () => {
  await using harness = await build([{ search: { proxy_status: 'in_use' } }], 150);
  await rounds(harness, 1);
  const inUse = harness.simulator.truth.proxies().filter(({ proxy_status }) => proxy_status === 'in_use');
  const before = (await harness.samples()).by('proxy_id', RESULTS, { url: 'shop', tester_server: LONDON });
  expect(Object.keys(before)).toHaveLength(inUse.length);
  // Some page does not come, time and again, which is a failed part of the run and makes nothing stale.
  harness.simulator.faults.add({ kind: 'status', status: 503, endpoint: 'proxy/search', probability: 0.9 });
  await rounds(harness, 6);
  expect(
    (await harness.app.store.runs.states('main')).find(({ collector }) => collector === 'proxy_tests')
      ?.result,
  ).toBe('partial');
  const after = (await harness.samples()).by('proxy_id', RESULTS, { url: 'shop', tester_server: LONDON });
  expect(after).toEqual(Object.fromEntries(Object.keys(before).map((id) => [id, (before[id] ?? 0) + 6])));
});

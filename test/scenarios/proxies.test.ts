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
} from '../collectors/inventory/inventory-house.ts';
import { entries, FRANKFURT, hostOf, LONDON, URLS } from '../collectors/proxy-tests/tests-house.ts';
import type { House } from '../support/house.ts';

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

const build = (proxies: unknown, count: number): Promise<House> =>
  buildInventory({
    firstStepHold: '0s',
    scenario: { proxies: count, testers: TESTERS },
    account: {
      reconciliation: false,
      proxy_tests: { urls: URLS, proxies, discover_every: '10m' },
    },
  });

/** Rounds of tests, each of which must leave exactly these conditions. */
const rounds = async (house: House, count: number, conditions: readonly string[] = []): Promise<void> => {
  for (let round = 1; round <= count; round += 1) {
    await house.advance(SLOT);
    expect([round, await found(house, NAMES)]).toEqual([round, conditions]);
  }
};

test('a proxy that fails is replaced by another address, which is tested at once and ends the alert', async () => {
  await using house = await build([{ search: {} }], 12);
  await rounds(house, 1);
  house.simulator.outages.add({ kind: 'proxy', subject: hostOf(3) });
  await rounds(house, 1);
  await rounds(house, 2, ['ProxyFailing']);
  expect(await findingsOf(house, 'ProxyFailing')).toEqual({ [idOf(3)]: 1 });
  const set = { proxy_ip_address: '192.0.2.77' };
  house.simulator.changes.add({ kind: 'proxy', subject: 3, set });
  for (let round = 0; round < 3; round += 1) await house.advance(SLOT);
  expect(await found(house, NAMES)).toEqual([]);
  const success = (await house.samples()).all('proxywatch_proxy_test_success', { proxy_id: idOf(3) });
  expect(success.map(({ value }) => value)).toEqual([1, 1, 1, 1]);
  await house.advance(HOUR);
  expect(await countsOf(house)).toEqual({ ...NO_CHANGES, address: 1 });
  expect(await infoOf(house, idOf(3))).toMatchObject({ ip_address: '192.0.2.77' });
  expect(await found(house, NAMES)).toEqual([]);
});

test('a tester that goes bad, half at first and then wholly, is told of alone, and of no proxy', async () => {
  await using house = await build(entries(12), 12);
  await rounds(house, 2);
  const down = { kind: 'tester', subject: LONDON } as const;
  house.simulator.outages.add({ ...down, flap: { period_minutes: 20, bad_minutes: 10 } });
  for (let round = 0; round < 6; round += 1) {
    await house.advance(SLOT);
    expect(
      await found(
        house,
        NAMES.filter((name) => name !== 'ProxyTesterFailing'),
      ),
    ).toEqual([]);
  }
  house.simulator.outages.replace([down]);
  await rounds(house, 4, ['ProxyTesterFailing']);
  expect(await findingsOf(house, 'ProxyTesterFailing')).toEqual({ [LONDON]: 1 });
  const samples = await house.samples();
  expect(samples.by('product_type', 'proxywatch_proxies_failing')).toEqual({ isp: 12 });
  expect(samples.by('product_type', 'proxywatch_proxies_at_fault')).toEqual({ isp: 0 });
  house.simulator.outages.clear();
  for (let round = 0; round < 3; round += 1) await house.advance(SLOT);
  expect(await found(house, NAMES)).toEqual([]);
});

test('a search that fails half way keeps its list, whose proxies are tested as ever, without an alert', async () => {
  await using house = await build([{ search: { proxy_status: 'in_use' } }], 150);
  await rounds(house, 1);
  const inUse = house.simulator.truth.proxies().filter(({ proxy_status }) => proxy_status === 'in_use');
  const before = (await house.samples()).by('proxy_id', RESULTS, { url: 'shop', tester_server: LONDON });
  expect(Object.keys(before)).toHaveLength(inUse.length);
  // Some page does not come, time and again, which is a failed part of the run and makes nothing stale.
  house.simulator.faults.add({ kind: 'status', status: 503, endpoint: 'proxy/search', probability: 0.9 });
  await rounds(house, 6);
  expect(
    (await house.app.store.runs.states('main')).find(({ collector }) => collector === 'proxy_tests')?.result,
  ).toBe('partial');
  const after = (await house.samples()).by('proxy_id', RESULTS, { url: 'shop', tester_server: LONDON });
  expect(after).toEqual(Object.fromEntries(Object.keys(before).map((id) => [id, (before[id] ?? 0) + 6])));
});

// Tests proxywatch_proxy_info of proxies that are listed and tested: each proxy has one series.

import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { Harness } from '../../support/harness.ts';
import { entryOf, URLS } from '../proxy-tests/tests-harness.ts';
import { buildInventory, idOf, infoOf } from './inventory-harness.ts';

const FOREIGN = { name: 'foreign', product_type: 'isp', proxy: '192.0.2.200:8000:alice:hunter2' };
/** A proxy with the provider's id, and one that does not belong to the account. */
const proxies = [{ ...entryOf(1), proxy_id: idOf(1) }, FOREIGN];
const proxy_tests = { schedule: '*/10 * * * *', urls: URLS, proxies };

const idsOf = async (harness: Harness): Promise<(string | undefined)[]> =>
  (await harness.samples()).all('proxywatch_proxy_info').map(({ labels }) => labels.proxy_id);

const count = async (harness: Harness): Promise<[number, number]> => {
  const ids = await idsOf(harness);
  return [ids.length, new Set(ids).size];
};

test('a tested proxy has its configured name and its location from the inventory', async () => {
  const unnumbered = [entryOf(4), entryOf(5, { proxy: entryOf(5).proxy.replace(/:user-\d+/, ':bob') })];
  await using harness = await buildInventory({
    scenario: { proxies: 12 },
    account: {
      proxy_tests: { ...proxy_tests, proxies: [...proxies, ...unnumbered, entryOf(5, { name: 'twin' })] },
    },
  });
  // Two users of one proxy are tested, each with a series of its own.
  expect(await count(harness)).toEqual([14, 14]);
  expect(await infoOf(harness, 'p4')).toMatchObject({
    name: 'p4',
    ip_address: '203.0.113.5',
    status: 'in_use',
  });
  expect(await infoOf(harness, 'twin')).toMatchObject({ ip_address: '203.0.113.6' });
  expect(await infoOf(harness, idOf(4))).toBeUndefined();
  expect(await infoOf(harness, idOf(1))).toMatchObject({
    name: 'p1',
    product_type: 'isp',
    protocol: 'http',
    ip_address: '203.0.113.2',
    status: 'in_use',
  });
  expect(await infoOf(harness, 'foreign')).toMatchObject({
    name: 'foreign',
    ip_address: '',
    protocol: 'http',
  });
  expect(await infoOf(harness, idOf(2))).toMatchObject({ name: '', protocol: 'ipv4' });
});

test('a tested proxy is shown beyond the cap', async () => {
  const account = { proxy_tests, inventory: { max_series_proxies: 1 } };
  await using harness = await buildInventory({ scenario: { proxies: 12 }, account });
  const ids = await idsOf(harness);
  expect(ids).toHaveLength(3);
  expect(ids).toEqual(expect.arrayContaining([idOf(1), 'foreign']));
  expect((await harness.samples()).value('proxywatch_series_dropped', { collector: 'inventory' })).toBe(10);
});

test('proxies that tests find are shown from their first round on, and only once after they are listed', async () => {
  const absentProxy = { kind: 'proxy', subject: 3, absent: true } as const;
  await using harness = await buildInventory({
    scenario: { proxies: 12, changes: [absentProxy] },
    account: { proxy_tests: { ...proxy_tests, proxies: [{ search: {} }], discover_every: '1m' } },
  });
  expect(await infoOf(harness, idOf(3))).toBeUndefined();
  harness.simulator.changes.clear();
  await harness.advance(20 * MINUTE);
  expect(await infoOf(harness, idOf(3))).toMatchObject({ protocol: 'http' });
  await harness.advance(HOUR);
  expect(await infoOf(harness, idOf(3))).toMatchObject({ protocol: 'http' });
  expect(await count(harness)).toEqual([12, 12]);
});

test('if one of the two collectors is off, the other one exposes its proxies', async () => {
  await using harness = await buildInventory({ scenario: { proxies: 12 }, account: { proxy_tests } });
  await harness.restart({ inventory: false });
  expect((await idsOf(harness)).toSorted()).toEqual([idOf(1), 'foreign'].toSorted());
  await harness.restart({ inventory: {}, proxy_tests: false });
  expect(await count(harness)).toEqual([12, 12]);
  expect(await infoOf(harness, idOf(1))).toMatchObject({ name: '', protocol: 'ipv4' });
});

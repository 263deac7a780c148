// Tests that changes of the inventory have the names of cities and networks that its proxies have.

import { expect, it } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { ApiHarness, type Json } from './api-harness.ts';

const OFF = Object.fromEntries(
  ['proxy_tests', 'catalog', 'quotes', 'geography', 'services', 'probes', 'reconciliation'].map((name) => [
    name,
    false,
  ]),
);

it('a city or network has its name while a proxy is in it, and then only its id', async () => {
  await using api = await ApiHarness.build({}, OFF);
  const listedAfter = async (set: object | null): Promise<Json[]> => {
    if (set) api.harness.simulator.changes.add({ kind: 'proxy', subject: 6, set });
    await api.harness.advance(HOUR);
    return api.items('inventory?limit=100');
  };
  await listedAfter(null);
  const first = await listedAfter({ city_id: 201, asn_id: 64_510 });
  const moved = first.find(({ asn_id: asn }) => asn === 64_510);
  const listed = await listedAfter({ city_id: 202, asn_id: 64_511 });
  const found = await api.items(`inventory/changes?proxy_id=${moved?.proxy_id}`);
  const cities = new Map(listed.map((each) => [String(each.city_id), each.city_name]));
  expect(cities.get('201')).toBe('Frankfurt');
  expect(found.filter(({ change }) => change === 'city')).toMatchObject([
    { before: '201', before_name: 'Frankfurt', after: '202', after_name: 'Paris' },
    { after: '201', after_name: 'Frankfurt', ip_address: moved?.ip_address },
  ]);
  expect(found.filter(({ change }) => change === 'asn')).toMatchObject([
    { before: '64510', before_name: null, after: '64511', after_name: 'Example Network 64511' },
    { after: '64510', after_name: null },
  ]);
});

// Tests that a tested proxy and its id in the inventory find each other after the provider changed the inventory.

import { expect, it } from 'vitest';
import { readInventoryEvidence } from '../../../src/collectors/inventory-evidence.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { proxyAddress } from '../../../src/simulator/identities.ts';
import { TESTED_PROXIES } from '../../../src/store/source-proxy-store.ts';
import { FakeProber } from '../../collectors/probes/fake-probe.ts';
import { ALL_COLLECTORS, ApiHarness, type Json } from './api-harness.ts';

const NEW_ADDRESS = '192.0.2.77';

/** Only what these tests need runs. */
const OTHERS_OFF = Object.fromEntries(
  Object.keys(ALL_COLLECTORS)
    .filter((name) => name !== 'proxy_tests' && name !== 'inventory')
    .map((name) => [name, false]),
);

/** Lets hours of listings pass, in each of which the change is active. */
const change = async (api: ApiHarness, hours: number, difference: object): Promise<void> => {
  api.harness.simulator.changes.add({ kind: 'proxy', subject: 1, ...difference });
  for (let hour = 0; hour < hours; hour += 1) await api.harness.advance(HOUR);
};

/** Builds a daemon that has listed the proxies twice. `fr-2` is configured by the address of the second one. */
const build = async (account: Json = {}): Promise<{ api: ApiHarness; inventoryId: string }> => {
  const { probe } = new FakeProber();
  const api = await ApiHarness.build({}, { ...OTHERS_OFF, ...account }, { probe });
  await api.run(2);
  const [listed] = await api.items(`inventory?q=${proxyAddress(1).host}`);
  return { api, inventoryId: String(listed?.proxy_id) };
};

const evidenceOf = (api: ApiHarness, since = 0) =>
  readInventoryEvidence(
    { account: api.harness.app.accounts[0]?.context as never, store: api.harness.app.store },
    since,
  );

it('a proxy that the provider removed keeps its id of the inventory, and its page says when', async () => {
  const { api, inventoryId } = await build();
  await using _ = api;
  await change(api, 3, { absent: true });
  const [gone] = await api.items(`inventory/changes?proxy_id=${inventoryId}`);
  expect(gone).toMatchObject({ change: 'gone', before: proxyAddress(1).host });
  const page = await api.answer('accounts/main/proxies/fr-2');
  expect(page).toMatchObject({
    ...{ proxy_id: 'fr-2', inventory: null, inventory_id: inventoryId },
    inventory_change: { change: 'gone', at: gone?.at, tested_elsewhere: false },
  });
  expect(await api.answer(`accounts/main/proxies/${inventoryId}`)).toEqual(page);
  expect(await api.answer(`accounts/main/proxies/${inventoryId}/history`)).toEqual(
    await api.answer('accounts/main/proxies/fr-2/history'),
  );
  const at = Date.parse(String(gone?.at));
  const evidence = { kind: 'gone', at, from: proxyAddress(1).host, to: null, isTestedElsewhere: false };
  expect([...(await evidenceOf(api, at))]).toEqual([['fr-2', evidence]]);
  expect((await evidenceOf(api, at + 1)).size).toBe(0);
});

it('the verdict about a removed proxy that fails says that the provider removed it', async () => {
  const { api } = await build();
  await using _ = api;
  api.harness.simulator.outages.replace([{ kind: 'proxy', subject: proxyAddress(1).host }]);
  await change(api, 3, { absent: true });
  const { verdict, verdict_text } = await api.answer('accounts/main/proxies/fr-2');
  expect([verdict, verdict_text]).toEqual([
    'proxy_at_fault',
    expect.stringMatching(
      /; the provider removed it from the inventory at [-0-9]+ [0-9:]+ UTC\. Next: take the proxy out of the configuration, or ask the provider why it was removed\.$/,
    ),
  ]);
});

it('a proxy that returned to the inventory has no evidence of its removal', async () => {
  const { api, inventoryId } = await build();
  await using _ = api;
  await change(api, 3, { absent: true });
  api.harness.simulator.changes.clear();
  await api.harness.advance(HOUR);
  expect(await api.answer('accounts/main/proxies/fr-2')).toMatchObject({
    ...{ inventory: { proxy_id: inventoryId }, inventory_id: inventoryId, inventory_change: null },
    appeared_at: expect.any(String),
  });
  expect((await evidenceOf(api)).size).toBe(0);
});

it('a proxy at a new address is the same proxy, and is tested at its old address', async () => {
  const { api, inventoryId } = await build();
  await using _ = api;
  await change(api, 1, { set: { proxy_ip_address: NEW_ADDRESS } });
  expect(await api.answer('accounts/main/proxies/fr-2')).toMatchObject({
    ...{ inventory: { proxy_id: inventoryId, ip_address: NEW_ADDRESS }, inventory_id: inventoryId },
    inventory_change: { change: 'address', after: NEW_ADDRESS, tested_elsewhere: true },
  });
  expect(await api.answer(`accounts/main/inventory/${inventoryId}`)).toMatchObject({
    ip_address: NEW_ADDRESS,
    tested_proxy_id: 'fr-2',
  });
  expect((await evidenceOf(api)).get('fr-2')).toMatchObject({
    ...{ kind: 'address', from: proxyAddress(1).host, to: NEW_ADDRESS, isTestedElsewhere: true },
  });
});

it('a proxy that only the probes test is found in the inventory, and after it was removed', async () => {
  const { proxies } = ALL_COLLECTORS.proxy_tests as { readonly proxies: readonly Json[] };
  const probes = { urls: ['http://shop.example/'], proxies, control: false };
  const { api, inventoryId } = await build({ proxy_tests: false, probes });
  await using _ = api;
  const { sourceProxies } = api.harness.app.store;
  expect(await sourceProxies.find('probes/main', TESTED_PROXIES, 'fr-2')).toMatchObject({ inventoryId });
  expect(await api.answer(`accounts/main/inventory/${inventoryId}`)).toMatchObject({
    tested_proxy_id: 'fr-2',
  });
  await change(api, 3, { absent: true });
  expect([...(await evidenceOf(api)).keys()]).toEqual(['fr-2']);
});

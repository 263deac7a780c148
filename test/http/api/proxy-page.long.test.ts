// Tests what the API says of one proxy that the inventory knows: its place, its changes and its failures.

import { expect, it } from 'vitest';
import { proxyAddress } from '../../../src/simulator/identities.ts';
import { ALL_COLLECTORS, ApiHarness, type Json } from './api-harness.ts';

it('a proxy has the facts and changes of the inventory, and only its own failures', async () => {
  const proxy_tests = {
    ...(ALL_COLLECTORS.proxy_tests as Json),
    proxies: [{ search: { proxy_status: 'in_use' } }],
  };
  await using api = await ApiHarness.build({}, { proxy_tests });
  await api.run(5);
  const { host } = proxyAddress(2);
  const proxies = await api.items('proxies');
  const failing = proxies.find((each) => each.host === host);
  const page = await api.answer(`accounts/main/proxies/${failing?.proxy_id}`);
  expect(page).toMatchObject({
    ...{ ...failing, tests: expect.any(Array) },
    ...{ verdict: 'proxy_at_fault', tested_since: expect.any(String), appeared_at: null },
  });
  const { freshness, tested_proxy_id, ...found } = await api.answer(
    `accounts/main/inventory/${failing?.proxy_id}`,
  );
  expect(page.inventory).toEqual(found);
  expect(tested_proxy_id).toBe(failing?.proxy_id);
  expect(freshness).toEqual([expect.objectContaining({ collector: 'inventory', state: 'current' })]);
  const failures = await api.items('failures?limit=1000');
  const own = await api.items(`failures?proxy_id=${failing?.proxy_id}`);
  expect(own.length).toBeGreaterThan(0);
  expect(own).toEqual(failures.filter(({ proxy_id }) => proxy_id === failing?.proxy_id));

  const changes = await api.items('inventory/changes');
  const changed = changes[0]?.proxy_id;
  expect(await api.items(`inventory/changes?proxy_id=${changed}&change=address`)).toEqual(
    changes.filter(({ proxy_id, change }) => proxy_id === changed && change === 'address'),
  );
  const answerOf = async (query: string) =>
    (await api.request(`inventory/changes?limit=1&${query}`)).body as {
      data: object[];
      total: number | null;
    };
  expect((await answerOf('')).total).toBe(changes.length);
  expect((await answerOf(`proxy_id=${changed}&change=address`)).total).toBe(
    changes.filter(({ proxy_id, change }) => proxy_id === changed && change === 'address').length,
  );
  expect((await answerOf('change=address')).total).toBeNull();
  const part = String(changes[0]?.after).slice(1);
  expect(await answerOf(`q=${part}`)).toMatchObject({ data: [{ after: changes[0]?.after }], total: null });
  expect((await answerOf('q=no-such-text')).data).toEqual([]);
  expect(await api.items(`inventory/changes?to=${changes[0]?.at}`)).toEqual([]);
  expect(await api.items(`inventory/changes?from=${changes[0]?.at}`)).toEqual(changes);
});

it('a proxy that is configured by its address is found in the inventory, in both directions', async () => {
  await using api = await ApiHarness.build({}, {});
  await api.run(2);
  const { host, httpPort } = proxyAddress(1);
  const [listed] = await api.items(`inventory?q=${host}`);
  expect(listed).toMatchObject({ ip_address: host, http_port: httpPort });
  const page = await api.answer('accounts/main/proxies/fr-2');
  expect(page).toMatchObject({ proxy_id: 'fr-2', inventory: listed });
  expect(await api.answer(`accounts/main/proxies/${listed?.proxy_id}`)).toEqual(page);
  expect(await api.answer(`accounts/main/proxies/${listed?.proxy_id}/history`)).toEqual(
    await api.answer('accounts/main/proxies/fr-2/history'),
  );
});

it('a gateway is none of the proxies of the inventory', async () => {
  const tests = ALL_COLLECTORS.proxy_tests as Json & { readonly proxies: readonly { proxy: string }[] };
  const lines = tests.proxies.map(({ proxy }) => proxy);
  const [host, port, ...login] = lines[0]?.split(':') ?? [];
  const proxies = ['fr', 'de'].map((country) => ({
    ...{ name: country, proxy: `${host}:${port}:${login[0]}-country-${country}:${login[1]}` },
  }));
  await using api = await ApiHarness.build({}, { proxy_tests: { ...tests, proxies } });
  await api.run(2);
  const [listed] = await api.items(`inventory?q=${host}`);
  expect(listed).toMatchObject({ ip_address: host });
  expect(await api.answer('accounts/main/proxies/de')).toMatchObject({ inventory: null });
  expect(await api.request(`accounts/main/proxies/${listed?.proxy_id}`)).toMatchObject({ status: 404 });
});

// Tests the proxies of the simulated provider: searched, retrieved, replaced, moved, removed and added.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { type AccountProxy, readProxies, readProxy } from '../../src/provider/resources/proxies.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';
import { openAccount, readAll, type SimulatedAccount } from '../support/simulated-account.ts';
import { isSubset, sampleVariants } from './sample-variants.ts';

const search = ({ client }: SimulatedAccount, filter = {}) => readAll(readProxies(client, { filter }));

describe('readProxies', () => {
  it('reads all pages', async () => {
    await using account = await openAccount({ proxies: 250 });
    const { items, pages, summary } = await search(account);
    expect([items.length, pages]).toEqual([250, 3]);
    expect(summary).toEqual({
      distinctIds: 250,
      totalCount: 250,
      isComplete: true,
      isCounted: true,
      skipped: 0,
    });
  });

  it.each<[object, (proxy: AccountProxy) => boolean]>([
    [{ proxy_type: 'isp', country_id: 'fr' }, ({ type, countryId }) => type === 'isp' && countryId === 'fr'],
    [{ not_proxy_status: 'in_use' }, ({ status }) => status !== 'in_use'],
    [{ min_asn_id: 64_501, max_asn_id: 64_501 }, ({ asnId }) => asnId === 64_501],
    [{ like_city_name: '%N%' }, ({ cityName }) => /n/i.test(cityName ?? '')],
  ])('filters by %j', async (filter, isWanted) => {
    await using account = await openAccount({ proxies: 100 });
    const wanted = (await search(account)).items.filter(isWanted).map(({ id }) => id);
    expect(wanted.length).toBeGreaterThan(0);
    expect((await search(account, filter)).items.map(({ id }) => id)).toEqual(wanted);
  });

  it('reports a filter that the provider does not know', async () => {
    await using account = await openAccount();
    await expect(search(account, { moon: 'full' })).rejects.toMatchObject({ kind: 'rejected', status: 400 });
  });

  it('accepts a provider that does not count', async () => {
    await using account = await openAccount({ proxies: 150 });
    account.simulator.faults.add({ kind: 'set_fields', fields: { total_count: -1 } });
    expect(await search(account)).toMatchObject({
      totalCount: -1,
      summary: { distinctIds: 150, isComplete: true },
    });
  });

  it('returns exactly the given values if fields are null, missing or new', async () => {
    const sample = {
      proxy_id: 'p1',
      proxy_type: 'isp',
      proxy_protocol: 'dual',
      proxy_status: 'in_use',
      proxy_ip_address: '192.0.2.1',
      proxy_http_port: 8000,
      proxy_socks5_port: 8001,
      default_proxy_user_username: 'bob',
      default_proxy_user_password: 'canary',
      customer_id: 7,
      service_id: 'API-1',
      service_line_item_id: 'l1',
      asn_id: 64_496,
      asn_name: 'Example',
      city_id: 3,
      city_name: 'Paris',
      subdivision_id: 'fr-idf',
      country_id: 'fr',
      subnet_id: '192.0.2.0/24',
    };
    let data: unknown[] = [sample];
    await using provider = await startFakeProvider(() => ({ body: { data, total_count: data.length } }));
    await using client = connect(provider);
    const [complete = {}] = (await readAll(readProxies(client, {}))).items;
    const variants = sampleVariants(sample, { required: ['proxy_id'], open: ['proxy_status', 'proxy_type'] });
    await fc.assert(
      fc.asyncProperty(fc.array(variants, { minLength: 1, maxLength: 20 }), async (items) => {
        data = items.map((item, index) => ({ ...item, proxy_id: `p${index}` }));
        const page = await readAll(readProxies(client, {}));
        expect(page.items).toHaveLength(items.length);
        for (const { id: _, ...proxy } of page.items) expect(isSubset(proxy, complete)).toBe(true);
        expect(inspect(page, { depth: 9 })).not.toContain('canary');
      }),
      { numRuns: 30 },
    );
  });
});

describe('readProxy', () => {
  it('returns the proxy as the search does, and only if it is in use', async () => {
    await using account = await openAccount();
    const [used] = (await search(account, { proxy_status: 'in_use' })).items;
    const [idle] = (await search(account, { not_proxy_status: 'in_use' })).items;
    const proxy = await readProxy(account.client, used?.id ?? '');
    expect({ ...proxy, password: proxy.password?.reveal() }).toEqual({
      ...used,
      password: used?.password?.reveal(),
    });
    await expect(readProxy(account.client, idle?.id ?? '')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('rejects an answer without an id, and quotes none of it', async () => {
    await using account = await openAccount();
    const [used] = (await search(account, { proxy_status: 'in_use' })).items;
    account.simulator.faults.add({ kind: 'null_fields', fields: ['proxy_id'] });
    const failure = await readProxy(account.client, used?.id ?? '').catch((error) => error);
    expect(failure).toMatchObject({ kind: 'bad_response', endpoint: 'proxy/retrieve' });
    expect(inspect(failure, { depth: 9 })).not.toContain(used?.password?.reveal());
  });
});

describe('an inventory that changes', () => {
  const at = async (account: SimulatedAccount) =>
    new Map((await search(account)).items.map((item) => [item.id, item]));

  it('replaces an address, and moves it to another network and city', async () => {
    await using account = await openAccount();
    const before = await at(account);
    const set = { proxy_ip_address: '192.0.2.77', asn_id: 64_600, city_id: 201 };
    account.simulator.changes.add({ kind: 'proxy', subject: 3, set });
    const after = await at(account);
    const moved = [...after.values()].filter(({ id, address }) => address !== before.get(id)?.address);
    expect(moved).toMatchObject([
      {
        address: '192.0.2.77',
        subnetId: '192.0.2.0/24',
        asnId: 64_600,
        asnName: 'Example Network 64600',
        cityId: 201,
        cityName: 'Frankfurt',
        subdivisionId: 'de-he',
        countryId: 'de',
      },
    ]);
    expect((await readProxy(account.client, moved[0]?.id ?? '')).address).toBe('192.0.2.77');
    expect((await search(account, { proxy_ip_address: '192.0.2.77' })).items).toHaveLength(1);
    account.simulator.changes.clear();
    expect((await at(account)).get(moved[0]?.id ?? '')?.address).toBe(
      before.get(moved[0]?.id ?? '')?.address,
    );
  });

  it('loses proxies and gets others at the scheduled times', async () => {
    const appears = { kind: 'proxy', subject: 1, absent: true, until: '2026-07-10T13:00:00Z' } as const;
    const goes = { kind: 'proxy', subject: 2, absent: true, from: '2026-07-10T14:00:00Z' } as const;
    await using account = await openAccount({ proxies: 5, changes: [appears, goes] });
    const ids = async () => new Set((await at(account)).keys());
    const first = await ids();
    account.clock.advance(HOUR);
    const second = await ids();
    account.clock.advance(HOUR);
    const third = await ids();
    expect([first.size, second.size, third.size]).toEqual([4, 5, 4]);
    expect([...second]).toEqual(expect.arrayContaining([...first, ...third]));
    expect(first).not.toEqual(third);
  });

  it('has a proxy that disappears and returns repeatedly', async () => {
    const flap = { period_minutes: 60, bad_minutes: 30 };
    await using account = await openAccount({
      proxies: 5,
      changes: [{ kind: 'proxy', subject: 0, absent: true, flap }],
    });
    const sizes: number[] = [];
    for (let half = 0; half < 4; half += 1) {
      sizes.push((await at(account)).size);
      account.clock.advance(30 * MINUTE);
    }
    expect(sizes).toEqual([5, 4, 5, 4]);
  });
});

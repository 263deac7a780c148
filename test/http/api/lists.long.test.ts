// Compares the other lists of the API with the metrics, which read the same store in another way.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/routes.ts';
import { userId, userPassword } from '../../../src/simulator/identities.ts';
import { parseScenario } from '../../../src/simulator/scenario.ts';
import type { Samples } from '../../support/samples.ts';
import { ApiHarness, type Json, requiredQuery } from './api-harness.ts';

let api: ApiHarness;
let samples: Samples;

beforeAll(async () => {
  api = await ApiHarness.build();
  await api.run();
  samples = await api.harness.samples();
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

const sumOf = (items: readonly Json[], field: string): number =>
  items.reduce((sum, item) => sum + Number(item[field]), 0);

describe('pages', () => {
  it.each([
    'ledger/days?from=2026-07-03',
    'ledger/rows?from=2026-07-03',
    'inventory',
    'inventory?product_type=isp',
    'inventory/changes',
    'collectors',
    'products',
    'places',
    'reconciliation',
    'uptimes',
  ])('of %s add up to the whole list', async (path) => {
    const whole = await api.items(`${path}${path.includes('?') ? '&' : '?'}limit=1000`);
    expect(whole.length).toBeGreaterThan(1);
    expect(await api.allPages(path, 2)).toEqual(whole);
    expect(await api.allPages(path, 1)).toEqual(whole);
  });
});

describe('the ledger', () => {
  it('has the balances and forecasts of the metrics', async () => {
    const [ledger] = (await api.items('ledger')) as [
      Json & { balance: Json; services: Json[]; reasons: Json[] },
    ];
    expect(ledger.balance.left_bytes).toBe(samples.value('proxywatch_residential_balance_bytes'));
    for (const { service_id, left_bytes } of ledger.services) {
      const labels = { service_id: String(service_id) };
      expect(samples.value('proxywatch_residential_service_balance_bytes', labels)).toBe(left_bytes);
    }
    for (const { reason, entries } of ledger.reasons) {
      expect(samples.value('proxywatch_residential_ledger_entries', { reason: String(reason) })).toBe(
        entries,
      );
    }
  });

  it('has days that add up to the balances', async () => {
    const days = await api.items('ledger/days?from=2026-07-01&to=2026-12-31&limit=1000');
    const [{ balance }] = (await api.items('ledger')) as [{ balance: Json }];
    expect(sumOf(days, 'added_bytes')).toBe(balance.added_bytes);
    expect(sumOf(days, 'used_bytes')).toBe(balance.used_bytes);
    const one = await api.items('ledger/days?from=2026-07-04&to=2026-07-04');
    expect(one).toEqual(days.filter(({ date }) => date === '2026-07-04'));
    expect(one.length).toBeGreaterThan(0);
  });

  it('has rows that add up to its days', async () => {
    const rows = await api.items('ledger/rows?limit=1000');
    const days = await api.items('ledger/days?limit=1000');
    const key = ({ date, reason, service_id }: Json) => [date, reason, service_id].join();
    expect(new Set(rows.map(key))).toEqual(new Set(days.map(key)));
    for (const day of days) {
      const own = rows.filter((row) => key(row) === key(day));
      for (const field of ['added_bytes', 'used_bytes', 'requests'])
        expect(sumOf(own, field)).toBe(day[field]);
    }
    const given = api.harness.simulator.truth.ledger();
    for (const row of rows) {
      const booked = given.find(({ residential_ledger_id: id }) => id === row.residential_ledger_id);
      expect(row).toMatchObject({
        bytes: booked?.residential_ledger_bytes,
        service_adjustment_id: booked?.service_adjustment_id,
        created_at: `${booked?.residential_ledger_creation_datetime}.000Z`.replace(' ', 'T'),
      });
    }
    expect(rows).toHaveLength(given.length);
    expect(await api.items('ledger/rows?from=2026-07-04&to=2026-07-04')).toEqual(
      rows.filter(({ date }) => date === '2026-07-04'),
    );
  });

  it.each(['', 'x', '2026-05-99', '2026-07-04', 'x\n\n\n'])(
    'accepts a cursor with any id: "%s"',
    async (id) => {
      const cursor = Buffer.from(`main\n${id}`).toString('base64url');
      for (const list of ['days', 'rows'])
        expect((await api.request(`ledger/${list}?cursor=${cursor}`)).status).toBe(200);
    },
  );

  it.each(['ledger/days', 'reconciliation'])('of %s rejects dates of other centuries', async (path) => {
    for (const date of ['0000-01-01', '1999-12-31', '2100-01-01', '9999-12-31']) {
      expect(await api.request(`${path}?from=${date}`)).toMatchObject({ status: 400 });
      expect(await api.request(`${path}?to=${date}`)).toMatchObject({ status: 400 });
    }
  });

  it('rejects a range that ends before it begins', async () => {
    for (const path of ['ledger/days', 'ledger/rows', 'reconciliation']) {
      const { status, body } = await api.request(`${path}?from=2026-07-04&to=2026-07-03`);
      expect([status, body]).toEqual([400, { error: 'from: expected a date that is not after to' }]);
    }
  });
});

describe('the inventory', () => {
  it('has the proxies that the metrics count', async () => {
    const proxies = await api.items('inventory');
    expect(proxies).toHaveLength(
      samples.all('proxywatch_proxies').reduce((sum, { value }) => sum + value, 0),
    );
    const isp = await api.items('inventory?product_type=isp');
    expect(isp).toEqual(proxies.filter(({ product_type }) => product_type === 'isp'));
    expect(await api.items('inventory?product_type=isp&status=nothing')).toEqual([]);
  });

  it('has all details of a proxy that the provider gives', async () => {
    const [given] = api.harness.simulator.truth.proxies();
    const one = await api.answer(`accounts/main/inventory/${given?.proxy_id}`);
    expect(one).toMatchObject({
      ip_address_id_v4: given?.ip_address_id_v4,
      service_line_item_id: given?.service_line_item_id,
      latitude: given?.city_latitude,
      time_zone: given?.city_timezone,
      subdivision_name: given?.subdivision_name,
      country_name: given?.country_name,
      proxy_users: 1,
      proxy_user_ids: given?.proxy_user_ids,
      updated_at: `${given?.proxy_last_update_datetime}.000Z`.replace(' ', 'T'),
    });
    expect(JSON.stringify(one)).not.toContain(String(given?.default_proxy_user_password));
  });

  it('lists its changes, the newest first', async () => {
    const changes = await api.items('inventory/changes');
    const [address] = changes.filter(({ change }) => change === 'address');
    expect(address).toMatchObject({ account: 'main', after: '192.0.2.6' });
    const times = changes.map(({ at }) => String(at));
    expect(times).toEqual(times.toSorted().reverse());
    expect(changes).toHaveLength(
      samples.all('proxywatch_inventory_changes_total').reduce((sum, { value }) => sum + value, 0),
    );
  });
});

describe('testers and proxies', () => {
  it('have the testers’ places, and the newest observation of each proxy', async () => {
    const testers = await api.items('testers');
    expect(
      testers.map(({ tester_server, city_id, city_name, country_id }) => [
        ...[tester_server, city_id, city_name, country_id],
      ]),
    ).toEqual(['london', 'paris'].map((id) => [id, 1, id, 'gb']));
    for (const { host, last_tested_at, newest_result } of await api.items('proxies')) {
      const given = api.harness.simulator.truth.proxies().find((each) => each.proxy_ip_address === host);
      expect(newest_result).toMatchObject({
        ip_address: host,
        country_id: given?.country_id,
        city_name: given?.city_name,
        asn_id: given?.asn_id,
      });
      const { created_at, result_id } = newest_result as Json;
      expect(result_id).toMatch(/^[\da-f-]{36}$/);
      expect(Math.abs(Date.parse(String(created_at)) - Date.parse(String(last_tested_at)))).toBeLessThan(
        60_000,
      );
    }
  });
});

describe('uptime', () => {
  it('by hour adds up to 24 hours, and by day to 30 days', async () => {
    for (const [kind, list, field] of [
      ['proxy', 'proxies', 'proxy_id'],
      ['tester', 'testers', 'tester_server'],
      ['target', 'targets', 'url'],
    ]) {
      const whole = await api.items(`${list}?sort=id`);
      const histories = await api.items(`uptimes?kind=${kind}`);
      expect(histories.map(({ id }) => id)).toEqual(whole.map((each) => each[String(field)]));
      for (const [index, history] of histories.entries()) {
        const { hours, days } = history as { hours: Json[]; days: Json[] };
        const uptime = whole[index]?.uptime as Record<string, Json>;
        expect([hours.length, days.length]).toEqual([24, 30]);
        for (const count of ['results', 'successes']) {
          expect(sumOf(hours, count)).toBe(uptime['24h']?.[count]);
          expect(sumOf(days, count)).toBe(uptime['30d']?.[count]);
        }
        expect(hours.at(-1)?.at).toBe('2026-07-06T14:00:00.000Z');
        expect(days.at(-1)?.at).toBe('2026-07-06T00:00:00.000Z');
      }
    }
  });

  it('can be requested for some subjects only', async () => {
    const all = await api.items('uptimes');
    const some = [all[2], all[0]].map((each) => String(each?.id));
    const answer = await api.items(`uptimes?${some.map((id) => `id=${id}`).join('&')}`);
    expect(answer).toEqual([all[0], all[2]]);
    expect(await api.items('uptimes?id=missing')).toEqual([]);
  });

  it('has a fault with a reason for the failing proxy', async () => {
    const faults = await api.items('faults');
    expect(await api.items('faults?kind=target&kind=proxy')).toEqual(faults);
    expect(await api.items('faults?kind=target')).toEqual([]);
    const none = { proxy: 0, access: 0, target: 0, tester: 0, provider: 0 };
    expect((await api.answer('faults')).total_by_kind).toEqual({ ...none, proxy: 1 });
    expect((await api.answer('faults?kind=target')).total_by_kind).toEqual(none);
    expect(faults).toEqual([
      {
        ...{ account: 'main', kind: 'proxy', subject: 'fr-3' },
        since: expect.stringMatching(/^2026-07-05T/),
        reason: expect.stringMatching(/^2 of 2 tests fail, 8 rounds in a row; /),
      },
    ]);
  });
});

describe('services, products and places', () => {
  it('match the metrics', async () => {
    for (const { service_id, price, expires_at, ...service } of await api.items('services')) {
      const { missing_proxies, effective_status } = service;
      const labels = { service_id: String(service_id) };
      expect(samples.value('proxywatch_service_price', labels)).toBe(price);
      expect(samples.value('proxywatch_service_proxies_missing', labels) ?? null).toBe(missing_proxies);
      const standing = { ...labels, standing: String(effective_status) };
      expect(samples.value('proxywatch_service_standing', standing)).toBe(1);
      expect(samples.value('proxywatch_service_expiry_timestamp_seconds', labels)).toBe(
        Date.parse(String(expires_at)) / 1_000,
      );
    }
    for (const { product_code, stock } of await api.items('products')) {
      const labels = { product_code: String(product_code) };
      expect(samples.value('proxywatch_catalog_product_stock', labels) ?? null).toBe(stock);
    }
    for (const { quote, price, state, line_items, price_after_credit, applied_credit } of await api.items(
      'quotes',
    )) {
      expect(Number(price_after_credit) + Number(applied_credit)).toBe(price);
      expect(sumOf(line_items as Json[], 'total')).toBe(price);
      expect(samples.value('proxywatch_quote_price', { quote: String(quote) }) ?? null).toBe(price);
      expect(samples.value('proxywatch_quote_valid', { quote: String(quote) })).toBe(
        Number(state === 'valid'),
      );
    }
    const city = (await api.items('places')).find(({ kind }) => kind === 'city');
    expect(samples.value('proxywatch_city_nodes', { city_id: String(city?.place_id) })).toBe(city?.nodes);
  });

  it('have details that no metric has', async () => {
    const places = new Map((await api.items('places')).map((place) => [place.kind, place]));
    expect(places.get('city')).toMatchObject({
      subdivision_id: expect.any(String),
      latitude: expect.any(Number),
      is_populous: expect.any(Boolean),
      time_zone: expect.stringContaining('/'),
      asn_type: null,
    });
    expect(places.get('asn')).toMatchObject({ asn_type: expect.any(String), asn_rir: expect.any(String) });
    expect(places.get('continent')).toMatchObject({ alias: expect.any(String), population: null });
    const [product] = (await api.items('products')).filter(({ is_listed }) => is_listed);
    expect(product).toMatchObject({ cycles: expect.arrayContaining(['1:month']), is_per_ip: true });
    const [service] = await api.items('services');
    expect(service).toMatchObject({ created_at: expect.any(String), is_reconfigurable: expect.any(Boolean) });
  });
});

describe('an account', () => {
  it('has its customer and zones, but not its keys', async () => {
    expect(await api.items('accounts')).toMatchObject([
      { account: 'main', customer_id: 4711, other_customer_id: null, time_zone: 'UTC' },
    ]);
  });

  it('has no data of a disabled collector', async () => {
    await using quiet = await ApiHarness.build(
      {},
      { inventory: false, proxy_users: false, proxy_tests: false },
    );
    for (const path of ['inventory', 'inventory/changes', 'users', 'users/summary', 'uptimes', 'faults']) {
      expect([path, await quiet.items(path)]).toEqual([path, []]);
    }
  });
});

it('no answer contains a secret', async () => {
  const { publicKey, privateKey } = api.harness.simulator;
  const { seed } = parseScenario({});
  const secrets = [publicKey, privateKey, 't0ken', userPassword(seed, 0), `${userId(0)}:`];
  for (const { path } of API_ROUTES.filter(({ path }) => !/\{(?!account)/.test(path))) {
    const request = path.replace('/api/v1/', '').replace('{account}', 'main');
    const text = JSON.stringify(await api.answer(`${request}${requiredQuery(path)}`));
    expect([path, secrets.filter((secret) => text.includes(secret))]).toEqual([path, []]);
  }
});

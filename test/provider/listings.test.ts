// Tests how the listings decode ledger entries, proxy users and proxies from sample answers.

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ProviderClient } from '../../src/provider/client.ts';
import type { Page } from '../../src/provider/pages.ts';
import { readInventory } from '../../src/provider/resources/inventory.ts';
import { readLedger } from '../../src/provider/resources/ledger.ts';
import { readProxies } from '../../src/provider/resources/proxies.ts';
import { readProxyUsers } from '../../src/provider/resources/proxy-users.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';

/** Reads a listing of one page, and returns the page and the request. */
const readOne = async <T>(data: unknown[], list: (client: ProviderClient) => AsyncIterable<Page<T>>) => {
  await using provider = await startFakeProvider(() => ({ body: { data, total_count: data.length } }));
  await using client = connect(provider);
  const pages: Page<T>[] = [];
  for await (const page of list(client)) pages.push(page);
  return { page: pages[0], request: provider.requests[0] };
};

describe('readLedger', () => {
  const list = (client: ProviderClient) => readLedger(client, 'residential', { timeZone: 'Europe/Paris' });
  const entry = {
    residential_ledger_id: '5b1d0a52-0000-4000-8000-000000000001',
    customer_id: 7,
    service_id: 'API-1234-5678',
    service_adjustment_id: 20_640,
    residential_ledger_reason: 'usage',
    residential_ledger_requests: 12,
    residential_ledger_bytes: -3_000,
    residential_ledger_period_date: '2026-03-28',
    residential_ledger_creation_datetime: '2026-03-28 00:05:00',
    residential_ledger_last_update_datetime: '2026-03-28 12:00:00',
    something_new: { a: 1 },
  };

  it('returns entries with the code’s own field names, and the end of the day in the provider’s zone', async () => {
    const { page, request } = await readOne([entry], list);
    expect(request).toMatchObject({ path: '/1.0/public/user/residential_ledger/search' });
    expect(request?.query).toMatchObject({ sort_by: 'residential_ledger_id' });
    expect(page?.items).toEqual([
      {
        id: '5b1d0a52-0000-4000-8000-000000000001',
        customerId: 7,
        serviceId: 'API-1234-5678',
        adjustmentId: 20_640,
        reason: 'usage',
        bytes: -3_000,
        requests: 12,
        periodDate: '2026-03-28',
        periodEnd: Date.parse('2026-03-28T23:00:00Z'),
        isDateGiven: true,
        createdAt: Date.parse('2026-03-27T23:05:00Z'),
        updatedAt: Date.parse('2026-03-28T11:00:00Z'),
      },
    ]);
  });

  it('accepts an entry with only the required fields', async () => {
    const bare = {
      residential_ledger_id: 'a',
      residential_ledger_reason: 'gift',
      residential_ledger_bytes: 5,
      residential_ledger_period_date: '2026-03-29',
    };
    const { page } = await readOne([bare], list);
    // The day on which daylight saving begins has 23 hours.
    const periodEnd = Date.parse('2026-03-29T22:00:00Z');
    const nothing = {
      ...{ customerId: null, serviceId: null },
      ...{ adjustmentId: null, createdAt: null, updatedAt: null },
    };
    expect(page?.items).toMatchObject([{ reason: 'gift', requests: null, periodEnd, ...nothing }]);
  });

  it.each([
    { residential_ledger_bytes: 'five' },
    { residential_ledger_bytes: null },
    { residential_ledger_bytes: 0.5 },
    { residential_ledger_bytes: 2 ** 53 },
    { residential_ledger_bytes: '9007199254740993' },
  ])('skips an entry with %j, and reports its id', async (fault) => {
    const { page } = await readOne([{ ...entry, ...fault }], list);
    expect(page).toMatchObject({ items: [], skipped: 1, skippedIds: [entry.residential_ledger_id] });
  });

  it.each([
    ['customer_id', 'seven', { customerId: null }],
    ['service_id', ['a'], { serviceId: null }],
    ['service_id', 1_234, { serviceId: '1234' }],
    ['service_adjustment_id', 'x', { adjustmentId: null }],
    ['residential_ledger_reason', null, { reason: null }],
    ['residential_ledger_reason', 7, { reason: null }],
    ['residential_ledger_requests', 'many', { requests: null }],
    ['residential_ledger_requests', '12', { requests: 12 }],
    ['residential_ledger_bytes', '-3000', { bytes: -3_000 }],
    ['residential_ledger_id', 17, { id: '17' }],
    ['residential_ledger_creation_datetime', 1_774_656_000, { createdAt: null }],
    ['residential_ledger_last_update_datetime', {}, { updatedAt: null }],
  ])('keeps the other values of an entry with the invalid %s (%j)', async (field, value, given) => {
    const { page: whole } = await readOne([entry], list);
    const { page } = await readOne([{ ...entry, [field]: value }], list);
    expect(page?.items).toEqual([{ ...whole?.items[0], ...given }]);
  });

  it.each(['2026-03-27 00:00:00', '2026-03-27T00:00:00', '2026-03-27T00:00:00.000Z'])(
    'takes the date of %s, whatever its zone',
    async (given) => {
      const { page } = await readOne([{ ...entry, residential_ledger_period_date: given }], list);
      const periodEnd = Date.parse('2026-03-27T23:00:00Z');
      expect(page?.items).toMatchObject([{ periodDate: '2026-03-27', periodEnd, isDateGiven: true }]);
    },
  );

  it.each([
    ['its creation', {}, { periodDate: '2026-03-28', periodEnd: Date.parse('2026-03-28T23:00:00Z') }],
    [
      'its last change, which may be long after the period',
      { residential_ledger_creation_datetime: null },
      { periodDate: '2026-03-29', periodEnd: null },
    ],
    [
      'nothing if it has no time at all',
      { residential_ledger_creation_datetime: null, residential_ledger_last_update_datetime: null },
      { periodDate: null, periodEnd: null },
    ],
  ])('dates an entry without a date by %s, in the provider’s zone', async (_by, missing, dated) => {
    const changed = { residential_ledger_last_update_datetime: '2026-03-29 00:30:00' };
    for (const date of [undefined, null, 'soon', '2026-02-30', 20_260_328]) {
      const undated = { ...entry, ...changed, ...missing, residential_ledger_period_date: date };
      const { page } = await readOne([undated], list);
      expect(page?.items).toMatchObject([{ ...dated, bytes: -3_000, isDateGiven: false }]);
    }
  });
});

describe('readProxyUsers', () => {
  const list = (client: ProviderClient) => readProxyUsers(client, {});
  const user = {
    proxy_user_id: 'alice',
    proxy_user_password: 'canary',
    customer_id: 7,
    ip_address_authentications: ['192.0.2.1'],
    proxy_user_access_type: 'all',
    proxy_user_enforce_https: true,
    proxy_user_is_default: false,
    proxy_user_is_deleted: true,
    proxy_user_is_strict_security: true,
    proxy_user_creation_datetime: '2026-03-01 00:00:00',
    proxy_user_last_update_datetime: '2026-03-02 00:00:00',
    proxy_user_ip_address_authentication_limit: 5,
    restricted_proxy_ids: ['p1', 'p2'],
    restricted_service_ids: [],
    proxy_user_metadata: { note: 'canary' },
    proxy_user_mobile_bytes_limit: 0,
    proxy_user_mobile_bytes_used: 0,
    mobile_bytes_left: 0,
    proxy_user_residential_bytes_limit: 1_000,
    proxy_user_residential_bytes_used: 400,
    residential_bytes_left: 600,
  };

  it('returns users with the code’s own field names, without passwords and metadata', async () => {
    const { page, request } = await readOne([user], list);
    expect(request).toMatchObject({ path: '/1.0/public/user/proxy_user/search' });
    expect(request?.query).toMatchObject({ sort_by: 'proxy_user_id' });
    expect(page?.items).toEqual([
      {
        id: 'alice',
        customerId: 7,
        accessType: 'all',
        isDefault: false,
        isDeleted: true,
        strictSecurity: true,
        enforceHttps: true,
        quotas: {
          residential: { limitBytes: 1_000, usedBytes: 400 },
          mobile: { limitBytes: 0, usedBytes: 0 },
        },
        details: {
          createdAt: '2026-03-01 00:00:00',
          updatedAt: '2026-03-02 00:00:00',
          addressLimit: 5,
          addresses: 1,
          restrictedProxies: 2,
          restrictedServices: 0,
        },
      },
    ]);
    expect(inspect(page, { depth: 9 })).not.toContain('canary');
  });

  it('leaves out details that are not as documented', async () => {
    const invalid = {
      ...{ proxy_user_creation_datetime: 'canary '.repeat(9), proxy_user_last_update_datetime: 7 },
      ...{ proxy_user_ip_address_authentication_limit: '5', ip_address_authentications: 'canary' },
      ...{ restricted_proxy_ids: { length: 3 }, restricted_service_ids: undefined },
    };
    const { page } = await readOne([{ ...user, ...invalid }], list);
    expect(Object.values(page?.items[0]?.details ?? {})).toEqual([null, null, null, null, null, null]);
  });

  it('distinguishes no limit from a limit of 0, and a missing use from a use of 0', async () => {
    const bare = {
      proxy_user_id: 'bob',
      proxy_user_residential_bytes_limit: null,
      proxy_user_creation_datetime: '?',
    };
    const { page } = await readOne([bare], list);
    const residential = { limitBytes: null, usedBytes: null };
    const mobile = { limitBytes: undefined, usedBytes: null };
    expect(page?.items).toMatchObject([{ accessType: '', isDeleted: false }]);
    expect(page?.items[0]?.quotas).toStrictEqual({ residential, mobile });
  });

  it.each([
    ['customer_id', '7', { customerId: null }],
    ['proxy_user_access_type', 1, { accessType: '' }],
    ['proxy_user_is_default', 'false', { isDefault: false }],
    ['proxy_user_is_deleted', 0, { isDeleted: false }],
    ['proxy_user_is_strict_security', {}, { strictSecurity: false }],
    ['proxy_user_enforce_https', 1, { enforceHttps: false }],
  ])('keeps the other values of a user with the invalid %s (%j)', async (field, value, given) => {
    const { page: whole } = await readOne([user], list);
    const { page } = await readOne([{ ...user, [field]: value }], list);
    expect(page?.items).toEqual([{ ...whole?.items[0], ...given }]);
  });

  it.each([
    // The user must not count as unlimited.
    { proxy_user_residential_bytes_limit: '1000' },
    { proxy_user_mobile_bytes_limit: 0.5 },
    { proxy_user_residential_bytes_used: 2 ** 53 },
    { proxy_user_mobile_bytes_used: [] },
  ])('skips a user with %j, and reports its id', async (fault) => {
    const { page } = await readOne([{ ...user, ...fault }], list);
    expect(page).toMatchObject({ items: [], skipped: 1, skippedIds: ['alice'] });
  });

  it.each([null, 'alice', 7, [], {}, { proxy_user_id: '' }, { proxy_user_id: 7 }])(
    'skips %j, which is not a user',
    async (item) => {
      const { page } = await readOne([item, user], list);
      expect(page).toMatchObject({ items: [{ id: 'alice' }], skipped: 1 });
    },
  );
});

describe('readProxies', () => {
  const proxy = {
    proxy_id: 'p1',
    proxy_type: 'isp',
    proxy_protocol: 'dual',
    proxy_status: 'in_use',
    proxy_ip_address: '192.0.2.1',
    proxy_ip_address_v6: '2001:db8::1',
    proxy_http_port: 8000,
    proxy_socks5_port: 8001,
    default_proxy_user_username: 'bob',
    default_proxy_user_password: 'canary',
    customer_id: 7,
    service_id: 'API-1',
    asn_id: 64_496,
    asn_name: 'Example',
    city_name: 'Paris',
    country_id: 'fr',
    subnet_id: '192.0.2.0/24',
  };

  it('returns proxies with the code’s own field names, and their passwords as secrets', async () => {
    const { page } = await readOne([proxy, { proxy_id: 'p2', subnet_id_v6: '2001:db8::/64' }], (client) =>
      readProxies(client, {}),
    );
    const [full, bare] = page?.items ?? [];
    expect(full).toMatchObject({
      id: 'p1',
      type: 'isp',
      protocol: 'dual',
      status: 'in_use',
      address: '192.0.2.1',
      httpPort: 8000,
      socks5Port: 8001,
      username: 'bob',
      customerId: 7,
      serviceId: 'API-1',
      asnId: 64_496,
      asnName: 'Example',
      cityName: 'Paris',
      countryId: 'fr',
      subnetId: '192.0.2.0/24',
    });
    expect(full?.password?.reveal()).toBe('canary');
    expect(inspect(full) + JSON.stringify(full)).not.toContain('canary');
    expect(bare).toMatchObject({ id: 'p2', address: null, password: null, subnetId: '2001:db8::/64' });
  });

  it('returns all details of proxies, and leaves out invalid values', async () => {
    const full = {
      ...proxy,
      ...{ ip_address_id_v4: 'four', ip_address_id_v6: 'six', subnet_id_v6: '2001:db8::/64' },
      ...{
        service_line_item_id: 'line',
        proxy_user_ids: ['bob'],
        proxy_last_update_datetime: '2026-03-28 12:00:00',
      },
      ...{
        city_latitude: 48.86,
        city_longitude: 2.35,
        city_example_postcode: '75001',
        city_timezone: 'Europe/Paris',
      },
      ...{ country_name: 'France', subdivision_id: 'fr-idf', subdivision_name: 'Ile-de-France' },
    };
    const invalid = {
      ...{ city_latitude: '48', proxy_user_ids: [7], proxy_last_update_datetime: 5, country_name: {} },
    };
    const { page } = await readOne([full, { ...full, ...invalid, proxy_id: 'p2' }, 'none'], (client) =>
      readInventory(client, { timeZone: 'Europe/Paris' }),
    );
    const details = {
      ...{ addressV6: '2001:db8::1', addressIdV4: 'four', addressIdV6: 'six', subnetIdV6: '2001:db8::/64' },
      ...{ lineItemId: 'line', userIds: ['bob'], updatedAt: Date.parse('2026-03-28T11:00:00Z') },
      ...{ latitude: 48.86, longitude: 2.35, examplePostcode: '75001', timeZone: 'Europe/Paris' },
      ...{ countryName: 'France', subdivisionId: 'fr-idf', subdivisionName: 'Ile-de-France' },
    };
    const nothing = { latitude: null, userIds: null, updatedAt: null, countryName: null };
    expect(page?.items).toMatchObject([details, { ...details, ...nothing }]);
    expect(page?.skipped).toBe(2);
  });

  it('compares the filter with the fields of the items, and summarizes the unfiltered listing', async () => {
    const filter = { proxy_type: 'isp', country_id: 'fr', min_asn_id: 1 };
    const elsewhere = { ...proxy, proxy_id: 'p2', country_id: 'de' };
    const { page, request } = await readOne([proxy, elsewhere], (client) => readProxies(client, { filter }));
    expect(request?.query).toMatchObject({ proxy_type: 'isp', country_id: 'fr', min_asn_id: '1' });
    expect(page?.items.map(({ id }) => id)).toEqual(['p1']);
    expect(page?.summary).toMatchObject({ distinctIds: 2, isComplete: true });
  });
});

// Tests searches and retrievals: envelope, paging, filters, operators and sorting.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSimulator, type SimulatorClient } from './simulator-client.ts';

let client: SimulatorClient;
beforeAll(async () => {
  client = await openSimulator({ users: 250, proxies: 300 });
});
afterAll(() => client[Symbol.asyncDispose]());

const search = async (resource: string, query: Record<string, string | number> = {}) => {
  const { status, body } = await client.get(`${resource}/search`, query);
  expect(status).toBe(200);
  return body;
};
const field = async (name: string, query: Record<string, string | number>, resource = 'proxy_user') =>
  (await search(resource, { per_page: 100, ...query })).data.map((item) => item[name]);

describe('pages', () => {
  test('have the envelope and 100 items by default', async () => {
    const { data, ...envelope } = await search('proxy_user');
    expect(data).toHaveLength(100);
    expect(envelope).toEqual({
      ...{ item_count: 100, message: expect.any(String), page: 1, per_page: 100, total_count: 250 },
    });
  });

  test('together contain each item of the listing once', async () => {
    const ids = await Promise.all([1, 2, 3].map((page) => field('proxy_user_id', { page })));
    expect(new Set(ids.flat()).size).toBe(250);
  });

  test('beyond the end are empty', async () => {
    expect(await search('proxy_user', { page: 4 })).toMatchObject({
      data: [],
      item_count: 0,
      total_count: 250,
    });
  });

  test.each([{ page: 0 }, { page: 'x' }, { per_page: 0 }, { per_page: 101 }])('refuse %o', async (query) => {
    expect((await client.get('proxy_user/search', query as Record<string, string>)).status).toBe(400);
  });
});

describe('filters', () => {
  test('accept exact values of texts, booleans and numbers', async () => {
    expect(await field('proxy_user_id', { proxy_user_id: 'user-000007' })).toEqual(['user-000007']);
    const deleted = await field('proxy_user_is_deleted', { proxy_user_is_deleted: 'True' });
    expect(new Set(deleted)).toEqual(new Set([true]));
    expect((await search('proxy', { asn_id: 64_500 })).total_count).toBeGreaterThan(0);
  });

  test('accept operators', async () => {
    const ids = { min_proxy_user_id: 'user-000010', max_proxy_user_id: 'user-000019' };
    expect(await field('proxy_user_id', ids)).toHaveLength(10);
    expect(await field('proxy_user_id', { like_proxy_user_id: 'USER-0000%7' })).toHaveLength(10);
    const access = await field('proxy_user_access_type', { not_proxy_user_access_type: 'all' });
    expect(new Set(access)).toEqual(new Set(['service_restricted', 'proxy_restricted']));
    const used = await field('proxy_user_residential_bytes_used', {
      min_proxy_user_residential_bytes_used: 1e9,
    });
    expect(used.length).toBeGreaterThan(0);
    expect(used.every((bytes) => Number(bytes) >= 1e9)).toBe(true);
  });

  test('are combined with AND', async () => {
    const query = { proxy_type: 'isp', country_id: 'fr' };
    const { data } = await search('proxy', query);
    expect(data.length).toBeGreaterThan(0);
    for (const item of data) expect(item).toMatchObject(query);
  });

  test('find a proxy by a user that may use it', async () => {
    expect((await search('proxy', { proxy_user_id: 'user-000000' })).total_count).toBe(300);
    expect((await search('proxy', { proxy_user_id: 'user-000001' })).total_count).toBe(0);
  });

  test('reject unknown filters and sort keys', async () => {
    expect((await client.get('proxy_user/search', { user: 'x' })).status).toBe(400);
    expect((await client.get('proxy_user/search', { sort_by: 'size' })).status).toBe(400);
  });
});

describe('sorting', () => {
  test('is ascending by default', async () => {
    const name = 'proxy_user_creation_datetime';
    const up = await field(name, { sort_by: name });
    expect(up).toEqual([...up].sort());
    expect(await field(name, { sort_by: `${name}_asc` })).toEqual(up);
    const down = await field(name, { sort_by: `${name}_desc` });
    expect(down).toEqual([...down].sort().reverse());
  });

  test('orders numbers by value and nulls last', async () => {
    const name = 'proxy_user_residential_bytes_limit';
    const up = [
      ...(await field(name, { sort_by: name })),
      ...(await field(name, { sort_by: name, page: 2 })),
      ...(await field(name, { sort_by: name, page: 3 })),
    ];
    const numbers = up.filter((value) => value !== null).map(Number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(up.slice(numbers.length).every((value) => value === null)).toBe(true);
  });

  test('random shuffles each request differently', async () => {
    const shuffled = await field('proxy_user_id', { sort_by: 'random' });
    expect(shuffled).not.toEqual(await field('proxy_user_id', { sort_by: 'random' }));
  });
});

describe('retrievals', () => {
  test('of a service, with its proxies on request', async () => {
    const [proxy] = (await search('proxy')).data;
    const path = `service/retrieve/${proxy?.service_id}`;
    const bare = (await client.get(path)).body.data;
    expect(bare).toMatchObject({ service_id: proxy?.service_id, service_type: proxy?.proxy_type });
    expect(bare).not.toHaveProperty('proxies');
    const { proxies } = (await client.get(path, { proxies: 'True' })).body.data;
    expect(proxies).toHaveLength(75);
  });

  test('of a proxy in use only', async () => {
    const [used] = (await search('proxy', { proxy_status: 'in_use' })).data;
    const [idle] = (await search('proxy', { not_proxy_status: 'in_use' })).data;
    expect((await client.get(`proxy/retrieve/${used?.proxy_id}`)).body.data).toEqual(used);
    expect((await client.get(`proxy/retrieve/${idle?.proxy_id}`)).status).toBe(404);
  });

  test('each proxy has a unique pair of host and port', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => search('proxy', { page })));
    const all = pages.flatMap(({ data }) => data);
    expect(new Set(all.map((item) => `${item.proxy_ip_address}:${item.proxy_http_port}`)).size).toBe(300);
  });
});

test('a listing of 100,000 users can be read to its last page', async () => {
  await using large = await openSimulator({ users: 100_000 });
  const { body } = await large.get('proxy_user/search', { page: 1_000, sort_by: 'proxy_user_id_asc' });
  expect(body.total_count).toBe(100_000);
  expect(body.data.at(-1)?.proxy_user_id).toBe('user-099999');
});

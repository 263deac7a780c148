// Tests the server around the endpoints: keys, rate limit, unknown paths, admin API, scenario and request counts.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DAY, SECOND } from '../../src/lib/time.ts';
import { demoScenario, parseScenario } from '../../src/simulator/simulator.ts';
import { openSimulator, type Row } from './simulator-client.ts';

describe('keys', () => {
  test.each([
    ['none', {}],
    ['one of two', { 'x-api-public-key': 'demo-public' }],
    ['wrong ones', { 'x-api-public-key': 'demo-public', 'x-api-private-key': 'wrong' }],
  ])('%s: 401 with the usual body', async (_, headers) => {
    await using client = await openSimulator();
    const response = await fetch(`${client.simulator.baseUrl}/public/user/proxy/search`, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: 'Unauthorized',
      message: 'API key authentication is required.',
      api_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });
});

test('unknown paths and ids are 404, other methods 405, bodies that are not JSON 400', async () => {
  await using client = await openSimulator();
  expect((await client.get('moon/search')).status).toBe(404);
  expect((await client.get('service/retrieve/API-0')).body.error).toBe('Not Found');
  expect((await client.post('proxy/search', {})).status).toBe(405);
  expect((await client.get('proxy_test_run/create')).status).toBe(405);
  const { baseUrl, publicKey, privateKey } = client.simulator;
  const response = await fetch(`${baseUrl}/public/user/proxy_test_run/create`, {
    ...{
      method: 'POST',
      body: '{',
      headers: { 'x-api-public-key': publicKey, 'x-api-private-key': privateKey },
    },
  });
  expect(response.status).toBe(400);
});

test('the rate limit counts requests per second of the injected clock', async () => {
  await using client = await openSimulator({ pace: 3, users: 1 });
  const ask = async () => (await client.get('proxy_user/search')).status;
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
  client.clock.advance(SECOND);
  expect(await ask()).toBe(200);
});

test('answers carry the date of the injected clock', async () => {
  await using client = await openSimulator();
  const { headers } = await client.get('proxy/search');
  expect(headers.get('date')).toBe('Fri, 10 Jul 2026 12:34:56 GMT');
});

test('requests are counted by endpoint and status, and the newest are kept', async () => {
  await using client = await openSimulator();
  await Promise.all([client.get('proxy/search', { page: 2 }), client.get('proxy/search', { page: 'x' })]);
  const { requests } = client.simulator;
  expect([
    requests.count(),
    requests.count('proxy/search', 200),
    requests.count('proxy/search', 400),
  ]).toEqual([2, 1, 1]);
  expect(requests.recent.map(({ query }) => query.page).sort()).toEqual(['2', 'x']);
  expect(requests.maxInFlight('proxy/search')).toBeGreaterThanOrEqual(1);
});

describe('the admin API', () => {
  test('replaces faults, outages and changes as whole lists, and returns them', async () => {
    await using client = await openSimulator();
    const root = new URL('/-/', client.simulator.baseUrl).href;
    const put = (path: string, list: unknown) =>
      fetch(root + path, { method: 'PUT', body: JSON.stringify(list) });
    expect((await put('faults', [{ kind: 'status', status: 500 }])).status).toBe(200);
    expect((await client.get('proxy/search')).status).toBe(500);
    expect((await put('faults', [{ kind: 'cut_off' }, { kind: 'meteor' }])).status).toBe(400);
    expect(await (await fetch(`${root}faults`)).json()).toMatchObject([{ kind: 'status', status: 500 }]);
    expect((await put('outages', [{ kind: 'tester', subject: '*' }])).status).toBe(200);
    expect(client.simulator.outages.list).toMatchObject([{ kind: 'tester', subject: '*' }]);
    expect((await put('faults', [])).status).toBe(200);
    const removal = { kind: 'proxy', subject: 0, absent: true };
    expect((await put('changes', [removal])).status).toBe(200);
    expect((await client.get('proxy/search')).body.total_count).toBe(59);
    expect((await put('changes', [{ ...removal, subject: 1 }, { kind: 'moon' }])).status).toBe(400);
    expect(await (await fetch(`${root}changes`)).json()).toMatchObject([removal]);
    expect((await fetch(`${root}moon`)).status).toBe(404);
  });

  test('returns the truth', async () => {
    await using client = await openSimulator({ users: 2 });
    const url = new URL('/-/truth?network=isp', client.simulator.baseUrl);
    const answer = (await (await fetch(url)).json()) as { traffic: object; users: object };
    const { truth } = client.simulator;
    expect(answer.traffic).toEqual(truth.traffic({ network: 'isp' }, 0, client.clock.now()));
    expect(answer.users).toEqual(Object.fromEntries(truth.users()));
  });
});

describe('a scenario', () => {
  test('has a default for every field', () => {
    expect(parseScenario({})).toMatchObject({
      seed: 1,
      pace: 10,
      time_zone: 'UTC',
      test_runs_per_day: 5_000,
    });
  });

  test.each([
    { moon: 1 },
    { time_zone: 'Moon/Tranquility' },
    { users: 100_001 },
    { traffic: { moon: 1 } },
    { changes: [{ kind: 'proxy', subject: 0, set: { city_id: 1 } }] },
    { changes: [{ kind: 'service', subject: 0, set: { service_cycle: 'monthly' } }] },
  ])('with %o is invalid', (input) => {
    expect(() => parseScenario(input)).toThrow(z.ZodError);
  });

  test('of the demo has users, proxies and products in every state', async () => {
    await using client = await openSimulator({ ...demoScenario });
    const { data } = (await client.get('proxy_user/search')).body;
    const left = data.map((user) => [user.residential_bytes_left, user.proxy_user_residential_bytes_limit]);
    expect(left.some(([bytes]) => bytes === null)).toBe(true);
    expect(left.some(([bytes, limit]) => bytes !== null && Number(limit) > 0 && Number(bytes) <= 0)).toBe(
      true,
    );
    const proxies = (await client.get('proxy/search')).body.data;
    expect(new Set(proxies.map((item) => item.proxy_type)).size).toBe(4);
    expect(parseScenario(demoScenario).testers.length).toBeGreaterThanOrEqual(4);
    const catalog: object = (await client.get('checkout/catalog')).body.data;
    const available = Object.values(catalog).map((product: Row) => product.product_is_available);
    expect(new Set(available)).toEqual(new Set([true, false]));
  });

  test('of the demo has services and proxies that change within three days', async () => {
    await using client = await openSimulator({ ...demoScenario });
    const seen = {
      places: new Map<unknown, Set<string>>(),
      listings: new Set<number>(),
      services: new Set<string>(),
    };
    for (let half = 0; half < 6; half += 1) {
      const { data } = (await client.get('proxy/search')).body;
      seen.listings.add(data.length);
      for (const { proxy_id, proxy_ip_address, asn_id, city_id } of data) {
        const places = seen.places.get(proxy_id) ?? new Set();
        seen.places.set(proxy_id, places.add(`${proxy_ip_address} ${asn_id} ${city_id}`));
      }
      for (const id of new Set(data.map(({ service_id }) => service_id))) {
        const service = (await client.get(`service/retrieve/${id}`)).body.data;
        seen.services.add(`${service.service_status} ${service.service_is_pending_cancellation}`);
      }
      client.clock.advance(DAY / 2);
    }
    expect([...seen.listings].sort()).toEqual([24, 25]);
    expect([...seen.places.values()].filter(({ size }) => size > 1)).toHaveLength(2);
    expect(seen.services).toEqual(new Set(['active false', 'active true', 'paused false']));
  });
});

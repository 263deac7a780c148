// Tests proxy_test_run/create: the matrix of results, the source of each failure, and the limits.

import { describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { openSimulator, type Row, type SimulatorClient } from './simulator-client.ts';

const URLS = ['https://example.com', 'https://shop.example/?token=secret'];
const LONDON = 'london-2-digitalocean-proxytester-1';

const inventory = async (client: SimulatorClient) => (await client.get('proxy/search')).body.data;
const textOf = (item: Row, password = item.default_proxy_user_password) =>
  `${item.proxy_ip_address}:${item.proxy_http_port}:${item.default_proxy_user_username}:${password}`;
const run = async (client: SimulatorClient, texts: string[], more: object = {}) => {
  const proxies = texts.map((proxy_string) => ({ proxy_string }));
  const { status, body } = await client.post('proxy_test_run/create', { proxies, urls: URLS, ...more });
  expect(status).toBe(200);
  const results = Object.values(body.data as unknown as Record<string, { results: Row[] }>);
  return { body, results: results.flatMap((entry) => entry.results) };
};
const errors = (results: readonly Row[]) =>
  results.map((one) => `${one.proxy_test_result_error_source} ${one.proxy_test_result_error_code}`);

describe('a run', () => {
  test('has one result for each proxy, url and tester, keyed by tester proxy', async () => {
    await using client = await openSimulator();
    const texts = (await inventory(client)).slice(0, 3).map((item) => textOf(item));
    const { body, results } = await run(client, texts);
    expect(body.created).toHaveLength(1);
    expect(Object.keys(body.data)).toEqual(body.proxy_tester_proxy_created);
    expect(results.map((one) => one.proxy_test_result_id)).toEqual(body.proxy_test_result_created);
    const cells = results.map(
      (one) => `${one.proxy_host} ${one.proxy_test_result_url} ${one.proxy_test_server_id}`,
    );
    expect(new Set(cells).size).toBe(3 * 2 * 4);
    expect(results.every((one) => one.proxy_test_result_is_successful)).toBe(true);
    expect(results.every((one) => Number.isInteger(one.proxy_test_result_response_time))).toBe(true);
    expect(new Set(results.map((one) => one.proxy_test_server_city_name)).size).toBe(4);
  });

  test('finds a proxy by its current address', async () => {
    await using client = await openSimulator();
    const [before = {} as Row] = await inventory(client);
    const set = { proxy_ip_address: '192.0.2.77', default_proxy_user_password: 'new' };
    client.simulator.changes.add({ kind: 'proxy', subject: 0, set });
    const [after = {} as Row] = await inventory(client);
    const { results } = await run(client, [textOf(before), textOf(after), textOf(after, 'old')], {
      proxy_tester_server_id: [LONDON],
    });
    const known = results.map((one) => [one.proxy_ip_address, one.proxy_test_result_is_successful]);
    expect(known.filter((_, index) => index % 2 === 0)).toEqual([
      [null, true],
      ['192.0.2.77', true],
      ['192.0.2.77', false],
    ]);
  });

  test('uses only the requested testers, and accepts URLs of proxies', async () => {
    await using client = await openSimulator();
    const more = { proxy_tester_server_id: [LONDON] };
    const { results } = await run(client, ['socks5://a:b@192.0.2.1:1080', 'http://c:d@192.0.2.2:80'], more);
    expect(results).toHaveLength(4);
    expect(results.map((one) => one.proxy_test_result_protocol)).toEqual([
      'socks5',
      'socks5',
      'http',
      'http',
    ]);
    expect(results[0]).toMatchObject({ proxy_username: 'a', proxy_port: 1080, proxy_asn_id: null });
  });

  test('is rejected if malformed or against the rules', async () => {
    await using client = await openSimulator();
    const proxies = [{ proxy_string: '192.0.2.1:80:a:b' }];
    const bodies = [
      [{}, 400],
      [{ proxies, urls: [] }, 400],
      [{ proxies, urls: ['ftp://example.com'] }, 400],
      [{ proxies: [{ proxy_string: 'nonsense' }], urls: URLS }, 400],
      [{ proxies: Array.from({ length: 21 }, () => proxies[0]), urls: URLS }, 422],
      [{ proxies, urls: URLS, proxy_tester_server_id: ['nowhere'] }, 422],
    ] as const;
    for (const [body, status] of bodies) {
      expect((await client.post('proxy_test_run/create', body)).status).toBe(status);
    }
  });

  test('counts towards the daily limit', async () => {
    await using client = await openSimulator({ test_runs_per_day: 1 });
    const body = { proxies: [{ proxy_string: '192.0.2.1:80:a:b' }], urls: URLS };
    const statuses = [await client.post('proxy_test_run/create', body)];
    statuses.push(await client.post('proxy_test_run/create', body));
    client.clock.advance(DAY);
    statuses.push(await client.post('proxy_test_run/create', body));
    expect(statuses.map(({ status }) => status)).toEqual([200, 429, 200]);
  });
});

describe('failures', () => {
  test('have the client, the proxy or the target as their source', async () => {
    await using client = await openSimulator();
    const [item] = await inventory(client);
    const more = { proxy_tester_server_id: [LONDON], urls: ['https://example.com'] };
    const failing = async (text: string, urls = more.urls) =>
      errors((await run(client, [text], { ...more, urls })).results);
    expect(await failing('proxy.invalid:80:a:b')).toEqual(['client dns_error']);
    expect(await failing(textOf(item as Row, 'wrong'))).toEqual(['proxy authentication_failed']);
    expect(await failing(textOf(item as Row), ['https://nowhere.invalid/'])).toEqual(['target dns_error']);
  });

  test('last as long as their outage', async () => {
    await using client = await openSimulator({
      outages: [{ kind: 'proxy', subject: '192.0.2.1', until: '2026-07-10T13:00:00Z' }],
    });
    const { outages } = client.simulator;
    const failed = async () =>
      (await run(client, ['192.0.2.1:80:a:b', '192.0.2.2:80:a:b'])).results
        .filter((one) => !one.proxy_test_result_is_successful)
        .map((one) => [one.proxy_host, one.proxy_test_result_url, one.proxy_test_server_id]);
    expect(new Set((await failed()).map(([host]) => host))).toEqual(new Set(['192.0.2.1']));
    client.clock.advance(30 * MINUTE);
    expect(await failed()).toEqual([]);
    outages.add({ kind: 'tester', subject: LONDON });
    expect(new Set((await failed()).map(([, , tester]) => tester))).toEqual(new Set([LONDON]));
    outages.replace([{ kind: 'target', subject: 'shop.example', error_code: 'captcha' }]);
    expect(new Set((await failed()).map(([, url]) => url))).toEqual(new Set([URLS[1]]));
    outages.replace([{ kind: 'proxy', subject: '*' }]);
    expect(await failed()).toHaveLength(16);
    outages.clear();
    expect(await failed()).toEqual([]);
  });

  test('come and go by incident and by flapping', async () => {
    await using client = await openSimulator({
      proxy_incident_ratio: 1,
      outages: [{ kind: 'tester', subject: '*', flap: { period_minutes: 60, bad_minutes: 10 } }],
    });
    const seen = new Set<string>();
    for (let hour = 0; hour < 24; hour++) {
      const { results } = await run(client, ['192.0.2.1:80:a:b'], { proxy_tester_server_id: [LONDON] });
      for (const error of errors(results)) seen.add(error);
      client.clock.advance(35 * MINUTE);
    }
    expect(seen).toEqual(new Set(['null null', 'proxy connection_timeout', 'client tester_unavailable']));
  });
});

// Tests the API about proxy tests with a view that the tests control: pages, parameters, ETags and shapes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedProxy } from '../../src/collectors/proxy-tests/listed-proxies.ts';
import type {
  LazyItem,
  ProxySummary,
  SubjectSummary,
  TesterSummary,
} from '../../src/collectors/proxy-tests/summaries.ts';
import type { TestView } from '../../src/http/daemon-view.ts';
import { SECOND } from '../../src/lib/time.ts';
import type { RecentFailure, Uptime } from '../../src/store/test-history-store.ts';
import { NOW, startServer, type TestServer, testView } from './support.ts';

const PATHS = ['/api/v1/proxies', '/api/v1/testers', '/api/v1/targets', '/api/v1/failures'];

interface Answer {
  readonly data: Record<string, unknown>[];
  readonly next_cursor?: string | null;
}

const startTests = (part: Partial<TestView>): Promise<TestServer> => startServer({ tests: testView(part) });

const answerOf = async (server: TestServer, path: string): Promise<Answer> => {
  const response = await fetch(server.url + path);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

const uptimesOf = (uptime: Partial<Uptime> = {}): SubjectSummary['uptime'] => {
  const sums = { results: 0, successes: 0, sumMs: 0, ownFailures: 0, otherFailures: 0, ...uptime };
  return { '24h': sums, '7d': sums, '30d': sums, '90d': sums };
};

const subject = (id: string, part: Partial<TesterSummary> = {}): LazyItem<TesterSummary> => ({
  id,
  read: async () => ({ id, faultSince: null, uptime: uptimesOf(), place: undefined, ...part }),
});

/** Returns a view with these testers by account, which may change. */
const testersOf = (accounts: Readonly<Record<string, readonly string[]>>): Partial<TestView> => ({
  revision: async () => JSON.stringify(accounts),
  testers: async (account) => (accounts[account] ?? []).map((id) => subject(id)),
});

/** Returns the proxy as the daemon lists it. */
const listed = (proxy: ProxySummary): ListedProxy => ({
  ...proxy,
  read: async () => proxy,
  hasResults: proxy.uptime['30d'].results > 0,
  readUptime: async () => proxy.uptime['24h'],
});

const proxyOf = (id: string): ProxySummary => ({
  ...{ id, name: '', productType: '', protocol: 'http', tests: [], uptime: uptimesOf() },
  ...{ host: '192.0.2.1', port: 8_000, observation: null },
  ...{ lastTestedAt: null, failingRounds: 0, faultSince: null, accessFaultSince: null },
  failing: { own: 0, explainedBy: [] },
});

const failure = (proxy: string, at: number): RecentFailure => ({
  ...{ proxy, at, number: at, url: 'shop', tester: 'london' },
  ...{ errorSource: 'target', errorCode: null },
});

/** Reads all pages; items are returned as `account id`. */
const allPages = async (server: TestServer, path: string, limit: number): Promise<string[][]> => {
  const pages: string[][] = [];
  let cursor: string | null | undefined;
  do {
    const query = new URLSearchParams({ sort: 'id', limit: String(limit), ...(cursor && { cursor }) });
    const { data, next_cursor } = await answerOf(server, `${path}?${query}`);
    pages.push(data.map(({ account, tester_server }) => `${account} ${tester_server}`));
    cursor = next_cursor;
  } while (cursor);
  return pages;
};

describe('pages', () => {
  it('contain each item once, ordered by account and id, and are full except the last one', async () => {
    const ids = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(ids, ids, fc.integer({ min: 1, max: 9 }), async (main, shop, limit) => {
        await using server = await startTests(testersOf({ shop, main }));
        const pages = await allPages(server, '/api/v1/testers', limit);
        const inOrder = (account: string, own: string[]) => own.toSorted().map((id) => `${account} ${id}`);
        expect(pages.flat()).toEqual([...inOrder('main', main), ...inOrder('shop', shop)]);
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
      }),
      { numRuns: 25 },
    );
  });

  it('continue after the last page even if its last item was removed', async () => {
    const main = ['a', 'b', 'c', 'd'];
    await using server = await startTests(testersOf({ main }));
    const { next_cursor } = await answerOf(server, '/api/v1/testers?sort=id&limit=2');
    main.splice(0, 2, 'aa');
    const { data } = await answerOf(server, `/api/v1/testers?sort=id&limit=2&cursor=${next_cursor}`);
    expect(data.map(({ tester_server }) => tester_server)).toEqual(['c', 'd']);
  });

  it('have 100 items by default, and read no others', async () => {
    const read: string[] = [];
    const proxies = Array.from({ length: 150 }, (_, n) => {
      const proxy = listed(proxyOf(String(n).padStart(3, '0')));
      return {
        ...proxy,
        read: () => {
          read.push(proxy.id);
          return proxy.read();
        },
      };
    });
    await using server = await startTests({
      proxies: async (account) => (account === 'main' ? proxies : []),
    });
    expect((await answerOf(server, '/api/v1/proxies')).data).toHaveLength(100);
    expect(read).toHaveLength(100);
    expect((await answerOf(server, '/api/v1/proxies?limit=1000')).data).toHaveLength(150);
  });

  it('are restricted to the requested accounts', async () => {
    await using server = await startTests(testersOf({ main: ['a'], shop: ['b'] }));
    const accountsOf = async (query: string) =>
      (await answerOf(server, `/api/v1/testers?${query}`)).data.map(({ account }) => account);
    expect(await accountsOf('account=shop')).toEqual(['shop']);
    expect(await accountsOf('account=shop&account=main&account=shop')).toEqual(['main', 'shop']);
  });
});

describe('a parameter', () => {
  const LIMIT = 'limit: expected one whole number from 1 to 1000';
  const CURSOR = 'cursor: expected an unchanged next_cursor of an answer';
  const cursorOf = (text: string): string => Buffer.from(text).toString('base64url');

  it.each(PATHS)('of %s is named if it is wrong', async (path) => {
    await using server = await startServer();
    const errorOf = async (query: string): Promise<unknown> => {
      const response = await fetch(`${server.url}${path}?${query}`);
      expect(response.status).toBe(400);
      expect(response.headers.get('etag')).toBeNull();
      return ((await response.json()) as { error: unknown }).error;
    };
    expect(await errorOf('account=main&account=other')).toBe(
      'account: "other" is not known; expected one of main, shop',
    );
    for (const limit of ['', '0', '1001', '-1', '1.5', '1e2', '0x10', '%201', 'all']) {
      expect([limit, await errorOf(`limit=${limit}`)]).toEqual([limit, LIMIT]);
    }
  });

  it.each(PATHS.slice(0, 3))('cursor of %s must come from an answer', async (path) => {
    await using server = await startServer();
    const validCursor = cursorOf(`main\n${JSON.stringify(['id ', null, 'fr-1'])}`);
    for (const cursor of ['', '!', cursorOf('main'), `${validCursor}=`, `${validCursor}!`]) {
      const response = await fetch(`${server.url}${path}?cursor=${cursor}`);
      expect([cursor, response.status, await response.json()]).toEqual([cursor, 400, { error: CURSOR }]);
    }
    expect((await fetch(`${server.url}${path}?sort=id&cursor=${validCursor}`)).status).toBe(200);
  });
});

describe('an ETag', () => {
  const request = (server: TestServer, path: string, known?: string): Promise<Response> =>
    fetch(server.url + path, { headers: known === undefined ? {} : { 'if-none-match': known } });
  const tagOf = async (server: TestServer, path: string): Promise<string> =>
    (await request(server, path)).headers.get('etag') ?? '';

  it.each(PATHS)('gives 304 for %s until the answer may differ', async (path) => {
    let revision = 'first';
    await using server = await startTests({ revision: async () => revision });
    const tag = await tagOf(server, path);
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    for (const known of [tag, `"other", ${tag}`, tag.replace('W/', ''), '*']) {
      const response = await request(server, path, known);
      expect([known, response.status, await response.text()]).toEqual([known, 304, '']);
      expect(response.headers.get('etag')).toBe(tag);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
    }
    expect((await request(server, path, '"other", W/"another"')).status).toBe(200);
    revision = 'second';
    const response = await request(server, path, tag);
    expect(response.status).toBe(200);
    expect(response.headers.get('etag')).not.toBe(tag);
  });

  it('differs between paths and parameters', async () => {
    await using server = await startServer();
    const paths = [...PATHS, '/api/v1/proxies?limit=5', '/api/v1/proxies?account=main'];
    const tags = await Promise.all(paths.map((path) => tagOf(server, path)));
    expect(new Set(tags).size).toBe(paths.length);
  });

  it('saves reading the data, not only sending it', async () => {
    const failing = async () => Promise.reject(new Error('read anyway'));
    await using server = await startTests({ proxies: failing });
    expect((await request(server, '/api/v1/proxies', '*')).status).toBe(304);
    const response = await request(server, '/api/v1/proxies');
    expect(response.status).toBe(500);
    expect(response.headers.get('etag')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('GET /api/v1/proxies', () => {
  const cell = {
    proxy: 'fr-1',
    url: 'shop',
    results: 9,
    successes: 8,
    heldUntil: 0,
    history: 0,
    rounds: 8,
    sources: 0,
  };

  it('names the kind of the fault of a proxy, and filters by it', async () => {
    const proxies = [
      { ...proxyOf('sound'), uptime: uptimesOf({ results: 1, successes: 1, sumMs: 1 }) },
      { ...proxyOf('faulty'), faultSince: NOW, accessFaultSince: NOW },
      {
        ...proxyOf('refused'),
        accessFaultSince: NOW,
        uptime: uptimesOf({ results: 1, successes: 0, sumMs: 0 }),
      },
    ];
    await using server = await startTests({
      proxies: async (account) => (account === 'main' ? proxies.map(listed) : []),
    });
    const found = async (query: string) => {
      const { data } = await answerOf(server, `/api/v1/proxies?sort=id${query}`);
      return data.map(({ proxy_id, fault, fault_kind }) => [proxy_id, fault, fault_kind]);
    };
    const [faulty, refused, sound] = await found('');
    expect([faulty, refused, sound]).toEqual([
      ['faulty', true, 'proxy'],
      ['refused', false, 'access'],
      ['sound', false, null],
    ]);
    expect(await found('&fault_kind=access')).toEqual([refused]);
    expect(await found('&fault_kind=proxy&fault_kind=access')).toEqual([faulty, refused]);
    expect(await found('&fault=false')).toEqual([refused, sound]);
  });

  it('returns times as RFC 3339, durations in seconds, and ratios', async () => {
    const tested = {
      ...{ id: 'fr-1', name: 'Paris', productType: 'isp', protocol: 'http', host: '192.0.2.1', port: 8_000 },
      observation: {
        ...{ resultId: 'r1', testerProxyId: 't1', createdAt: NOW, updatedAt: null },
        ...{
          address: '192.0.2.9',
          countryId: 'fr',
          cityId: 202,
          cityName: 'Paris',
          asnId: 64_500,
          asnName: null,
        },
      },
      ...{ lastTestedAt: NOW, failingRounds: 2, faultSince: NOW - 60 * SECOND, accessFaultSince: null },
      failing: { own: 0, explainedBy: [{ kind: 'tester' as const, subject: 'paris', tests: 1 }] },
      tests: [
        {
          ...{ ...cell, tester: 'london', at: NOW, isSuccessful: true },
          ...{ errorSource: null, errorCode: null, responseTimeMs: 412 },
        },
        {
          ...{ ...cell, tester: 'paris', at: NOW - SECOND, isSuccessful: false },
          ...{ errorSource: 'target', errorCode: 'dns_error', responseTimeMs: null },
        },
      ],
      uptime: uptimesOf({ results: 40, successes: 30, sumMs: 12_000 }),
    };
    await using server = await startTests({
      proxies: async (account) => (account === 'main' ? [listed(tested)] : []),
    });
    const uptime = { results: 40, successes: 30, ratio: 0.75, mean_response_time_seconds: 0.4 };
    expect(await answerOf(server, '/api/v1/proxies')).toMatchObject({
      data: [
        {
          account: 'main',
          proxy_id: 'fr-1',
          name: 'Paris',
          product_type: 'isp',
          protocol: 'http',
          host: '192.0.2.1',
          port: 8_000,
          newest_result: {
            ...{
              result_id: 'r1',
              tester_proxy_id: 't1',
              created_at: '2026-03-01T12:00:00.000Z',
              updated_at: null,
            },
            ...{ ip_address: '192.0.2.9', country_id: 'fr', city_id: 202, city_name: 'Paris' },
            ...{ asn_id: 64_500, asn_name: null },
          },
          last_tested_at: '2026-03-01T12:00:00.000Z',
          failing_rounds: 2,
          fault: true,
          fault_since: '2026-03-01T11:59:00.000Z',
          tests: [
            {
              url: 'shop',
              tester_server: 'london',
              success: true,
              error_source: null,
              error_code: null,
              response_time_seconds: 0.412,
              at: '2026-03-01T12:00:00.000Z',
            },
            {
              url: 'shop',
              tester_server: 'paris',
              success: false,
              error_source: 'target',
              error_code: 'dns_error',
              response_time_seconds: null,
              at: '2026-03-01T11:59:59.000Z',
            },
          ],
          own_failing_tests: 0,
          explained_by: [{ kind: 'tester', subject: 'paris', tests: 1 }],
          uptime: { '24h': uptime, '7d': uptime, '30d': uptime },
        },
      ],
      next_cursor: null,
    });
  });

  it('reads the uptime of each proxy once for both orders by uptime', async () => {
    let reads = 0;
    const proxies = [1, 2, 3].map((n): ListedProxy => {
      const results = { results: 4, successes: n, sumMs: 0, ownFailures: n, otherFailures: 4 - 2 * n };
      const readUptime = async () => {
        reads += 1;
        return results;
      };
      return { ...listed(proxyOf(`fr-${n}`)), readUptime };
    });
    await using server = await startTests({ proxies: async () => proxies });
    const idsBy = async (sort: string) =>
      (await answerOf(server, `/api/v1/proxies?account=main&sort=${sort}`)).data.map(
        ({ proxy_id }) => proxy_id,
      );
    expect(await idsBy('-uptime_24h')).toEqual(['fr-3', 'fr-2', 'fr-1']);
    expect(await idsBy('own_uptime_24h')).toEqual(['fr-3', 'fr-2', 'fr-1']);
    expect(reads).toBe(3);
  });

  it('returns null for unknown values', async () => {
    await using server = await startTests({ proxies: async () => [listed(proxyOf('fr-1'))] });
    const uptime = { results: 0, successes: 0, ratio: null, mean_response_time_seconds: null };
    expect((await answerOf(server, '/api/v1/proxies?account=main')).data).toMatchObject([
      {
        ...{ name: null, product_type: null, last_tested_at: null, fault: null, fault_since: null },
        ...{ newest_result: null, failing_rounds: null, own_failing_tests: null, explained_by: [] },
        uptime: { '24h': uptime, '7d': uptime, '30d': uptime },
      },
    ]);
  });
});

describe('GET /api/v1/failures', () => {
  it('returns the newest failures of all accounts first', async () => {
    const failures: Record<string, RecentFailure[]> = {
      main: [failure('fr-1', NOW), failure('fr-2', NOW - 3 * SECOND)],
      shop: [failure('de-1', NOW - SECOND), failure('de-2', NOW - 2 * SECOND)],
    };
    await using server = await startTests({
      failures: async (account, limit) => (failures[account] ?? []).slice(0, limit),
    });
    const { data } = await answerOf(server, '/api/v1/failures?limit=3');
    expect(data.map(({ account, proxy_id }) => [account, proxy_id])).toEqual([
      ['main', 'fr-1'],
      ['shop', 'de-1'],
      ['shop', 'de-2'],
    ]);
    expect(data[0]).toEqual({
      account: 'main',
      at: '2026-03-01T12:00:00.000Z',
      proxy_id: 'fr-1',
      url: 'shop',
      tester_server: 'london',
      error_source: 'target',
      error_code: null,
      probe: null,
    });
  });

  it('merges failed probes with failed tests, page by page', async () => {
    const failures: Record<string, RecentFailure[]> = {
      main: [failure('t-1', NOW), failure('t-2', NOW - 2 * SECOND)],
      'probes/main': [failure('p-1', NOW - SECOND), failure('p-2', NOW - 3 * SECOND)],
    };
    // Both sources number their failures from 1.
    for (const each of Object.values(failures))
      for (const [index, one] of each.entries()) Object.assign(one, { number: 2 - index });
    await using server = await startTests({
      failureSources: (account) => [account, `probes/${account}`],
      failures: async (source, limit, { before = Number.POSITIVE_INFINITY }) =>
        (failures[source] ?? []).filter(({ number }) => number < before).slice(0, limit),
      countFailures: async (source) => failures[source]?.length ?? 0,
    });
    const path = '/api/v1/failures?account=main&limit=3';
    const first = await answerOf(server, path);
    expect(first.data.map(({ account, proxy_id }) => `${account} ${proxy_id}`)).toEqual([
      ...['main t-1', 'main p-1', 'main t-2'],
    ]);
    expect(first).toMatchObject({ total: 4 });
    const { next_cursor: cursor } = first as unknown as { next_cursor: string };
    const second = await answerOf(server, `${path}&cursor=${encodeURIComponent(cursor)}`);
    expect(second.data.map(({ proxy_id }) => proxy_id)).toEqual(['p-2']);
  });
});

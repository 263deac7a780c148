// Tests the API about proxy tests with a daemon that tests proxies at the simulated provider.

import { describe, expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import {
  buildTests,
  entryOf,
  FRANKFURT,
  hostOf,
  LONDON,
  PASSWORD,
  START,
} from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';

const SLOT = 10 * MINUTE;
const PROXIES = 5;
const URL_LABELS = ['https://www.example.com/', 'shop'];

interface Uptime {
  readonly results: number;
  readonly successes: number;
  readonly ratio: number | null;
  readonly mean_response_time_seconds: number | null;
}

interface Item extends Record<string, unknown> {
  readonly tests: readonly Record<string, unknown>[];
  readonly uptime: Record<'24h' | '7d' | '30d' | '90d', Uptime>;
}

const serve = ({ app, clock }: Harness): Promise<HttpServer> =>
  startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    view: createView({ app, clock, version: '0.0.0-test' }),
    reload: async () => ({ result: 'no_file' }),
    clock,
    log: silentLog,
  });

const request = ({ address }: HttpServer, path: string, known = ''): Promise<Response> =>
  fetch(`http://127.0.0.1:${address.port}/api/v1/${path}`, { headers: { 'if-none-match': known } });

const itemsOf = async (server: HttpServer, path: string): Promise<Item[]> =>
  ((await (await request(server, path)).json()) as { data: Item[] }).data;

/** Runs three rounds of tests of five proxies, of which the first always fails. */
const runRounds = async (tests: Record<string, unknown> = {}): Promise<Harness> => {
  const harness = await buildTests({
    tests,
    metrics: { derived_counters: true },
    scenario: { outages: [{ kind: 'proxy', subject: hostOf(0) }] },
  });
  await harness.advance(SLOT);
  await harness.advance(SLOT);
  return harness;
};

describe('proxies', () => {
  it('match the metrics', async () => {
    await using harness = await runRounds();
    await using server = await serve(harness);
    const samples = await harness.samples();
    const proxies = await itemsOf(server, 'proxies');
    expect(proxies.map(({ proxy_id }) => proxy_id)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
    for (const { proxy_id, tests, uptime, ...proxy } of proxies) {
      const own = { proxy_id: String(proxy_id) };
      const total = (name: string) => samples.all(name, own).reduce((sum, { value }) => sum + value, 0);
      expect(tests.map(({ url, tester_server }) => [url, tester_server])).toEqual(
        URL_LABELS.flatMap((url) => [FRANKFURT, LONDON].map((tester) => [url, tester])),
      );
      for (const { url, tester_server, success, response_time_seconds } of tests) {
        const labels = { ...own, url: String(url), tester_server: String(tester_server) };
        expect(samples.value('proxywatch_proxy_test_success', labels)).toBe(Number(success));
        expect(samples.value('proxywatch_proxy_test_last_response_time_seconds', labels) ?? null).toBe(
          response_time_seconds,
        );
      }
      expect(uptime['24h'].results).toBe(total('proxywatch_proxy_test_results_total'));
      expect(uptime['24h'].successes).toBe(total('proxywatch_proxy_test_successes_total'));
      expect([uptime['7d'], uptime['30d']]).toEqual([uptime['24h'], uptime['24h']]);
      expect(Number(proxy.fault)).toBe(samples.value('proxywatch_fault', { ...own, kind: 'proxy' }));
      expect(Date.parse(String(proxy.last_tested_at)) / 1_000).toBe(
        samples.value('proxywatch_proxy_test_last_timestamp_seconds', own),
      );
    }
  });

  it('that always fail have the start and source of the fault', async () => {
    await using harness = await runRounds();
    await using server = await serve(harness);
    const [failing, healthy] = await itemsOf(server, 'proxies');
    const secondRound = new Date(Date.parse(START) + SLOT).toISOString();
    expect(failing).toMatchObject({
      ...{ account: 'main', name: 'p0', product_type: 'isp', protocol: 'http', failing_rounds: 3 },
      ...{ fault: true, fault_since: secondRound },
    });
    expect(failing?.tests[0]).toMatchObject({ success: false, error_source: expect.any(String) });
    expect(failing?.uptime['24h']).toEqual({
      ...{ results: 12, successes: 0, ratio: 0, mean_response_time_seconds: null },
      ...{ own_failures: 8, other_failures: 0, unattributed_failures: 4, own_ratio: 4 / 12 },
    });
    expect(healthy).toMatchObject({ failing_rounds: 0, fault: false, fault_since: null });
    const { mean_response_time_seconds: mean, ...rest } = healthy?.uptime['24h'] ?? {};
    expect(rest).toEqual({
      ...{ results: 12, successes: 12, ratio: 1 },
      ...{ own_failures: 0, other_failures: 0, unattributed_failures: 0, own_ratio: 1 },
    });
    expect(mean).toBeGreaterThan(0.01);
    expect(mean).toBeLessThan(60);
  });

  it('do not show URLs and testers that are no longer used', async () => {
    await using harness = await runRounds();
    await harness.restart({
      proxy_tests: {
        urls: ['https://www.example.com/'],
        tester_servers: [LONDON],
        proxies: [entryOf(1)],
      },
    });
    await using server = await serve(harness);
    const proxies = await itemsOf(server, 'proxies');
    expect(proxies).toMatchObject([
      { proxy_id: 'p1', tests: [{ url: URL_LABELS[0], tester_server: LONDON }] },
    ]);
    expect(proxies[0]?.tests).toHaveLength(1);
    expect((await itemsOf(server, 'testers?sort=id')).map(({ tester_server }) => tester_server)).toEqual([
      LONDON,
    ]);
    expect((await itemsOf(server, 'targets')).map(({ url }) => url)).toEqual([URL_LABELS[0]]);
  });

  it('that a search found are listed, tested or not', async () => {
    await using harness = await runRounds({ proxies: [{ search: {} }], max_runs_per_day: 1 });
    await using server = await serve(harness);
    const proxies = await itemsOf(server, 'proxies?sort=id&limit=1000');
    const found = (await harness.samples()).all('proxywatch_proxy_info').map(({ labels }) => labels.proxy_id);
    expect(proxies.map(({ proxy_id }) => proxy_id)).toEqual(found.toSorted());
    expect(new Set(proxies.map(({ last_tested_at }) => last_tested_at === null))).toEqual(
      new Set([true, false]),
    );
  });

  it('are not listed for an account without tests', async () => {
    await using harness = await runRounds();
    await harness.restart({ proxy_tests: false });
    await using server = await serve(harness);
    for (const path of ['proxies', 'testers', 'targets']) expect(await itemsOf(server, path)).toEqual([]);
  });
});

describe('testers, targets and failures', () => {
  it('sum up the results of all proxies', async () => {
    await using harness = await runRounds();
    await using server = await serve(harness);
    const results = PROXIES * 2 * 3;
    const uptime = { '30d': { results, successes: (results * 4) / 5, ratio: 0.8 } };
    expect(await itemsOf(server, 'testers?sort=id')).toMatchObject(
      [FRANKFURT, LONDON].map((tester_server) => ({ account: 'main', tester_server, fault: false, uptime })),
    );
    expect(await itemsOf(server, 'targets')).toMatchObject(
      URL_LABELS.map((url) => ({ account: 'main', url, fault: false, uptime })),
    );
  });

  it('show a tester that is at fault', async () => {
    await using harness = await buildTests({ scenario: { outages: [{ kind: 'tester', subject: LONDON }] } });
    await using server = await serve(harness);
    const testers = await itemsOf(server, 'testers?sort=id');
    expect(testers.map(({ tester_server, fault }) => [tester_server, fault])).toEqual([
      [FRANKFURT, false],
      [LONDON, true],
    ]);
  });

  it('return the newest failures first', async () => {
    await using harness = await runRounds();
    await using server = await serve(harness);
    const failures = await itemsOf(server, 'failures');
    expect(failures).toHaveLength(12);
    expect(new Set(failures.map(({ proxy_id }) => proxy_id))).toEqual(new Set(['p0']));
    const rounds = [2, 1, 0].map((round) => new Date(Date.parse(START) + round * SLOT).toISOString());
    expect([...new Set(failures.map(({ at }) => at))]).toEqual(rounds);
    expect(await itemsOf(server, 'failures?limit=5')).toEqual(failures.slice(0, 5));
  });
});

describe('uptime', () => {
  const resultsOf = async (server: HttpServer): Promise<number[]> => {
    const [proxy] = await itemsOf(server, 'proxies?limit=1');
    return Object.values(proxy?.uptime ?? {}).map(({ results }) => results);
  };

  it('covers the current hour and the whole hours before it that belong to the span', async () => {
    await using harness = await buildTests({ tests: { schedule: '0 0 1 1 *' } });
    await using server = await serve(harness);
    const firstHour = Date.parse('2026-07-06T12:00:00Z');
    const at = async (now: number): Promise<number[]> => {
      harness.clock.jumpTo(now);
      return resultsOf(server);
    };
    expect(await at(firstHour + DAY - 1)).toEqual([4, 4, 4, 4]);
    expect(await at(firstHour + DAY)).toEqual([0, 4, 4, 4]);
    expect(await at(firstHour + 7 * DAY - 1)).toEqual([0, 4, 4, 4]);
    expect(await at(firstHour + 7 * DAY)).toEqual([0, 0, 4, 4]);
    expect(await at(firstHour + 30 * DAY - 1)).toEqual([0, 0, 4, 4]);
    expect(await at(firstHour + 30 * DAY)).toEqual([0, 0, 0, 4]);
    const today = Date.parse('2026-07-06T00:00:00Z');
    expect(await at(today + 90 * DAY - 1)).toEqual([0, 0, 0, 4]);
    expect(await at(today + 90 * DAY)).toEqual([0, 0, 0, 0]);
  });
});

describe('an ETag', () => {
  it('stays the same until the next round or the next hour', async () => {
    await using harness = await runRounds();
    await using server = await serve(harness);
    let tag = '';
    const isNew = async (): Promise<boolean> => {
      const response = await request(server, 'proxies', tag);
      tag = response.headers.get('etag') ?? '';
      return response.status === 200;
    };
    expect(await isNew()).toBe(true);
    await harness.advance(MINUTE);
    expect(await isNew()).toBe(false);
    await harness.advance(SLOT);
    expect(await isNew()).toBe(true);
    expect(await isNew()).toBe(false);
    harness.clock.advance(HOUR);
    expect(await isNew()).toBe(true);
  });
});

describe('answers', () => {
  it('contain no password, key or token', async () => {
    await using harness = await runRounds();
    await using server = await serve(harness);
    for (const path of ['proxies', 'testers', 'targets', 'failures']) {
      const text = await (await request(server, path)).text();
      expect(text).toContain('"account":"main"');
      for (const secret of [PASSWORD, 't0ken', harness.simulator.privateKey, harness.simulator.publicKey]) {
        expect(text).not.toContain(secret);
      }
    }
  });
});

// Tests the proxy tests against the simulated provider: calls, budget, results, totals, faults and series.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { lastRun } from '../stub-account.ts';
import {
  buildTests,
  callsOf,
  ENDPOINT,
  entries,
  entryOf,
  FRANKFURT,
  faultsOf,
  hostOf,
  LONDON,
  nameOf,
  PASSWORD,
  START,
} from './tests-harness.ts';

const SUCCESS = 'proxywatch_proxy_test_success';
const RESULTS = 'proxywatch_proxy_test_results_total';
const SUCCESSES = 'proxywatch_proxy_test_successes_total';
const WITH_SUCCESSES = { metrics: { derived_counters: true } };
const RUNS = 'proxywatch_proxy_test_runs_total';
const REMAINING = 'proxywatch_proxy_test_budget_remaining';
const SLOT = 10 * MINUTE;

describe('calls', () => {
  it('take twenty proxies at most, and every proxy once', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(45) } });
    const calls = callsOf(harness);
    expect(calls.map(({ lines }) => lines.length)).toEqual([15, 15, 15]);
    expect(new Set(calls.flatMap(({ lines }) => lines)).size).toBe(45);
    expect((await harness.samples()).all(SUCCESS)).toHaveLength(45 * 4);
  });

  it('run at the same time, as many as configured', async () => {
    await using harness = await buildTests({
      scenario: { test_run_delay_ms: 500 },
      tests: { proxies: entries(100), parallel: 3 },
    });
    expect(harness.simulator.requests.maxInFlight(ENDPOINT)).toBe(3);
  });

  it('name the tester servers that are configured', async () => {
    await using harness = await buildTests({ tests: { tester_servers: [LONDON] } });
    const testers = (await harness.samples()).all(SUCCESS).map(({ labels }) => labels.tester_server);
    expect(new Set(testers)).toEqual(new Set([LONDON]));
  });

  it('never contain two proxies whose results could not be distinguished', async () => {
    const twin = entryOf(0, { name: 'twin' });
    await using harness = await buildTests({ tests: { proxies: [entryOf(0), twin] } });
    expect(callsOf(harness).map(({ lines }) => lines.length)).toEqual([1, 1]);
    const results = (await harness.samples()).all(RESULTS).map(({ labels }) => labels.proxy_id);
    expect(results.filter((id) => id === 'twin')).toHaveLength(4);
  });
});

describe('the budget', () => {
  /** The most runs in any 24 hours. A call that was refused with 429 did not run. */
  const mostRunsInADay = (calls: readonly { at: number; status: number }[], runs: number): number => {
    const made = calls.filter(({ status }) => status !== 429);
    const inDay = made.map(({ at }) => made.filter((other) => other.at > at - DAY && other.at <= at).length);
    return runs * Math.max(...inDay);
  };

  it('is never exceeded over any day, whatever fails and however often the daemon starts', async () => {
    await using harness = await buildTests({
      tests: { schedule: '0 * * * *', proxies: entries(60), max_runs_per_day: 17 },
    });
    harness.simulator.faults.replace([
      { kind: 'status', status: 500, probability: 0.2 },
      { kind: 'malformed_json', probability: 0.1 },
      { kind: 'rate_limit', tell: 'nothing', probability: 0.1 },
    ]);
    for (let hour = 1; hour <= 36; hour += 1) {
      await harness.advance(HOUR);
      if (hour % 11 === 0) await harness.restart();
    }
    const calls = callsOf(harness);
    expect(mostRunsInADay(calls, 1)).toBeLessThanOrEqual(17);
    expect(calls.length).toBeGreaterThan(20);
    expect(new Set(calls.flatMap(({ lines }) => lines)).size).toBe(60);
  });

  it('counts every run that a call makes', async () => {
    await using harness = await buildTests({ tests: { max_runs_per_day: 10, schedule: '0 * * * *' } });
    harness.simulator.faults.add({ kind: 'set_fields', fields: { created: ['a', 'b', 'c'] } });
    expect((await harness.samples()).value(REMAINING)).toBe(9);
    for (let hour = 1; hour <= 23; hour += 1) await harness.advance(HOUR);
    const calls = callsOf(harness).length - 1;
    expect(calls).toBeGreaterThan(0);
    expect((await harness.samples()).value(REMAINING)).toBe(9 - 3 * calls);
    expect((await harness.samples()).value('proxywatch_proxy_test_runs_per_call')).toBe(3);
  });

  it('is spent by a call that fails, before it is made', async () => {
    await using harness = await buildTests({ tests: { max_runs_per_day: 1_000 } });
    harness.simulator.faults.add({ kind: 'cut_off' });
    await harness.advance(SLOT);
    expect((await harness.samples()).value(REMAINING)).toBe(998);
    expect(callsOf(harness)).toHaveLength(2);
  });

  it('determines the time in which every proxy is tested once', async () => {
    await using harness = await buildTests();
    expect((await harness.samples()).value('proxywatch_proxy_test_cycle_seconds')).toBe(600);
    await harness.restart({
      proxy_tests: { urls: ['https://www.example.com/'], proxies: entries(45), max_runs_per_day: 24 },
    });
    const cycle = (await harness.samples()).value('proxywatch_proxy_test_cycle_seconds') ?? Number.NaN;
    expect(cycle).toBeGreaterThan(3 * 3_600);
  });
});

describe('results', () => {
  it('are the last ones, with totals from the first', async () => {
    await using harness = await buildTests(WITH_SUCCESSES);
    harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(1), error_code: 'connection_refused' });
    await harness.advance(SLOT);
    harness.simulator.outages.clear();
    await harness.advance(SLOT);
    harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(2) });
    await harness.advance(SLOT);
    const samples = await harness.samples();
    const of = { url: 'shop', tester_server: LONDON };
    expect(samples.by('proxy_id', SUCCESS, of)).toEqual({ p0: 1, p1: 1, p2: 0, p3: 1, p4: 1 });
    expect(samples.by('proxy_id', RESULTS, of)).toEqual({ p0: 4, p1: 4, p2: 4, p3: 4, p4: 4 });
    expect(samples.by('proxy_id', SUCCESSES, of)).toEqual({ p0: 4, p1: 3, p2: 3, p3: 4, p4: 4 });
    expect(samples.by('proxy_id', 'proxywatch_proxy_test_failures_total')).toEqual({ p1: 4, p2: 4 });
    expect(samples.all('proxywatch_proxy_test_failures_total')[0]?.labels.error_source).toBe('proxy');
    const times = samples.by('proxy_id', 'proxywatch_proxy_test_last_response_time_seconds', of);
    expect(Math.max(...Object.values(times))).toBeLessThan(1);
    expect(samples.by('result', RUNS)).toEqual({ ok: 4, failed: 0 });
  });

  it('have totals of 0 until the hold is over, and then the full totals', async () => {
    await using harness = await buildTests({ firstStepHold: '2m' });
    const total = async (): Promise<number> =>
      (await harness.samples()).all(RESULTS).reduce((sum, { value }) => sum + value, 0);
    expect((await harness.samples()).all(RESULTS)).toHaveLength(20);
    expect(await total()).toBe(0);
    await harness.advance(SLOT);
    expect(await total()).toBe(40);
  });

  it('count errors by code and error source', async () => {
    await using harness = await buildTests();
    harness.simulator.outages.replace([
      { kind: 'proxy', subject: hostOf(1), error_code: 'connection_timeout' },
      { kind: 'target', subject: 'shop.example', error_code: 'http_403' },
    ]);
    await harness.advance(SLOT);
    const errors = (await harness.samples())
      .all('proxywatch_proxy_test_errors_total', { tester_server: FRANKFURT })
      .map(({ labels: { url, error_source, error_code }, value }) => [url, error_source, error_code, value]);
    expect(errors).toEqual([
      ['https://www.example.com/', 'proxy', 'connection_timeout', 1],
      ['shop', 'proxy', 'connection_timeout', 1],
      ['shop', 'target', 'http_403', 4],
    ]);
  });

  it('have the response times of the successful ones in a histogram', async () => {
    await using harness = await buildTests();
    const samples = await harness.samples();
    const of = { url: 'shop', tester_server: LONDON };
    const times = Object.values(
      samples.by('proxy_id', 'proxywatch_proxy_test_last_response_time_seconds', of),
    );
    const name = 'proxywatch_proxy_test_response_time_seconds';
    expect(samples.value(`${name}_count`, of)).toBe(5);
    expect(samples.value(`${name}_sum`, of)).toBeCloseTo(times.reduce((sum, time) => sum + time));
    const buckets = samples.by('le', `${name}_bucket`, of);
    for (const bound of ['0.05', '0.25', '0.5', '1.0', '60.0']) {
      expect([bound, buckets[bound]]).toEqual([bound, times.filter((time) => time <= Number(bound)).length]);
    }
    expect(buckets['+Inf']).toBe(5);
    harness.simulator.outages.add({ kind: 'proxy', subject: '*' });
    await harness.advance(SLOT);
    expect((await harness.samples()).value(`${name}_count`, of)).toBe(5);
  });

  it('belong to the proxy with their username, if proxies share host and port', async () => {
    const stranger = { name: 'stranger', proxy: `${hostOf(0)}:8000:someone:secret` };
    await using harness = await buildTests({ tests: { proxies: [entryOf(0), stranger] } });
    expect(callsOf(harness)).toHaveLength(1);
    const success = (await harness.samples()).by('proxy_id', SUCCESS, { url: 'shop', tester_server: LONDON });
    expect(success).toEqual({ p0: 1, stranger: 0 });
  });

  it.each([
    { count: 5, unused: 20, batches: 'one batch' },
    { count: 50, unused: 200, batches: 'batches side by side' },
  ])(
    'that belong to no proxy are counted as skipped, and change no proxy: $batches',
    async ({ count, unused }) => {
      await using harness = await buildTests({ tests: { proxies: entries(count) } });
      harness.simulator.faults.add({ kind: 'set_fields', fields: { proxy_host: '198.51.100.9' } });
      await harness.advance(SLOT);
      const samples = await harness.samples();
      expect(samples.value('proxywatch_items_skipped_total')).toBe(unused);
      expect(samples.all(RESULTS).every(({ value }) => value === 1)).toBe(true);
    },
  );

  it('are exposed with what is known of the proxy', async () => {
    const socks = `socks5://user-000000:${PASSWORD}@${hostOf(1)}:9000`;
    await using harness = await buildTests({
      tests: { proxies: [entryOf(0, { proxy_id: '0a6e-1' }), { proxy: socks }] },
    });
    const samples = await harness.samples();
    const ids = ['0a6e-1', `${hostOf(1)}:9000`];
    const known = (id: string) => samples.all('proxywatch_proxy_info', { proxy_id: id })[0]?.labels;
    expect(known(ids[0] ?? '')).toMatchObject({ name: 'p0', product_type: 'isp', protocol: 'http' });
    expect(known(ids[1] ?? '')).toMatchObject({ name: '', product_type: '', protocol: 'socks5' });
    expect(samples.by('proxy_id', 'proxywatch_proxy_test_last_timestamp_seconds')).toEqual(
      Object.fromEntries(ids.map((id) => [id, Date.parse(START) / SECOND])),
    );
    expect(samples.by('product_type', 'proxywatch_proxies_tested')).toEqual({ isp: 1, '': 1 });
  });
});

describe('a call that fails', () => {
  it('changes nothing about the proxies', async () => {
    await using harness = await buildTests();
    const before = await harness.samples();
    harness.simulator.faults.add({ kind: 'status', status: 500 });
    for (const _ of Array(3)) await harness.advance(SLOT);
    const samples = await harness.samples();
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'server' });
    for (const name of [SUCCESS, RESULTS, 'proxywatch_proxy_test_last_timestamp_seconds']) {
      expect(samples.all(name)).toEqual(before.all(name));
    }
    expect(await faultsOf(harness)).toEqual([]);
    expect(samples.by('result', RUNS)).toEqual({ ok: 1, failed: 3 });
  });

  it('because it takes too long does not affect the other batches', async () => {
    await using harness = await buildTests({
      tests: { proxies: entries(60), request_timeout: '300ms', parallel: 1 },
    });
    harness.simulator.faults.add({ kind: 'slow', delay_ms: 60_000, count: 1 });
    await harness.advance(SLOT);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'timeout' });
    const samples = await harness.samples();
    expect(samples.by('result', RUNS)).toEqual({ ok: 5, failed: 1 });
    expect(samples.value('proxywatch_collector_success')).toBe(1);
    const tested = samples.all(RESULTS, { url: 'shop', tester_server: LONDON });
    expect(tested.filter(({ value }) => value === 2)).toHaveLength(40);
    expect(samples.all(SUCCESS).every(({ value }) => value === 1)).toBe(true);
  });

  it('at the deadline of its run ends the run, and no budget is spent on the remaining batches', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(60), parallel: 1 } });
    harness.simulator.faults.add({ kind: 'slow', delay_ms: 60_000 });
    harness.clock.advance(SLOT);
    harness.app.runner.tick();
    while (callsOf(harness).length < 4) await setImmediate();
    harness.clock.advance(30 * MINUTE);
    await harness.app.runner.idle();
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'timeout' });
    expect(callsOf(harness)).toHaveLength(4);
    expect((await harness.samples()).value(REMAINING)).toBe(4_500 - 4);
  });
});

describe('a fault', () => {
  it('of a proxy begins after two failed rounds, and ends after two successful ones', async () => {
    await using harness = await buildTests();
    const failing = async (): Promise<number | undefined> =>
      (await harness.samples()).value('proxywatch_proxies_failing', { product_type: 'isp' });
    harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(3) });
    await harness.advance(SLOT);
    expect([await faultsOf(harness), await failing()]).toEqual([[], 0]);
    await harness.advance(SLOT);
    expect([await faultsOf(harness), await failing()]).toEqual([['proxy p3'], 1]);
    harness.simulator.outages.clear();
    await harness.advance(SLOT);
    expect([await faultsOf(harness), await failing()]).toEqual([['proxy p3'], 0]);
    await harness.advance(SLOT);
    expect(await faultsOf(harness)).toEqual([]);
  });

  it('has a series for every possible subject from the start', async () => {
    await using harness = await buildTests();
    const faults = (await harness.samples()).all('proxywatch_fault');
    expect(faults.map(({ labels }) => labels.kind)).toEqual(
      expect.arrayContaining(['provider', 'target', 'tester', 'proxy']),
    );
    expect(faults).toHaveLength(1 + 2 + 2 + 5);
    expect(faults.every(({ value }) => value === 0)).toBe(true);
  });

  it('has a series of access from the first failure of the proxy itself until eight rounds after the last one', async () => {
    await using harness = await buildTests();
    const refused = { kind: 'proxy', subject: hostOf(1), error_code: '407' } as const;
    const rounds: number[][] = [];
    for (let round = 0; round <= 10; round += 1) {
      if (round > 0) await harness.advance(SLOT);
      const series = (await harness.samples()).all('proxywatch_fault', { kind: 'access' });
      rounds.push(series.map(({ value }) => value));
      if (round === 0) harness.simulator.outages.add(refused);
      if (round === 2) harness.simulator.outages.clear();
    }
    const passing = Array.from({ length: 6 }, () => [0]);
    expect(rounds).toEqual([[], [0], [1], [1], ...passing, []]);
  });

  it.each([
    ['tester', FRANKFURT, `tester ${FRANKFURT}`],
    ['target', 'shop.example', 'target shop'],
    ['proxy', '*', 'provider '],
  ] as const)('of a failing %s is not attributed to its proxies', async (kind, subject, fault) => {
    await using harness = await buildTests({ tests: { proxies: entries(10) } });
    harness.simulator.outages.add({ kind, subject });
    for (const _ of Array(4)) await harness.advance(SLOT);
    expect(await faultsOf(harness)).toEqual([fault]);
    harness.simulator.outages.clear();
    for (const _ of Array(2)) await harness.advance(SLOT);
    expect(await faultsOf(harness)).toEqual([]);
  });

  it('is found in results from before an error ended the run', async () => {
    await using harness = await buildTests({ tests: { proxies: entries(40), parallel: 1 } });
    harness.simulator.outages.add({ kind: 'proxy', subject: '*' });
    // The first call of each round is answered, and the second one is not.
    for (const _ of Array(4)) {
      harness.clock.advance(SLOT);
      const made = callsOf(harness).length;
      harness.app.runner.tick();
      while (callsOf(harness).length === made) await setImmediate();
      harness.simulator.faults.add({ kind: 'status', status: 500, count: 1 });
      await harness.app.runner.idle();
      harness.simulator.faults.clear();
    }
    expect((await lastRun(harness)).result).toBe('failed');
    expect(await faultsOf(harness)).toEqual(['provider ']);
  });
});

describe('series', () => {
  it.each([
    ['one a proxy when asked for', { series: 'proxy' }, 0],
    ['one a proxy above the cap', { max_series: 19 }, 20],
  ])('are %s', async (_, options, dropped) => {
    await using harness = await buildTests({ ...WITH_SUCCESSES, tests: options });
    harness.simulator.outages.add({ kind: 'target', subject: 'shop.example' });
    await harness.advance(SLOT);
    const samples = await harness.samples();
    expect(samples.all(SUCCESS).map(({ labels }) => labels)).toEqual(
      [0, 1, 2, 3, 4].map((index) => ({
        account: 'main',
        ...{ proxy_id: nameOf(index), url: '', tester_server: '', protocol: 'http' },
      })),
    );
    expect(samples.by('proxy_id', SUCCESS)).toEqual({ p0: 0, p1: 0, p2: 0, p3: 0, p4: 0 });
    expect(samples.by('proxy_id', RESULTS).p0).toBe(8);
    expect(samples.by('proxy_id', SUCCESSES).p0).toBe(6);
    expect(samples.value('proxywatch_series_dropped', { collector: 'proxy_tests' })).toBe(dropped);
  });

  it.each([
    ['one a proxy when asked for', { series: 'proxy' }],
    ['one a proxy above the cap', { max_series: 9 }],
  ])('that are %s have totals that do not fall when urls and testers change', async (_, options) => {
    await using harness = await buildTests({ ...WITH_SUCCESSES, tests: options });
    harness.simulator.outages.add({ kind: 'target', subject: 'shop.example' });
    await harness.advance(SLOT);
    const totals = async () => {
      const samples = await harness.samples();
      return [RESULTS, SUCCESSES, SUCCESS].map((name) => samples.by('proxy_id', name).p0);
    };
    expect(await totals()).toEqual([8, 6, 0]);
    const changed = { ...options, proxies: entries(5), urls: ['https://www.example.com/'] };
    await harness.restart({ proxy_tests: changed });
    expect(await totals()).toEqual([8, 6, 1]);
    await harness.restart({ proxy_tests: { ...changed, urls: ['https://api.example.com/'] } });
    await harness.advance(SLOT);
    expect(await totals()).toEqual([10, 8, 1]);
  });

  it('are the whole matrix below the cap', async () => {
    await using harness = await buildTests({ tests: { max_series: 20 } });
    const samples = await harness.samples();
    expect(samples.all(SUCCESS)).toHaveLength(20);
    expect(samples.value('proxywatch_series_dropped', { collector: 'proxy_tests' })).toBe(0);
  });

  it('end with the proxy, url or tester in the configuration', async () => {
    await using harness = await buildTests();
    const urls = ['https://www.example.com/'];
    await harness.restart({ proxy_tests: { urls, proxies: entries(2), tester_servers: [LONDON] } });
    const samples = await harness.samples();
    expect(samples.by('proxy_id', SUCCESS)).toEqual({ p0: 1, p1: 1 });
    expect(samples.all('proxywatch_proxy_test_response_time_seconds_count')).toHaveLength(1);
    expect(samples.all('proxywatch_fault')).toHaveLength(1 + 1 + 1 + 2);
  });

  it('contain no password, token or key, and neither do log and store', async () => {
    const lines: string[] = [];
    const write = (...words: unknown[]): void => {
      lines.push(JSON.stringify(words));
    };
    const log = { trace: write, debug: write, info: write, warn: write, error: write, child: () => log };
    await using harness = await buildTests({
      log,
      tests: { urls: ['https://shop.example/a?token=t0ken#frag', 'https://www.example.com/?t0ken'] },
    });
    harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(0) });
    for (const _ of Array(2)) await harness.advance(SLOT);
    harness.simulator.faults.add({ kind: 'status', status: 422 });
    await harness.advance(SLOT);
    const samples = await harness.samples();
    expect(new Set(samples.all(SUCCESS).map(({ labels }) => labels.url))).toEqual(
      new Set(['https://shop.example/a', 'https://www.example.com/']),
    );
    const exposition = await harness.metricsText();
    await harness.stop();
    const files = ['proxywatch.db'].map((file) => readFileSync(join(harness.folder, file), 'latin1'));
    expect(lines.length).toBeGreaterThan(3);
    for (const text of [exposition, ...lines, ...files]) {
      for (const secret of ['t0ken', PASSWORD, 'demo-private']) expect(text).not.toContain(secret);
    }
  });
});

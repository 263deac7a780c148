// Tests a daemon that finds a simulated account's proxies: over restarts, at the configured interval, with secret passwords.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { proxyTests } from '../../../src/collectors/proxy-tests/proxy-tests.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { services, userId, userPassword } from '../../../src/simulator/identities.ts';
import { parseScenario } from '../../../src/simulator/simulator.ts';
import type { ParsedSample } from '../../metrics/support.ts';
import type { Harness } from '../../support/harness.ts';
import { lastRun } from '../stub-account.ts';
import { buildHarnessFor, recordedLog, shownProxyIds } from './sources-support.ts';

const scenario = parseScenario({ proxies: 24, services: 2 });
const [datacenter = { id: '' }, isp = { id: '' }] = services(scenario);
const PASSWORD = userPassword(scenario.seed, 0);

const build = (proxies: readonly Readonly<Record<string, unknown>>[], log = recordedLog().log) =>
  buildHarnessFor(proxies, { scenario, log });

const addressOf = ({ labels }: ParsedSample): string => labels.ip_address ?? '';

/** The lines of all families about proxies, without values that only the process knows. */
const readings = async (harness: Harness): Promise<string[]> =>
  (await harness.metricsText())
    .split('\n')
    .filter((line) => /^proxywatch_(proxy_info|proxy_test_success|fault|proxies_\w+)\{/.test(line));

describe('a daemon whose proxies are found through the provider', () => {
  it('tests those in use with the usernames and passwords that it found', async () => {
    await using harness = await build([{ service_id: isp.id }]);
    const samples = await harness.samples();
    const infos = samples.all('proxywatch_proxy_info');
    expect(infos.length).toBeGreaterThan(8);
    for (const { labels } of infos) {
      expect(labels).toMatchObject({
        product_type: 'isp',
        protocol: 'http',
        status: 'in_use',
        service_id: isp.id,
        ip_address: expect.stringMatching(/^203\.0\.113\.\d+$/),
        country_id: expect.stringMatching(/^(gb|de|fr|us)$/),
        asn_id: expect.stringMatching(/^6450\d$/),
        asn_name: expect.stringMatching(/^Example /),
        city_name: expect.stringMatching(/./),
        subnet_id: '203.0.113.0/24',
      });
    }
    const results = samples.all('proxywatch_proxy_test_success');
    expect(results).toHaveLength(infos.length * scenario.testers.length);
    expect(results.every(({ value }) => value === 1)).toBe(true);
    expect(samples.value('proxywatch_proxies_tested', { product_type: 'isp' })).toBe(infos.length);
    expect(samples.all('proxywatch_fault', { kind: 'proxy' })).toHaveLength(infos.length);
  });

  it('tests them over SOCKS5 if that is configured', async () => {
    await using harness = await build([{ search: { proxy_type: 'isp' }, protocol: 'socks5' }]);
    const samples = await harness.samples();
    expect(samples.all('proxywatch_proxy_test_success', { protocol: 'socks5' })).not.toEqual([]);
    expect(samples.all('proxywatch_proxy_test_success').every(({ value }) => value === 1)).toBe(true);
    const lines = harness.simulator.requests.recent
      .filter(({ endpoint }) => endpoint === 'proxy_test_run/create')
      .flatMap(({ body }) => JSON.parse(String(body)).proxies)
      .map(({ proxy_string }: { proxy_string: string }) => proxy_string);
    for (const line of lines) expect(line).toMatch(/^socks5:\/\/user-000000:\S+@203\.0\.113\.\d+:9000$/);
  });

  it('tests them as another user of the account, over both protocols', async () => {
    const user = userId(1);
    await using harness = await build([
      { service_id: isp.id, proxy_user_id: user },
      { service_id: datacenter.id, proxy_user_id: user, protocol: 'socks5' },
    ]);
    const samples = await harness.samples();
    const results = samples.all('proxywatch_proxy_test_success');
    expect(new Set(results.map(({ labels }) => labels.protocol))).toEqual(new Set(['http', 'socks5']));
    expect(results.every(({ value }) => value === 1)).toBe(true);
    const asked = harness.simulator.requests.recent.filter(({ query }) => query.proxy_user_id === user);
    expect(asked).toHaveLength(2);
  });

  it('follows a proxy of a service to another address and password, and its counters continue', async () => {
    await using harness = await build([{ service_id: isp.id }]);
    const known = new Set((await harness.samples()).all('proxywatch_proxy_info').map(addressOf));
    const set = { proxy_ip_address: '192.0.2.77', default_proxy_user_password: 'hunter2' };
    harness.simulator.changes.add({ kind: 'proxy', subject: 1, set });
    await harness.advance(HOUR);
    const samples = await harness.samples();
    const infos = samples.all('proxywatch_proxy_info');
    expect(infos).toHaveLength(known.size);
    const [moved, ...others] = infos.filter((info) => !known.has(addressOf(info)));
    expect([moved && addressOf(moved), others]).toEqual(['192.0.2.77', []]);
    const of = { proxy_id: moved?.labels.proxy_id ?? '' };
    const values = (name: string) => samples.all(name, of).map(({ value }) => value);
    expect(values('proxywatch_proxy_test_results_total')).toEqual(scenario.testers.map(() => 2));
    expect(values('proxywatch_proxy_test_success')).toEqual(scenario.testers.map(() => 1));
  });

  it('keeps all of a search that fails half way, or whose pages shift', async () => {
    await using harness = await buildHarnessFor([{ search: {} }], {
      scenario: { proxies: 150 },
      discoverEvery: '1m',
    });
    const before = await shownProxyIds(harness);
    expect(before.length).toBeGreaterThan(130);
    const { requests, faults } = harness.simulator;
    const pages = requests.count('proxy/search');
    harness.clock.advance(10 * MINUTE);
    harness.app.runner.tick();
    while (requests.count('proxy/search') === pages) await setImmediate();
    faults.add({ kind: 'cut_off', endpoint: 'proxy/search' });
    await harness.app.runner.idle();
    expect(await shownProxyIds(harness)).toEqual(before);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'network' });
    faults.replace([{ kind: 'shifted_pages', by: 10, endpoint: 'proxy/search' }]);
    await harness.advance(10 * MINUTE);
    expect(await shownProxyIds(harness)).toEqual(before);
    // The listing has as many proxies as the last total, but is not complete, because the total changed meanwhile.
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    faults.replace([{ kind: 'set_fields', endpoint: 'proxy/search', fields: { data: [], total_count: 0 } }]);
    await harness.advance(10 * MINUTE);
    expect(await shownProxyIds(harness)).toEqual(before);
    await harness.advance(10 * MINUTE);
    expect(await shownProxyIds(harness)).toEqual([]);
  });

  it('requests them once in discover_every, and again after a failure', async () => {
    await using harness = await build([{ service_id: isp.id }, { search: { proxy_type: 'datacenter' } }]);
    const asked = () => [
      harness.simulator.requests.count('service/retrieve'),
      harness.simulator.requests.count('proxy/search'),
    ];
    for (let minute = 0; minute < 50; minute += 10) await harness.advance(10 * MINUTE);
    expect(asked()).toEqual([1, 1]);
    harness.simulator.faults.add({ kind: 'malformed_json', endpoint: 'service', count: 1 });
    await harness.advance(10 * MINUTE);
    expect(asked()).toEqual([2, 2]);
    await harness.advance(10 * MINUTE);
    expect(asked()).toEqual([3, 2]);
  });

  it('shows the same after a restart, even if the provider fails', async () => {
    await using harness = await build([{ service_id: isp.id }, { search: { country_id: 'fr' } }]);
    const before = await readings(harness);
    const runs = harness.simulator.requests.count('proxy_test_run/create');
    harness.simulator.faults.add({ kind: 'status', endpoint: 'service', status: 503 });
    harness.simulator.faults.add({ kind: 'status', endpoint: 'proxy/search', status: 404 });
    await harness.restart();
    expect(await readings(harness)).toEqual(before);
    // Without their passwords they cannot be tested, which changes nothing about them.
    await harness.advance(10 * MINUTE);
    expect(await readings(harness)).toEqual(before);
    expect(harness.simulator.requests.count('proxy_test_run/create')).toBe(runs);
    harness.simulator.faults.clear();
    await harness.advance(10 * MINUTE);
    expect(await readings(harness)).toEqual(before);
    expect(harness.simulator.requests.count('proxy_test_run/create')).toBeGreaterThan(runs);
  });

  it('forgets what a source found that is no longer configured', async () => {
    await using harness = await build([{ service_id: isp.id }, { service_id: datacenter.id }]);
    const both = await shownProxyIds(harness);
    const urls = ['https://example.com/'];
    await harness.restart({ proxy_tests: { urls, proxies: [{ service_id: isp.id }] } });
    const one = await shownProxyIds(harness);
    expect(one.length).toBeLessThan(both.length);
    await harness.restart({ proxy_tests: { urls, proxies: [{ service_id: datacenter.id }] } });
    expect(await shownProxyIds(harness)).toEqual([]);
  });

  it('forgets the fault of a proxy that is no longer tested', async () => {
    await using harness = await build([{ service_id: isp.id }]);
    const [first] = (await harness.samples()).all('proxywatch_proxy_info');
    harness.simulator.outages.add({ kind: 'proxy', subject: first?.labels.ip_address ?? '' });
    for (const _ of [1, 2, 3]) await harness.advance(10 * MINUTE);
    expect(await harness.app.store.tests.faults('main')).toMatchObject([{ subject: first?.labels.proxy_id }]);
    await harness.restart({ proxy_tests: { urls: ['https://example.com/'], proxies: [] } });
    await harness.advance(10 * MINUTE);
    expect(await harness.app.store.tests.faults('main')).toEqual([]);
  });

  it('never shows their passwords', async () => {
    const { log, lines } = recordedLog();
    const proxies = [{ service_id: isp.id }, { search: {}, protocol: 'socks5', proxy_user_id: userId(1) }];
    await using harness = await build(proxies, log);
    harness.simulator.faults.add({ kind: 'status', endpoint: 'proxy_test_run', status: 422, count: 1 });
    await harness.advance(HOUR);
    const store = ['', '-wal']
      .map((ending) => join(harness.folder, `proxywatch.db${ending}`))
      .filter(existsSync);
    const files = store.map((file) => readFileSync(file, 'latin1'));
    const shownText = [
      ...files,
      ...lines,
      await harness.metricsText(),
      JSON.stringify(harness.settings),
    ].join('\n');
    expect(shownText).toContain('203.0.113.2');
    const sent = harness.simulator.requests.recent.map(({ body }) => body).join();
    for (const password of [PASSWORD, userPassword(scenario.seed, 1)]) {
      expect(shownText).not.toContain(password);
      expect(sent).toContain(password);
    }
  });
});

describe('the configuration of sources', () => {
  it('is plain data, so that two versions of it can be compared', () => {
    const proxies = [{ service_id: 'API-1', protocol: 'http' }, { file: '/nowhere' }];
    const input = { urls: ['https://example.com/'], proxies };
    expect(proxyTests.options.parse(input).proxies).toStrictEqual(proxies);
  });
});

describe('the cost of proxies that are still to be found', () => {
  it('is estimated with its assumptions', () => {
    const options = proxyTests.options.parse({
      urls: ['https://example.com/', 'https://example.org/'],
      tester_servers: ['t1', 't2'],
      proxies: [{ service_id: 'API-1' }, { search: {} }, { file: '/nowhere/*.yaml' }],
    });
    const { requestsPerDay, testRunsPerDay, assumptions, warnings } = proxyTests.cost(options, 'UTC', 0);
    expect(testRunsPerDay).toBe(10 * 6 * 24);
    expect(requestsPerDay).toBe(10 * 6 * 24 + 2 * 24);
    expect(assumptions).toContain('the source "http proxies of service API-1" has 100 proxies');
    expect(assumptions).toContain('the source "http proxies of the account" has 100 proxies');
    expect(warnings).toEqual(['/nowhere/*.yaml: there is no file of proxies at this path']);
  });
});

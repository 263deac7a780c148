// Tests when the alerts about the provider's answers have findings.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { recordedLog } from '../collectors/proxy-tests/sources-support.ts';
import { findingLabels, findingsOf } from '../support/findings.ts';
import { Harness, type HarnessOptions } from '../support/harness.ts';

const START = '2026-07-06T12:01:30Z';
const EVERY_5_MINUTES = { schedule: '*/5 * * * *' };

const build = (
  account: Record<string, unknown> = {},
  options: Partial<HarnessOptions> = {},
): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: { start: '2026-07-06T00:00:00Z', users: 5 },
    ...options,
    account: {
      traffic: { ...EVERY_5_MINUTES, graphs: [{ name: 'isp', product_type: 'isp' }], catch_up: '1h' },
      proxy_users: EVERY_5_MINUTES,
      residential_ledger: false,
      reconciliation: false,
      ...account,
    },
  });

const live = async (harness: Harness, ms: number): Promise<void> => {
  for (const end = harness.clock.now() + ms; harness.clock.now() < end; ) await harness.advance(5 * MINUTE);
};

const requestsTo = ({ simulator }: Harness, endpoint: string): number =>
  simulator.requests.recent.filter((request) => request.endpoint === endpoint).length;

describe('an endpoint that answers 403', () => {
  it('is reported as forbidden while others succeed, also after a restart', async () => {
    await using harness = await build({ inventory: EVERY_5_MINUTES });
    harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy/search' });
    await live(harness, 30 * MINUTE);
    const found = await findingsOf(harness, 'ProviderEndpointForbidden');
    expect(found).toMatchObject([{ labels: { api_endpoint: 'proxy/search' } }]);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([{ collector: 'inventory' }]);
    expect(
      (await harness.samples()).by('kind', 'proxywatch_collector_error', { collector: 'inventory' }),
    ).toEqual({ forbidden: 1 });
    await harness.restart();
    expect(await findingsOf(harness, 'ProviderEndpointForbidden')).toEqual(found);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
    harness.simulator.faults.clear();
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderEndpointForbidden')).toEqual([]);
    await harness.restart();
    expect(await findingLabels(harness, 'ProviderEndpointForbidden')).toEqual([]);
  });

  it('does not count as rejected keys, however long the next request to another endpoint takes', async () => {
    const schedules = { traffic: { graphs: [], catch_up: '1h' }, proxy_users: {} };
    await using harness = await build(schedules);
    harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'analytics/graph' });
    for (let minute = 0; minute < 20; minute += 1) {
      await harness.advance(MINUTE);
      expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
    }
    expect(await findingLabels(harness, 'ProviderEndpointForbidden')).toEqual([
      { api_endpoint: 'analytics/graph' },
    ]);
  });

  it('counts as rejected keys if nothing else is polled, also after a restart', async () => {
    await using harness = await build({ proxy_users: false });
    harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'analytics/graph' });
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
    expect(await findingLabels(harness, 'ProviderEndpointForbidden')).toEqual([]);
    await harness.restart();
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
  });

  it('for one graph alone counts neither as a forbidden endpoint nor as rejected keys', async () => {
    await using harness = await build({ proxy_users: false });
    harness.simulator.faults.add({ kind: 'status', status: 403, query: 'network=isp' });
    for (let run = 0; run < 6; run += 1) {
      await live(harness, 5 * MINUTE);
      expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
      expect(await findingLabels(harness, 'ProviderEndpointForbidden')).toEqual([]);
    }
  });

  it('is not reported if nothing depends on it: keys that may not list users are enough for traffic', async () => {
    await using harness = await build({ proxy_users: false });
    harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy_user' });
    await harness.restart();
    await live(harness, 30 * MINUTE);
    expect(requestsTo(harness, 'proxy_user/search')).toBeGreaterThan(0);
    expect(await findingLabels(harness, 'ProviderEndpointForbidden')).toEqual([]);
  });

  it('counts as rejected keys if all endpoints do so, also if one was forbidden before', async () => {
    await using harness = await build({ inventory: EVERY_5_MINUTES });
    harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy/search' });
    await live(harness, 30 * MINUTE);
    harness.simulator.faults.add({ kind: 'status', status: 403 });
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
    await harness.restart();
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
  });
});

describe('keys that the provider does not know', () => {
  it('are reported at the first 401, and no endpoint counts as forbidden once they work', async () => {
    await using harness = await build({ inventory: EVERY_5_MINUTES, residential_ledger: EVERY_5_MINUTES });
    harness.simulator.faults.add({ kind: 'status', status: 401, endpoint: 'analytics/graph' });
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
    harness.simulator.faults.replace([{ kind: 'status', status: 401 }]);
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
    await harness.restart({ inventory: { schedule: '0 0 * * *' } });
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
    harness.simulator.faults.clear();
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
    expect(await findingLabels(harness, 'ProviderEndpointForbidden')).toEqual([]);
  });

  it('or that belong to another customer are reported until that ends, also while the catalog is read', async () => {
    await using harness = await build({ catalog: { schedule: '2-59/5 * * * *' } });
    harness.simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 999 } });
    await live(harness, 10 * MINUTE);
    for (let minute = 0; minute < 15; minute += 1) {
      await harness.advance(MINUTE);
      expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([{}]);
    }
    harness.simulator.faults.clear();
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'ProviderKeysRejected')).toEqual([]);
  });
});

describe('ProviderUnreachable', () => {
  it('is found after ten minutes of failed attempts, and a restart neither ends nor starts it', async () => {
    await using harness = await build();
    harness.simulator.faults.add({ kind: 'status', status: 503 });
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'ProviderUnreachable')).toEqual([]);
    await harness.restart();
    await live(harness, 5 * MINUTE);
    expect(await findingsOf(harness, 'ProviderUnreachable')).toEqual([{ labels: {}, value: 600 }]);
    await harness.restart();
    expect(await findingsOf(harness, 'ProviderUnreachable')).toEqual([{ labels: {}, value: 600 }]);
    expect((await harness.samples()).value('proxywatch_api_unreached_seconds')).toBe(600);
    harness.simulator.faults.replace([{ kind: 'status', status: 401 }]);
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderUnreachable')).toEqual([]);
  });

  it('ends with all failed collectors running again at once, so that none counts as failing', async () => {
    const hourly = { schedule: '0 * * * *' };
    await using harness = await build({ residential_ledger: EVERY_5_MINUTES, inventory: hourly });
    const nobodyAnswers = { kind: 'status', status: 503 } as const;
    await live(harness, 55 * MINUTE);
    harness.simulator.faults.add(nobodyAnswers);
    await live(harness, 70 * MINUTE);
    await harness.restart();
    expect(await findingLabels(harness, 'CollectorFailing')).toContainEqual({ collector: 'inventory' });
    harness.simulator.faults.clear();
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'ProviderUnreachable')).toEqual([]);
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([]);
  });

  it('is not found because of time without attempts', async () => {
    await using harness = await build();
    harness.simulator.faults.add({ kind: 'status', status: 503 });
    await live(harness, 5 * MINUTE);
    await harness.stop();
    harness.clock.advance(9 * HOUR);
    harness.simulator.faults.clear();
    await harness.start();
    expect(await findingLabels(harness, 'ProviderUnreachable')).toEqual([]);
  });
});

describe('a refused quota of tests', () => {
  const proxy_tests = {
    ...EVERY_5_MINUTES,
    urls: ['https://example.com/'],
    proxies: [{ name: 'one', proxy: '192.0.2.1:8000:alice:secret' }],
  };
  const quota = { kind: 'rate_limit', endpoint: 'proxy_test_run', tell: 'message', seconds: 43_200 } as const;

  it('pauses only tests, is reported, and survives a restart', async () => {
    const { log, lines } = recordedLog();
    await using harness = await build({ proxy_tests }, { log });
    harness.simulator.faults.add(quota);
    await live(harness, 20 * MINUTE);
    const requestsBefore = requestsTo(harness, 'proxy_test_run/create');
    const [found] = await findingsOf(harness, 'TestQuotaRefused');
    expect(found?.labels).toEqual({ collector: 'proxy_tests' });
    expect((found?.value ?? 0) * SECOND - harness.clock.now()).toBeGreaterThan(11 * HOUR);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_api_endpoint_paused_until_timestamp_seconds')).toBe(found?.value);
    expect(samples.value('proxywatch_collector_success', { collector: 'traffic' })).toBe(1);
    expect(samples.value('proxywatch_api_requests_per_second_limit')).toBe(1_000_000);
    expect(await findingLabels(harness, 'CollectorFailing')).toEqual([{ collector: 'proxy_tests' }]);

    await harness.restart();
    await live(harness, 30 * MINUTE);
    expect(requestsTo(harness, 'proxy_test_run/create')).toBe(requestsBefore);
    expect(await findingsOf(harness, 'TestQuotaRefused')).toEqual([found]);
    const warnings = lines.filter((line) => line.startsWith('warn'));
    expect(warnings.filter((line) => line.includes('proxy_test_run/create'))).toHaveLength(1);
    expect(warnings[0]).toContain('"until":"2026-07-07T');

    harness.simulator.faults.clear();
    harness.clock.advance(12 * HOUR);
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'TestQuotaRefused')).toEqual([]);
    expect(
      (await harness.samples()).value('proxywatch_collector_success', { collector: 'proxy_tests' }),
    ).toBe(1);
  });

  it('logs its end once', async () => {
    const { log, lines } = recordedLog();
    await using harness = await build({ proxy_tests }, { log });
    harness.simulator.faults.add({ ...quota, count: 1 });
    await live(harness, 5 * MINUTE);
    harness.clock.advance(12 * HOUR);
    await live(harness, 10 * MINUTE);
    expect(lines.filter((line) => line.includes('requests to this endpoint succeed again'))).toEqual([
      'info requests to this endpoint succeed again {"endpoint":"proxy_test_run/create"}',
    ]);
  });
});

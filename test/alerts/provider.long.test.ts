// When alerts about the account's standing with the provider find something in a daemon, and when not.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { recordedLog } from '../collectors/proxy-tests/sources-support.ts';
import { findingsOf, foundBy } from '../support/findings.ts';
import { House, type HouseOptions } from '../support/house.ts';

const START = '2026-07-06T12:01:30Z';
const EVERY_5_MINUTES = { schedule: '*/5 * * * *' };

const build = (account: Record<string, unknown> = {}, options: Partial<HouseOptions> = {}): Promise<House> =>
  House.build({
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

const live = async (house: House, ms: number): Promise<void> => {
  for (const end = house.clock.now() + ms; house.clock.now() < end; ) await house.advance(5 * MINUTE);
};

const requestsTo = ({ simulator }: House, endpoint: string): number =>
  simulator.requests.recent.filter((request) => request.endpoint === endpoint).length;

describe('an endpoint that answers 403', () => {
  it('is told of as what it is, while others succeed, also over a restart', async () => {
    await using house = await build({ inventory: EVERY_5_MINUTES });
    house.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy/search' });
    await live(house, 30 * MINUTE);
    const found = await findingsOf(house, 'ProviderEndpointForbidden');
    expect(found).toMatchObject([{ labels: { endpoint: 'proxy/search' } }]);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
    expect(await foundBy(house, 'CollectorFailing')).toEqual([{ collector: 'inventory' }]);
    expect(
      (await house.samples()).by('kind', 'proxywatch_collector_error', { collector: 'inventory' }),
    ).toMatchObject({
      ...{ forbidden: 1, auth: 0 },
    });
    await house.restart();
    expect(await findingsOf(house, 'ProviderEndpointForbidden')).toEqual(found);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
    house.simulator.faults.clear();
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ProviderEndpointForbidden')).toEqual([]);
    await house.restart();
    expect(await foundBy(house, 'ProviderEndpointForbidden')).toEqual([]);
  });

  it('is no news of the keys, however long the next request of another one takes', async () => {
    const schedules = { traffic: { graphs: [], catch_up: '1h' }, proxy_users: {} };
    await using house = await build(schedules);
    house.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'analytics/graph' });
    for (let minute = 0; minute < 20; minute += 1) {
      await house.advance(MINUTE);
      expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
    }
    expect(await foundBy(house, 'ProviderEndpointForbidden')).toEqual([{ endpoint: 'analytics/graph' }]);
  });

  it('is one of rejected keys where nothing else is polled, also after a restart', async () => {
    await using house = await build({ proxy_users: false });
    house.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'analytics/graph' });
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
    expect(await foundBy(house, 'ProviderEndpointForbidden')).toEqual([]);
    await house.restart();
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
  });

  it('for one graph alone is no forbidden endpoint, nor keys that are rejected', async () => {
    await using house = await build({ proxy_users: false });
    house.simulator.faults.add({ kind: 'status', status: 403, query: 'network=isp' });
    for (let run = 0; run < 6; run += 1) {
      await live(house, 5 * MINUTE);
      expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
      expect(await foundBy(house, 'ProviderEndpointForbidden')).toEqual([]);
    }
  });

  it('is not told of where nothing rests on it: keys that may not list users are enough for traffic', async () => {
    await using house = await build({ proxy_users: false });
    house.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy_user' });
    await house.restart();
    await live(house, 30 * MINUTE);
    expect(requestsTo(house, 'proxy_user/search')).toBeGreaterThan(0);
    expect(await foundBy(house, 'ProviderEndpointForbidden')).toEqual([]);
  });

  it('is one of rejected keys where all do, also where another one was forbidden before', async () => {
    await using house = await build({ inventory: EVERY_5_MINUTES });
    house.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy/search' });
    await live(house, 30 * MINUTE);
    house.simulator.faults.add({ kind: 'status', status: 403 });
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
    await house.restart();
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
  });
});

describe('keys that the provider does not know', () => {
  it('are told of at the first 401, and forbid no endpoint once they are good, whoever is asked again', async () => {
    await using house = await build({ inventory: EVERY_5_MINUTES, residential_ledger: EVERY_5_MINUTES });
    house.simulator.faults.add({ kind: 'status', status: 401, endpoint: 'analytics/graph' });
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
    house.simulator.faults.replace([{ kind: 'status', status: 401 }]);
    await live(house, 10 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
    await house.restart({ inventory: { schedule: '0 0 * * *' } });
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
    house.simulator.faults.clear();
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
    expect(await foundBy(house, 'ProviderEndpointForbidden')).toEqual([]);
  });

  it('or that are of another customer are told of until that ends, also while the catalog is read', async () => {
    await using house = await build({ catalog: { schedule: '2-59/5 * * * *' } });
    house.simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 999 } });
    await live(house, 10 * MINUTE);
    for (let minute = 0; minute < 15; minute += 1) {
      await house.advance(MINUTE);
      expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([{}]);
    }
    house.simulator.faults.clear();
    await live(house, 10 * MINUTE);
    expect(await foundBy(house, 'ProviderKeysRejected')).toEqual([]);
  });
});

describe('ProviderUnreachable', () => {
  it('is found after attempts of ten minutes, and a restart in the middle neither ends nor begins it', async () => {
    await using house = await build();
    house.simulator.faults.add({ kind: 'status', status: 503 });
    await live(house, 10 * MINUTE);
    expect(await foundBy(house, 'ProviderUnreachable')).toEqual([]);
    await house.restart();
    await live(house, 5 * MINUTE);
    expect(await findingsOf(house, 'ProviderUnreachable')).toEqual([{ labels: {}, value: 600 }]);
    await house.restart();
    expect(await findingsOf(house, 'ProviderUnreachable')).toEqual([{ labels: {}, value: 600 }]);
    expect((await house.samples()).value('proxywatch_api_unreached_seconds')).toBe(600);
    house.simulator.faults.replace([{ kind: 'status', status: 401 }]);
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ProviderUnreachable')).toEqual([]);
  });

  it('has what failed for it run again at once when the provider is back, so that nothing fails after it', async () => {
    const hourly = { schedule: '0 * * * *' };
    await using house = await build({ residential_ledger: EVERY_5_MINUTES, inventory: hourly });
    const nobodyAnswers = { kind: 'status', status: 503 } as const;
    await live(house, 55 * MINUTE);
    house.simulator.faults.add(nobodyAnswers);
    await live(house, 70 * MINUTE);
    await house.restart();
    expect(await foundBy(house, 'CollectorFailing')).toContainEqual({ collector: 'inventory' });
    house.simulator.faults.clear();
    await live(house, 5 * MINUTE);
    expect(await foundBy(house, 'ProviderUnreachable')).toEqual([]);
    expect(await foundBy(house, 'CollectorFailing')).toEqual([]);
  });

  it('is not found by time without attempts', async () => {
    await using house = await build();
    house.simulator.faults.add({ kind: 'status', status: 503 });
    await live(house, 5 * MINUTE);
    await house.stop();
    house.clock.advance(9 * HOUR);
    house.simulator.faults.clear();
    await house.start();
    expect(await foundBy(house, 'ProviderUnreachable')).toEqual([]);
  });
});

describe('a refused quota of tests', () => {
  const proxy_tests = {
    ...EVERY_5_MINUTES,
    urls: ['https://example.com/'],
    proxies: [{ name: 'one', proxy: '192.0.2.1:8000:alice:secret' }],
  };
  const quota = { kind: 'rate_limit', endpoint: 'proxy_test_run', tell: 'message', seconds: 43_200 } as const;

  it('silences tests alone, is told of, and is not forgotten by a restart', async () => {
    const { log, lines } = recordedLog();
    await using house = await build({ proxy_tests }, { log });
    house.simulator.faults.add(quota);
    await live(house, 20 * MINUTE);
    const asked = requestsTo(house, 'proxy_test_run/create');
    const [found] = await findingsOf(house, 'TestQuotaRefused');
    expect(found?.labels).toEqual({ collector: 'proxy_tests' });
    expect((found?.value ?? 0) * SECOND - house.clock.now()).toBeGreaterThan(11 * HOUR);
    const samples = await house.samples();
    expect(samples.value('proxywatch_api_endpoint_paused_until_timestamp_seconds')).toBe(found?.value);
    expect(samples.value('proxywatch_collector_success', { collector: 'traffic' })).toBe(1);
    expect(samples.value('proxywatch_api_requests_per_second_limit')).toBe(1_000_000);
    expect(await foundBy(house, 'CollectorFailing')).toEqual([{ collector: 'proxy_tests' }]);

    await house.restart();
    await live(house, 30 * MINUTE);
    expect(requestsTo(house, 'proxy_test_run/create')).toBe(asked);
    expect(await findingsOf(house, 'TestQuotaRefused')).toEqual([found]);
    const warnings = lines.filter((line) => line.startsWith('warn'));
    expect(warnings.filter((line) => line.includes('proxy_test_run/create'))).toHaveLength(1);
    expect(warnings[0]).toContain('"until":"2026-07-07T');

    house.simulator.faults.clear();
    house.clock.advance(12 * HOUR);
    await live(house, 10 * MINUTE);
    expect(await foundBy(house, 'TestQuotaRefused')).toEqual([]);
    expect((await house.samples()).value('proxywatch_collector_success', { collector: 'proxy_tests' })).toBe(
      1,
    );
  });

  it('that is over is told of in the log once', async () => {
    const { log, lines } = recordedLog();
    await using house = await build({ proxy_tests }, { log });
    house.simulator.faults.add({ ...quota, count: 1 });
    await live(house, 5 * MINUTE);
    house.clock.advance(12 * HOUR);
    await live(house, 10 * MINUTE);
    expect(lines.filter((line) => line.includes('requests to this endpoint succeed again'))).toEqual([
      'info requests to this endpoint succeed again {"endpoint":"proxy_test_run/create"}',
    ]);
  });
});

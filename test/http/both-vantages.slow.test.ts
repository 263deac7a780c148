// Tests that the API shows the results of the probes beside those of the provider's testers.

import { describe, expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { buildBoth } from '../collectors/probes/both-vantages.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';

const ROUND = 5 * MINUTE;
const REQUEST_ID = '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11';
const refused = failed('tunnel', 'credentials', {
  proxyAnswer: { status: 407, code: '2010', requestId: REQUEST_ID },
});

/** Runs three rounds of probes and two of tests, in which the first proxy fails from here. */
const build = async (options: Parameters<typeof buildBoth>[1] = {}): Promise<Harness> => {
  const prober = new FakeProber();
  prober.answer = ({ at }) => (at === hostOf(0) ? refused : passed);
  const harness = await buildBoth(prober, options);
  await harness.advance(ROUND);
  await harness.advance(ROUND);
  return harness;
};

/** Serves the API of the daemon while `use` runs. */
const withApi = async (
  options: Parameters<typeof buildBoth>[1],
  use: (read: (path: string) => Promise<Answer>, harness: Harness) => Promise<void>,
): Promise<void> => {
  await using harness = await build(options);
  const { app, clock } = harness;
  await using server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock, log: silentLog },
    view: createView({ app, clock, version: '0.0.0-test' }),
    reload: async () => ({ result: 'no_file' }),
  });
  await use(async (path) => {
    const response = await fetch(`http://127.0.0.1:${server.address.port}/api/v1/${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    return response.json() as Promise<Answer>;
  }, harness);
};

interface Test {
  readonly tester_server: string;
}

/** The parts of the answers that the tests compare. */
interface Answer {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly tests: readonly Test[] })[];
  readonly verdict_text: string;
  readonly from_here: { readonly last_failures: readonly unknown[] };
  readonly total: number;
  readonly freshness: readonly { readonly collector: string; readonly state: string }[];
}

const testers = (tests: readonly Test[] = []): string[] =>
  [...new Set(tests.map(({ tester_server: name }) => name))].sort();

describe('with tests by the provider and probes', () => {
  it('a proxy has the results of both, and the uptime of the provider’s testers', () =>
    withApi({}, async (read) => {
      const { data } = await read('proxies?sort=id');
      expect(data).toHaveLength(5);
      expect(testers(data[0]?.tests)).toEqual(['frankfurt', 'local', 'london']);
      expect(data[0]).toMatchObject({ fault: false, uptime: { '24h': { ratio: 1 } } });
    }));

  it('the verdict about a proxy says that it fails from here only, with what to tell the support', () =>
    withApi({}, async (read) => {
      const proxy = await read('accounts/main/proxies/p0');
      expect(proxy).toMatchObject({ verdict: 'unusable_here', uptime: { '24h': { ratio: 1 } } });
      expect(proxy.verdict_text).toContain('it passes from the provider’s testers and fails from here');
      expect(proxy.from_here).toMatchObject({
        ...{ tester_server: 'local', verdict: 'unusable_here', failing_rounds: 3 },
        uptime: { '24h': { ratio: 0, own_failures: 0 } },
      });
      expect(proxy.from_here.last_failures).toHaveLength(2);
      expect(proxy.from_here.last_failures[0]).toMatchObject({
        ...{ phase: 'tunnel', cause: 'credentials', proxy_status: 407 },
        ...{ provider_code: '2010', request_id: REQUEST_ID },
      });
    }));

  it('a proxy has the exit that was expected and the one that was seen, if it was checked', () =>
    withApi({ probes: { exit: { url: 'https://echo.example.com/ip' } } }, async (read, { app, clock }) => {
      expect((await read('accounts/main/proxies/p1')).from_here).toMatchObject({ exit: null });
      const exit = { proxy: 'p1', expected: '192.0.2.1', seen: '203.0.113.99', isMismatch: true };
      const nothing = { phases: [], bytes: [], refusals: new Map(), failures: [] };
      await app.store.probes.saveBatch('probes/main', { ...nothing, exits: [exit], now: clock.now() });
      const at = new Date(clock.now()).toISOString();
      expect((await read('accounts/main/proxies/p1')).from_here).toMatchObject({
        exit: { expected: '192.0.2.1', seen: '203.0.113.99', mismatch: true, since: at, at },
      });
    }));

  it('the verdict about a proxy that passes says so for both', () =>
    withApi({}, async (read) => {
      expect(await read('accounts/main/proxies/p1')).toMatchObject({
        verdict: 'ok',
        verdict_text: 'It passes from here and from the provider’s testers.',
      });
    }));

  it('the vantage is a tester of its own, with its own uptime', () =>
    withApi({}, async (read) => {
      const { data } = await read('testers?sort=id');
      expect(data.map((each) => [each.tester_server, each.vantage])).toEqual([
        ['frankfurt', false],
        ['local', true],
        ['london', false],
      ]);
      expect(data[1]).toMatchObject({ uptime: { '24h': { results: 30, successes: 24 } } });
      expect(await read('accounts/main/testers/local')).toMatchObject({ vantage: true, verdict: 'ok' });
      const history = await read('accounts/main/testers/local/history');
      expect(history.data.at(-1)).toMatchObject({ results: 30, successes: 24 });
    }));

  it('targets that only one of them has are listed once', () =>
    withApi({}, async (read) => {
      const { data } = await read('targets?sort=id');
      expect(data.map(({ url }) => url)).toEqual([...['check', 'https://www.example.com/', 'shop']]);
      expect(await read('accounts/main/targets/check')).toMatchObject({ verdict: 'ok' });
      const { data: uptimes } = await read('uptimes?kind=target');
      expect(uptimes).toHaveLength(3);
    }));

  it('faults and failures of the probes are listed', () =>
    withApi({}, async (read) => {
      const { data: faults } = await read('faults?kind=access');
      expect(faults).toMatchObject([{ kind: 'access', subject: 'p0' }]);
      const { data, total } = await read('failures');
      expect(total).toBe(6);
      expect(data[0]).toMatchObject({
        ...{ account: 'main', proxy_id: 'p0', tester_server: 'local', error_code: 'tunnel_credentials' },
        probe: { phase: 'tunnel', cause: 'credentials', provider_code: '2010', request_id: REQUEST_ID },
      });
      expect(data.at(-1)?.probe).toBeNull();
    }));
});

describe('freshness', () => {
  /** Rows of tests of the provider go on, while nothing probes any more. */
  const stopProbes = async ({ app, clock }: Harness): Promise<void> => {
    await app.runner.remove('main', 'probes');
    clock.advance(16 * MINUTE);
  };
  const states = ({ freshness }: Answer): unknown[] =>
    freshness.map(({ collector, state }) => `${collector} ${state}`);

  it('shows of each answer how fresh the part of each collector is', () =>
    withApi({}, async (read, harness) => {
      await stopProbes(harness);
      const both = ['proxy_tests current', 'probes stale'];
      const base = 'accounts/main';
      for (const path of ['proxies', 'testers', 'targets', 'failures', 'faults', 'uptimes'])
        expect([path, states(await read(path))]).toEqual([path, both]);
      for (const path of ['proxies/p0', 'targets/shop', 'proxies/p0/history'])
        expect([path, states(await read(`${base}/${path}`))]).toEqual([path, both]);
    }));

  it('is that of one collector for one tester', () =>
    withApi({}, async (read, harness) => {
      await stopProbes(harness);
      for (const path of ['testers/local', 'testers/local/history'])
        expect(states(await read(`accounts/main/${path}`))).toEqual(['probes stale']);
      expect(states(await read('failures?tester_server=local'))).toEqual(['probes stale']);
      expect(states(await read('accounts/main/testers/london'))).toEqual(['proxy_tests current']);
    }));
});

it('with probes only, the lists have their results', () =>
  withApi({ tests: false }, async (read) => {
    const { data, freshness } = await read('proxies?sort=id');
    expect(testers(data[0]?.tests)).toEqual(['local']);
    expect(freshness).toMatchObject([{ collector: 'probes', state: 'current' }]);
    expect(await read('accounts/main/proxies/p0')).toMatchObject({
      verdict: 'unusable_here',
      uptime: { '24h': { ratio: 0 } },
    });
    expect((await read('accounts/main/proxies/p0/history')).data.at(-1)).toMatchObject({ results: 6 });
  }));

// Tests GET and POST /api/v1/accounts/{account}/test-now: what tests now cost, their results, and what they leave as it was.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { MOST_BYTES } from '../../src/collectors/probes/budget/byte-prices.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { buildBoth } from '../collectors/probes/both-vantages.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { buildProbes, gateways, staticProxies } from '../collectors/probes/probes-harness.ts';
import { buildTests, callsOf, faultsOf, hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import { lastRun } from '../collectors/stub-account.ts';
import type { Harness } from '../support/harness.ts';
import { createWebFolder, HASH, PASSWORD } from './web-config-support.ts';

const SLOT = 10 * MINUTE;

interface Result {
  readonly collector: string;
  readonly proxy_id: string;
  readonly url: string;
  readonly tester_server: string;
  readonly success: boolean;
  readonly error: string | null;
}

interface Tested {
  readonly kind: string;
  readonly id: string;
  readonly finished_at: string | null;
  readonly started_at: string | null;
  readonly done: number;
  readonly total: number | null;
  readonly errors: readonly string[];
  readonly results: readonly Result[];
}

interface Answer extends Tested {
  readonly plans: readonly object[];
  readonly last: Tested | null;
  readonly error?: string;
  readonly next_round_at: string | null;
}

interface Api extends AsyncDisposable {
  readonly harness: Harness;
  get(query?: Readonly<Record<string, string>>): Promise<Answer>;
  post(body: object, headers?: Record<string, string>): Promise<{ status: number; body: Answer }>;
  /** Resolves to the last test when it has ended. */
  ended(): Promise<Tested>;
}

const serve = async (harness: Harness, webConfigFile?: string): Promise<Api> => {
  const { app, clock } = harness;
  const server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock, log: silentLog, webConfigFile },
    view: createView({ app, clock, version: '0.0.0-test' }),
    reload: async () => ({ result: 'no_file' }),
  });
  const url = `http://127.0.0.1:${server.address.port}/api/v1/accounts/main/test-now`;
  const get: Api['get'] = async (query = {}) =>
    (await (await fetch(`${url}?${new URLSearchParams(query)}`)).json()) as Answer;
  return {
    harness,
    get,
    post: async (body, headers = {}) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Answer };
    },
    ended: async () => {
      await app.runner.idle();
      for (;;) {
        const { last } = await get();
        if (last?.finished_at) return last;
        await setImmediate();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
};

const breakProxy = ({ simulator }: Harness, index: number): void =>
  simulator.outages.replace([{ kind: 'proxy', subject: hostOf(index), error_source: 'proxy' }]);

/** What differs between any two readings. */
const VOLATILE = /^(nodejs|process|proxywatch_store|proxywatch_api_request_duration)_/;

/** The rows of each table, those of counters by their owner, and the samples of metrics. */
const stateOf = async (harness: Harness): Promise<Map<string, string>> => {
  using db = new DatabaseSync(harness.storePath, { readOnly: true });
  const state = new Map<string, string>();
  for (const { name } of db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all())
    for (const row of db.prepare(`SELECT * FROM "${name}"`).all()) {
      const key = `${name} ${name === 'counter' ? row.owner : ''}`.trim();
      state.set(key, `${state.get(key) ?? ''}${inspect(row, { maxArrayLength: null })}`);
    }
  for (const [sample, value] of await harness.metrics())
    if (!VOLATILE.test(sample)) state.set(sample, `${value}`);
  return state;
};

/** Tests the subject now. Returns what the tests changed, and how they ended. */
const testNow = async (api: Api, subject: object) => {
  const before = await stateOf(api.harness);
  const { status } = await api.post(subject);
  expect(status).toBe(200);
  const tested = await api.ended();
  const after = await stateOf(api.harness);
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => before.get(name) !== after.get(name));
  return { tested, changed: [...new Set(changed.map((name) => name.replace(/\{.*/, '')))].sort() };
};

/** All that a call changes: the budget, and how many calls and requests there were. */
const CALLS_COUNTED = [
  'counter proxy_tests/1/calls',
  'proxywatch_api_requests_total',
  'proxywatch_proxy_test_budget_remaining',
  'proxywatch_proxy_test_runs_total',
  'test_spend',
];

/** All that probes of proxies that are not metered change: their bytes. */
const PROBES_COUNTED = ['counter proxy_tests/1/probe_bytes', 'proxywatch_probe_bytes_total'];

it('leaves the fault of a dead target, which tests of 20 of its 60 proxies pass', async () => {
  const prober = new FakeProber();
  prober.answer = ({ target }) => (target === '/shop' ? failed('response', 'timeout') : passed);
  await using api = await serve(await buildProbes(prober, { probes: { proxies: staticProxies(60) } }));
  await api.harness.advance(5 * MINUTE);
  expect(await faultsOf(api.harness)).toEqual(['target shoplocal']);
  prober.answer = () => passed;
  const { tested, changed } = await testNow(api, { url: 'shop' });
  expect(changed).toEqual(PROBES_COUNTED);
  expect(new Set(tested.results.map(({ proxy_id }) => proxy_id)).size).toBe(20);
  expect(tested.results.filter(({ success }) => success)).toHaveLength(40);
  expect(await faultsOf(api.harness)).toEqual(['target shoplocal']);
});

it('leaves what a round showed of a dead proxy, when the controls are blocked later', async () => {
  const prober = new FakeProber();
  const dead = failed('connect', 'refused');
  prober.answer = ({ at }) => (at === '192.0.2.1' ? dead : passed);
  const probes = { control: undefined, proxies: staticProxies(4) };
  await using api = await serve(await buildProbes(prober, { probes }));
  prober.answer = ({ at }) => (at === '192.0.2.1' || at === 'direct' ? dead : passed);
  prober.take();
  const { tested, changed } = await testNow(api, { proxy_id: 'p1' });
  expect(changed).toEqual(PROBES_COUNTED);
  expect(prober.take()).toEqual(['192.0.2.1 /check', '192.0.2.1 /shop']);
  const result = { collector: 'probes', proxy_id: 'p1', tester_server: 'local', success: false };
  const error = 'the probe failed in the phase connect';
  expect(tested).toMatchObject({
    ...{ done: 2, total: 2, errors: [] },
    results: [
      { ...result, url: 'check', error },
      { ...result, url: 'shop', error },
    ],
  });
});

it('leaves the failures of a round, after which a test passes, and the round in which a fault begins', async () => {
  await using api = await serve(await buildTests({ tests: { max_runs_per_day: 1_000 } }));
  const { harness } = api;
  const rounds = harness.app.runner.status('main').map(({ nextAt }) => nextAt);
  const run = await lastRun(harness);
  breakProxy(harness, 1);
  await harness.advance(SLOT);
  harness.simulator.outages.replace([]);
  const { tested, changed } = await testNow(api, { proxy_id: 'p1' });
  expect(changed).toEqual(CALLS_COUNTED);
  expect(tested.results.map(({ success }) => success)).toEqual([true, true, true, true]);
  const failing = { proxy_id: 'p1', url: 'shop', tester_server: 'london' };
  expect((await harness.samples()).value('proxywatch_proxy_test_success', failing)).toBe(0);
  breakProxy(harness, 1);
  await harness.advance(SLOT);
  expect(await faultsOf(harness)).toEqual(['proxy p1']);
  expect(callsOf(harness).map(({ lines }) => lines.length)).toEqual([5, 5, 1, 5]);
  const next = harness.app.runner.status('main').map(({ nextAt }) => nextAt - 2 * SLOT);
  expect([next, run?.result]).toEqual([rounds, 'ok']);
});

it('says the price before, and the results of a proxy after', async () => {
  await using api = await serve(await buildTests({ tests: { max_runs_per_day: 1_000 } }));
  const { harness } = api;
  expect(await api.get({ proxy_id: 'p1' })).toEqual({
    plans: [
      {
        ...{ collector: 'proxy_tests', proxies: 1, left_out: null, tests: 4, refusal: null },
        price: { unit: 'runs', amount: 1, left_before: 999, left_after: 998 },
      },
    ],
    last: null,
    next_round_at: new Date(harness.app.runner.status('main')[0]?.nextAt ?? 0).toISOString(),
  });
  breakProxy(harness, 1);
  const { status, body } = await api.post({ proxy_id: 'p1' });
  expect([status, body.kind, body.id, body.total, body.finished_at]).toEqual([200, 'proxy', 'p1', 4, null]);
  const tested = await api.ended();
  expect(tested).toMatchObject({ kind: 'proxy', id: 'p1', done: 4, total: 4, errors: [] });
  expect(tested.results).toContainEqual({
    ...{ collector: 'proxy_tests', proxy_id: 'p1', url: 'shop', tester_server: 'london' },
    ...{ success: false, error: expect.stringMatching(/^proxy: \w+$/) },
  });
  expect(callsOf(harness).map(({ lines }) => lines.length)).toEqual([5, 1]);
  const samples = await harness.samples();
  expect(samples.value('proxywatch_proxy_test_runs_total', { result: 'ok' })).toBe(2);
  expect(samples.value('proxywatch_proxy_test_budget_remaining')).toBe(998);
  // Rounds and other tests do not change the results.
  await harness.advance(SLOT);
  expect(await api.ended()).toEqual(tested);
});

it('tests a target and a tester with the proxies of a round', async () => {
  await using api = await serve(await buildTests());
  for (const subject of [{ url: 'shop' }, { tester_server: 'london' }]) {
    await api.post(subject);
    const { done, results } = await api.ended();
    expect([done, results.length]).toEqual([20, 20]);
  }
});

it('refuses what the budget does not allow, and makes no call', async () => {
  await using api = await serve(await buildTests({ tests: { max_runs_per_day: 1 } }));
  const refusal =
    'max_runs_per_day allows no test now: a test costs 1 test runs, and 0 of 1 are left. Test runs stop counting after 24 hours';
  expect((await api.get({ proxy_id: 'p1' })).plans).toMatchObject([{ refusal }]);
  const { status, body } = await api.post({ proxy_id: 'p1' });
  expect([status, body.error]).toEqual([409, refusal]);
  expect(callsOf(api.harness)).toHaveLength(1);
});

it('refuses a second test, what is unknown, other pages, readers, and requests without a login', async () => {
  const prober = new FakeProber();
  await using api = await serve(await buildBoth(prober));
  const held = Promise.withResolvers<void>();
  prober.answer = async () => {
    await held.promise;
    return passed;
  };
  const { status } = await api.post({ proxy_id: 'p1' });
  const second = await api.post({ url: 'shop' });
  expect([status, second.status, second.body.error]).toEqual([
    ...[200, 409],
    'a test of the proxy p1 is in progress, and the account main makes one at a time',
  ]);
  held.resolve();
  // The provider's testers and this machine each test it at the two targets.
  expect(await api.ended()).toMatchObject({ done: 6, total: 6, errors: [] });
  for (const [body, error] of [
    [{ proxy_id: 'p99' }, 'proxy_id: the account main does not test the proxy "p99"'],
    [{ tester_server: 'nowhere' }, 'tester_server: the account main does not test the tester "nowhere"'],
  ] as const)
    expect(await api.post(body)).toEqual({ status: 404, body: { error } });
  const expected = 'expected one of proxy_id, url and tester_server';
  for (const [body, error] of [
    [{}, expected],
    [{ proxy_id: 'p1', url: 'shop' }, `url: ${expected}`],
    [{ proxy: 'p1' }, expected],
  ] as const)
    expect(await api.post(body)).toEqual({ status: 400, body: { error } });
  const foreign = await api.post({ proxy_id: 'p1' }, { origin: 'http://other.example' });
  expect([foreign.status, foreign.body.error]).toEqual([403, expect.stringMatching(/^a web page is not/)]);
  const file = join(createWebFolder(JSON.stringify({ basic_auth_users: { anna: HASH } })), 'web.yml');
  const { app, clock } = api.harness;
  await using guarded = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock, log: silentLog, webConfigFile: file },
    view: createView({ app, clock, version: '0.0.0-test' }),
    reload: async () => ({ result: 'no_file' }),
    readers: () => ['anna'],
  });
  const url = `http://127.0.0.1:${guarded.address.port}/api/v1/accounts/main/test-now`;
  const post = { method: 'POST', body: '{"proxy_id":"p1"}' };
  expect((await fetch(url, post)).status).toBe(401);
  const authorization = `Basic ${Buffer.from(`anna:${PASSWORD}`).toString('base64')}`;
  const reader = { 'content-type': 'application/json', authorization };
  expect((await fetch(url, { ...post, headers: reader })).status).toBe(403);
});

it('waits for the round in progress, and the next round waits for it', async () => {
  const prober = new FakeProber();
  await using api = await serve(await buildProbes(prober));
  const { harness } = api;
  const [round, now] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  prober.take();
  prober.answer = async () => {
    await (prober.made.length > 4 ? now : round).promise;
    return prober.made.length > 4 ? failed('connect', 'refused') : passed;
  };
  harness.clock.advance(5 * MINUTE);
  harness.app.runner.tick();
  await api.post({ proxy_id: 'p1' });
  expect((await api.get()).last?.started_at).toBeNull();
  round.resolve();
  while ((await api.get()).last?.started_at == null) await setImmediate();
  harness.clock.advance(5 * MINUTE);
  harness.app.runner.tick();
  now.resolve();
  expect(await api.ended()).toMatchObject({ done: 2, total: 2 });
  const made = prober.take();
  const both = ['192.0.2.1 /check', '192.0.2.1 /shop', '192.0.2.2 /check', '192.0.2.2 /shop'];
  expect(made.slice(0, 4).toSorted()).toEqual(both);
  expect(made.slice(4, 6)).toEqual(both.slice(0, 2));
  expect(made.slice(6).toSorted()).toEqual(both);
});

it('says what the bytes of metered proxies cost, and that others cost none', async () => {
  const probes = { proxies: [...gateways(1), ...staticProxies(1)] };
  await using api = await serve(await buildProbes(new FakeProber(), { probes }));
  const planOf = async (id: string) => (await api.get({ proxy_id: id })).plans;
  expect(await planOf('g1')).toMatchObject([
    { collector: 'probes', tests: 2, left_out: null, refusal: null, price: { unit: 'bytes' } },
  ]);
  expect(await planOf('p1')).toMatchObject([{ tests: 2, refusal: null, price: null }]);
  await api.post({ tester_server: 'local' });
  expect(await api.ended()).toMatchObject({ done: 4, total: 4, errors: [] });
});

it('probes as many metered proxies as the byte budget allows, and says how many it leaves out', async () => {
  const probes = {
    ...{ proxies: [...gateways(5), ...staticProxies(1)], schedule: '0 * * * *' },
    max_bytes_per_day: 2 * MOST_BYTES.tls + 780_000,
  };
  await using api = await serve(await buildProbes(new FakeProber(), { probes }));
  // A round uses what the budget allows until then, which is less than it needs. This is what it allows in 50 minutes more.
  await api.harness.advance(HOUR);
  api.harness.clock.advance(50 * MINUTE);
  const leftOut = expect.stringMatching(/^2 of 6 proxies are left out: max_bytes_per_day allows no more/);
  const { plans } = await api.get({ url: 'shop' });
  expect(plans).toMatchObject([{ proxies: 4, left_out: leftOut, refusal: null }]);
  const { tested, changed } = await testNow(api, { url: 'shop' });
  expect(tested).toMatchObject({ done: 8, total: 8, errors: [leftOut] });
  const paid = ['probe_spend', 'proxywatch_probe_budget_remaining_bytes'];
  expect(changed).toEqual([...PROBES_COUNTED, ...paid].sort());
});

it('stays paid if the daemon stops, and is over then', async () => {
  await using harness = await buildTests({ tests: { max_runs_per_day: 1_000 } });
  const { app } = harness;
  await app.testsNow.start('main', { kind: 'proxy', id: 'p1' });
  while (callsOf(harness).length < 2) await setImmediate();
  await harness.restart();
  expect((await harness.samples()).value('proxywatch_proxy_test_budget_remaining')).toBe(998);
  expect(harness.app.testsNow.last('main')).toBeUndefined();
});

// Tests that the API never reports unknown data as good news: while the provider does not answer, collectors are
// disabled or data is old, and if only one of two accounts has alerts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLLECTOR_NAMES } from '../../../src/collectors/context.ts';
import { API_ROUTES } from '../../../src/http/api/routes.ts';
import { HOUR } from '../../../src/lib/time.ts';
import type { AlertGroups, Collector } from '../../../src/page/answers.ts';
import { causesOf } from '../../../src/page/views/causes.ts';
import { headlineView, overviewAnswers } from '../../../src/page/views/overview.ts';
import type { StoredAlert } from '../../../src/store/alert-store.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts';
import { alertView, NOW, startServer } from '../support.ts';
import { ApiHarness, type Json } from './api-harness.ts';

/** Routes whose data a collector reads. */
const COLLECTOR_ROUTES = API_ROUTES.filter(({ collector }) => collector !== undefined);
const LISTS = COLLECTOR_ROUTES.map(({ path }) => path.replace('/api/v1/', '')).filter(
  (path) => !path.includes('{'),
);
const TRAFFIC = 'accounts/main/traffic';
const OFF = Object.fromEntries(COLLECTOR_NAMES.map((name) => [name, false]));

const freshnessOf = async (api: ApiHarness, path: string): Promise<Json> =>
  ((await api.answer(path)).freshness as Json[])[0] as Json;

describe('for an account that was never read', () => {
  let provider: FakeProvider;
  let api: ApiHarness;
  beforeAll(async () => {
    provider = await startFakeProvider(() => ({ status: 500, body: { message: 'out of order' } }));
    api = await ApiHarness.build({}, { base_url: provider.baseUrl, reconciliation: {} });
  }, 60_000);
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  it.each([...LISTS, TRAFFIC])('%s says that there is no data yet', async (path) => {
    expect(await freshnessOf(api, path)).toMatchObject({ account: 'main', state: 'no_data', as_of: null });
  });

  it('the freshness has the error of a failed run', async () => {
    expect(await freshnessOf(api, 'users')).toEqual({
      ...{ account: 'main', collector: 'proxy_users', state: 'no_data', as_of: null },
      watched_since: '2026-07-05T12:01:30.000Z',
      error: { kind: 'server', message: 'proxy_user/search: answered 500: out of order' },
    });
  });

  it('the number of users is unknown, not 0', async () => {
    const users = await api.items('users/summary');
    expect(users.map(({ users, states }) => [users, states])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('proxies without a test are not reported as faultless', async () => {
    expect(await api.items('proxies')).toEqual(
      Array(3).fill(expect.objectContaining({ fault: null, failing_rounds: null, last_tested_at: null })),
    );
    expect(await api.items('targets')).toEqual([expect.objectContaining({ fault: null })]);
    const samples = await api.harness.samples();
    expect(samples.all('proxywatch_proxies_failing')).toEqual([]);
    expect(samples.all('proxywatch_proxies_at_fault')).toEqual([]);
  });

  it('orders without an answer are listed', async () => {
    const unanswered = { state: null, price: null, currency: 'USD', line_items: null, answered_at: null };
    expect(await api.items('quotes')).toEqual([
      expect.objectContaining({ quote: 'isp-de', ...unanswered }),
      expect.objectContaining({ quote: 'isp-gb', ...unanswered }),
    ]);
  });

  it('collectors with successful runs that read nothing have no data', async () => {
    const { accounts } = (await api.answer('status')) as unknown as {
      accounts: { collectors: { name: string; result: string; data_state: string }[] }[];
    };
    const found = accounts[0]?.collectors ?? [];
    expect(found.filter(({ result }) => result === 'ok').map(({ name }) => name)).toEqual([
      'prices',
      'services',
      'reconciliation',
    ]);
    expect(new Set(found.map(({ data_state: state }) => state))).toEqual(new Set(['no_data']));
  });
});

describe('for an account with all collectors disabled', () => {
  it('every answer says that nothing is monitored', async () => {
    await using api = await ApiHarness.build({}, OFF);
    for (const path of LISTS)
      expect([path, await freshnessOf(api, path)]).toEqual([
        path,
        expect.objectContaining({ state: 'not_monitored' }),
      ]);
  });

  it('no list has items, even if the store has data of the collectors', async () => {
    await using filled = await ApiHarness.build();
    await filled.run(4);
    const LISTS_WITH_DATA = ['failures', 'faults', 'proxies', 'uptimes', 'users', 'inventory', 'services'];
    for (const path of LISTS_WITH_DATA)
      expect([path, (await filled.items(path)).length]).not.toEqual([path, 0]);
    await filled.harness.stop();
    const { storePath: storeFile, clock } = filled.harness;
    await using api = await ApiHarness.build({}, OFF, { storeFile, clock });
    for (const path of LISTS) expect([path, await api.items(path)]).toEqual([path, []]);
    expect((await api.answer('failures')).total).toBe(0);
  });
});

describe('for old data', () => {
  it('every answer says how old it is, and has a new ETag', async () => {
    await using api = await ApiHarness.build({}, { reconciliation: false });
    await api.run(1);
    const before = await api.request('services');
    expect(await freshnessOf(api, 'services')).toMatchObject({
      state: 'current',
      as_of: '2026-07-05T13:01:30.000Z',
    });
    api.harness.clock.advance(4 * HOUR);
    for (const path of LISTS.filter((each) => each !== 'reconciliation'))
      expect([path, await freshnessOf(api, path)]).toEqual([
        path,
        expect.objectContaining({ state: 'stale' }),
      ]);
    const after = await api.request('services', before.etag ?? '');
    expect([after.status, after.etag === before.etag]).toEqual([200, false]);
  });

  it.each([
    ['users', 'proxy_user_id', 'proxy_users'],
    ['services', 'service_id', 'services'],
    ['inventory', 'proxy_id', 'inventory'],
  ])(
    'the answer about one item of %s says how old it is, and has a new ETag',
    async (list, key, collector) => {
      await using api = await ApiHarness.build({}, { reconciliation: false });
      await api.run(1);
      const [item] = await api.items(`${list}?limit=1`);
      const path = `accounts/main/${list}/${item?.[key]}`;
      const before = await api.request(path);
      expect(before.body.freshness).toMatchObject([{ collector, state: 'current' }]);
      api.harness.clock.advance(4 * HOUR);
      const after = await api.request(path, before.etag ?? '');
      expect([after.status, after.etag === before.etag]).toEqual([200, false]);
      expect(after.body).toEqual({ ...before.body, freshness: after.body.freshness });
      expect(after.body.freshness).toMatchObject([{ account: 'main', collector, state: 'stale' }]);
    },
  );
});

it('a proxy without a test in the last 24 hours is untested, and not ok', async () => {
  await using api = await ApiHarness.build();
  await api.run(1);
  const verdict = async () => {
    const { verdict, verdict_text } = await api.answer('accounts/main/proxies/fr-1');
    return [verdict, verdict_text];
  };
  expect(await verdict()).toEqual([
    'ok',
    expect.stringMatching(/^All \d tests of the newest round \(2026-07-05 13:0\d UTC\) succeeded\.$/),
  ]);
  api.harness.clock.advance(25 * HOUR);
  expect(await verdict()).toEqual([
    'untested',
    expect.stringMatching(/^No test of this proxy .*; the newest result is of 2026-07-05 13:0\d UTC\.$/),
  ]);
});

describe('for a listing that takes several runs', () => {
  it('data is stale only after the duration of the listing, as for its alert', async () => {
    await using api = await ApiHarness.build({}, { ...OFF, proxy_users: { schedule: '*/5 * * * *' } });
    await api.run(1);
    const { runs } = api.harness.app.store;
    const [run] = await runs.states('main');
    if (!run) throw new Error('no run');
    const { wholeListingMs: _, ...last } = run;
    await runs.record({ ...last, account: 'main', pass: { ms: 2 * HOUR, isComplete: true } });
    api.harness.clock.advance(HOUR);
    expect(await freshnessOf(api, 'users')).toMatchObject({ state: 'current' });
    api.harness.clock.advance(2 * HOUR);
    expect(await freshnessOf(api, 'users')).toMatchObject({ state: 'stale' });
  });
});

describe('a forecast without a time has a reason', () => {
  it('before a day of history', async () => {
    await using api = await ApiHarness.build({}, { ...OFF, residential_ledger: { schedule: '0 * * * *' } });
    await api.run(2);
    const ledgers = async () => (await api.items('ledger')) as { balance: Json }[];
    expect((await ledgers())[0]?.balance).toMatchObject({ exhausted_at: null, forecast: 'no_history' });
    await api.run(24);
    expect((await ledgers())[0]?.balance).toMatchObject({ forecast: 'expected' });
  });
});

describe('alerts', () => {
  const alert = (account: string, labels: Record<string, string>, severity = 'critical'): StoredAlert => ({
    ...{ account, alert: 'Low', severity, labels, value: 1 },
    ...{ step: 0, since: NOW, firingSince: NOW, absentSince: null, skippedMs: 0, endedAt: null },
  });
  const account = (name: string) => ({
    name,
    customerId: null,
    timeZone: 'UTC',
    currency: 'USD',
    collectors: [],
  });
  const serve = (alerts: StoredAlert[], evaluatedAt: number | null, isOn = true) =>
    startServer({
      alerts: alertView(alerts, { isOn, evaluatedAt }),
      status: async () => ({
        ...{ version: '1', startedAt: NOW, accounts: ['main', 'shop'].map(account) },
        maintenance: { nextAt: NOW, runningSince: null, progress: null },
        remoteWrite: [],
      }),
    });
  const collectors = [{ data_state: 'current', result: 'ok' } as Collector];
  const statusOf = async (url: string) => (await (await fetch(`${url}/api/v1/status`)).json()) as never;
  const headlineOf = async (url: string, name: string): Promise<string> => {
    const groups = `${url}/api/v1/alerts/groups?account=${name}&with_daemon=true`;
    const alerts = (await (await fetch(groups)).json()) as AlertGroups;
    const known = overviewAnswers(await statusOf(url), name, { alerts });
    const rest = { collectors, traffic: null, users: null, ledger: null, faults: null, services: null };
    const data = { ...known, ...rest };
    const shown = headlineView(data, causesOf(data, NOW), NOW).toString();
    return shown.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  };

  it('are counted for their account', async () => {
    await using server = await serve([alert('shop', { subject: 'a' }), alert('shop', { subject: 'b' })], NOW);
    const status = await statusOf(server.url);
    expect(status).toMatchObject({
      alerts_firing: 2,
      accounts: [
        { name: 'main', alerts: { firing: 0, pending: 0, worst_severity: null } },
        { name: 'shop', alerts: { firing: 2, pending: 0, worst_severity: 'critical' } },
      ],
    });
    expect(await headlineOf(server.url, 'main')).toContain('✕ Urgent 2 alerts fire in account shop');
    expect(await headlineOf(server.url, 'shop')).toContain('✕ Urgent 2 Low');
  });

  it('of the daemon concern each account', async () => {
    await using server = await serve([alert('', { receiver: 'hook' }, 'warning')], NOW);
    const status = await statusOf(server.url);
    expect(status).toMatchObject({ daemon_alerts: { firing: 1, worst_severity: 'warning' } });
    expect(await headlineOf(server.url, 'main')).toContain('! Needs you 1 Low');
  });

  it.each([
    ['not evaluated', false, null],
    ['not evaluated yet', true, null],
  ])('that are %s are not counted as 0', async (_, isEvaluated, at) => {
    await using server = await serve([], at, isEvaluated);
    const status = await statusOf(server.url);
    const unknown = { firing: null, pending: null, worst_severity: null };
    expect(status).toMatchObject({
      ...{ alerts_evaluated_at: null, alerts_firing: null, alerts_pending: null, daemon_alerts: unknown },
      accounts: [{ alerts: unknown }, { alerts: unknown }],
    });
    expect(await headlineOf(server.url, 'main')).not.toMatch(/works|0|✓/);
    const page = await (await fetch(server.url)).text();
    expect(page).not.toContain('No alert is firing');
  });
});

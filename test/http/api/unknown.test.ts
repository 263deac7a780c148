// What is not known is never told as good news: of a daemon whose provider never answered, whose collectors are off,
// whose data is old, and of two accounts of which one alone has alerts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLLECTOR_NAMES } from '../../../src/collectors/context.ts';
import { API_ROUTES } from '../../../src/http/api/routes.ts';
import { HOUR } from '../../../src/lib/time.ts';
import type { Collector } from '../../../src/page/answers.ts';
import { summaryView } from '../../../src/page/views/summary.ts';
import type { StoredAlert } from '../../../src/store/alert-store.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts';
import { alertView, NOW, startServer } from '../support.ts';
import { ApiHarness, type Json } from './api-harness.ts';

/** Routes whose answer a collector reads, without a subject of their own. */
const READ = API_ROUTES.filter(({ collector }) => collector !== undefined);
const LISTS = READ.map(({ path }) => path.replace('/api/v1/', '')).filter((path) => !path.includes('{'));
const TRAFFIC = 'accounts/main/traffic';
const OFF = Object.fromEntries(COLLECTOR_NAMES.map((name) => [name, false]));

const freshnessOf = async (api: ApiHarness, path: string): Promise<Json> =>
  ((await api.answer(path)).freshness as Json[])[0] as Json;

describe('of an account that was never read', () => {
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

  it('tells why, where a run failed', async () => {
    expect(await freshnessOf(api, 'users')).toEqual({
      ...{ account: 'main', collector: 'proxy_users', state: 'no_data', as_of: null },
      watched_since: '2026-07-05T12:01:30.000Z',
      error: { kind: 'server', message: 'proxy_user/search: answered 500: out of order' },
    });
  });

  it('users are not counted as none', async () => {
    const users = await api.items('users/summary');
    expect(users.map(({ users, states }) => [users, states])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('nobody is found innocent without a test', async () => {
    expect(await api.items('proxies')).toEqual(
      Array(3).fill(expect.objectContaining({ fault: null, failing_rounds: null, last_tested_at: null })),
    );
    expect(await api.items('targets')).toEqual([expect.objectContaining({ fault: null })]);
    const samples = await api.harness.samples();
    expect(samples.all('proxywatch_proxies_failing')).toEqual([]);
    expect(samples.all('proxywatch_proxies_at_fault')).toEqual([]);
  });

  it('orders are listed that were never answered', async () => {
    const unanswered = { state: null, price: null, line_items: null, answered_at: null };
    expect(await api.items('quotes')).toEqual([
      expect.objectContaining({ quote: 'isp-de', ...unanswered }),
      expect.objectContaining({ quote: 'isp-gb', ...unanswered }),
    ]);
  });

  it('collectors whose runs went well without anything to read have no data either', async () => {
    const { accounts } = (await api.answer('status')) as unknown as {
      accounts: { collectors: { name: string; result: string; data_state: string }[] }[];
    };
    const found = accounts[0]?.collectors ?? [];
    expect(found.filter(({ result }) => result === 'ok').map(({ name }) => name)).toEqual([
      'services',
      'reconciliation',
    ]);
    expect(new Set(found.map(({ data_state: state }) => state))).toEqual(new Set(['no_data']));
  });
});

describe('of an account with all collectors off', () => {
  it('every answer says that nothing is monitored', async () => {
    await using api = await ApiHarness.build({}, OFF);
    for (const path of LISTS)
      expect([path, await freshnessOf(api, path)]).toEqual([
        path,
        expect.objectContaining({ state: 'not_monitored' }),
      ]);
  });
});

describe('of data that grew old', () => {
  it('every answer says how old, under a tag of its own', async () => {
    await using api = await ApiHarness.build({}, { reconciliation: false });
    await api.live(1);
    const before = await api.ask('services');
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
    const after = await api.ask('services', before.etag ?? '');
    expect([after.status, after.etag === before.etag]).toEqual([200, false]);
  });
});

describe('of a listing that takes several runs', () => {
  it('data is stale only after the time that the listing takes, like its alert', async () => {
    await using api = await ApiHarness.build({}, { ...OFF, proxy_users: { schedule: '*/5 * * * *' } });
    await api.live(1);
    const { runs } = api.harness.app.store;
    const [run] = await runs.states('main');
    if (!run) throw new Error('no run');
    const { passMs: _, ...last } = run;
    await runs.record({ ...last, account: 'main', pass: { ms: 2 * HOUR, isWhole: true } });
    api.harness.clock.advance(HOUR);
    expect(await freshnessOf(api, 'users')).toMatchObject({ state: 'current' });
    api.harness.clock.advance(2 * HOUR);
    expect(await freshnessOf(api, 'users')).toMatchObject({ state: 'stale' });
  });
});

describe('a forecast that names no time says why', () => {
  it('before a day of history, and when nothing is used', async () => {
    await using api = await ApiHarness.build({}, { ...OFF, residential_ledger: { schedule: '0 * * * *' } });
    await api.live(2);
    const ledgers = async () => (await api.items('ledger')) as { balance: Json }[];
    expect((await ledgers())[0]?.balance).toMatchObject({ exhausted_at: null, forecast: 'no_history' });
    await api.live(24);
    expect((await ledgers())[0]?.balance).toMatchObject({ forecast: 'expected' });
  });
});

describe('alerts', () => {
  const alert = (account: string, labels: Record<string, string>, severity = 'critical'): StoredAlert => ({
    ...{ account, alert: 'Low', severity, labels, value: 1 },
    ...{ since: NOW, firingSince: NOW, absentSince: null, endedAt: null },
  });
  const account = (name: string) => ({ name, customerId: null, collectors: [] });
  const serve = (alerts: StoredAlert[], evaluatedAt: number | null, isOn = true) =>
    startServer({
      alerts: alertView(alerts, { isOn, evaluatedAt }),
      status: async () => ({
        ...{ version: '1', startedAt: NOW, accounts: ['main', 'shop'].map(account) },
        maintenance: { nextAt: NOW, runningSince: null, progress: null },
      }),
    });
  const collectors = [{ data_state: 'current', result: 'ok' } as Collector];
  const ask = async (url: string) => (await (await fetch(`${url}/api/v1/status`)).json()) as never;
  const tileOf = (status: never, name: string): string =>
    /Alerts<\/a>.*?<\/div>/s
      .exec(summaryView({ account: name, status, collectors }, NOW).toString())?.[0]
      ?.replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ') ?? '';

  it('are counted for the account they are of', async () => {
    await using server = await serve([alert('shop', { subject: 'a' }), alert('shop', { subject: 'b' })], NOW);
    const status = await ask(server.url);
    expect(status).toMatchObject({
      alerts_firing: 2,
      accounts: [
        { name: 'main', alerts: { firing: 0, pending: 0, worst_severity: null } },
        { name: 'shop', alerts: { firing: 2, pending: 0, worst_severity: 'critical' } },
      ],
    });
    expect(tileOf(status, 'main')).toContain('None ✓ firing 2 in other accounts');
    expect(tileOf(status, 'shop')).toContain('2 ✕ firing');
  });

  it('of the daemon concern each account', async () => {
    await using server = await serve([alert('', { receiver: 'hook' }, 'warning')], NOW);
    const status = await ask(server.url);
    expect(status).toMatchObject({ daemon_alerts: { firing: 1, worst_severity: 'warning' } });
    expect(tileOf(status, 'main')).toContain('1 ! firing');
  });

  it.each([
    ['not evaluated', false, null],
    ['not evaluated yet', true, null],
  ])('that are %s are not none', async (_, isEvaluated, at) => {
    await using server = await serve([], at, isEvaluated);
    const status = await ask(server.url);
    const unknown = { firing: null, pending: null, worst_severity: null };
    expect(status).toMatchObject({
      ...{ alerts_evaluated_at: null, alerts_firing: null, alerts_pending: null, daemon_alerts: unknown },
      accounts: [{ alerts: unknown }, { alerts: unknown }],
    });
    expect(tileOf(status, 'main')).not.toMatch(/None|0|✓/);
    const page = await (await fetch(server.url)).text();
    expect(page).not.toContain('No alert is firing');
  });
});

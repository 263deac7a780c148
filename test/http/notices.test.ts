// Tests GET /api/v1/alerts/notices of a daemon with receivers: its answer, its pages, and requests that it refuses.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { API_ROUTES } from '../../src/http/api/routes.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { Harness } from '../support/harness.ts';
import { createWebFolder, HASH, PASSWORD } from './web-config-support.ts';

type Json = Record<string, unknown>;

interface Answer {
  readonly matching: number;
  readonly data: readonly (Json & { readonly labels: Json; readonly receivers: readonly Json[] })[];
  readonly inactive: readonly Json[];
  readonly next_cursor: string | null;
}

let receiver: FakeReceiver;
let daemon: Harness;
let server: HttpServer;

const serve = (webConfigFile?: string): Promise<HttpServer> =>
  startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, webConfigFile },
    view: createView({ app: daemon.app, clock: daemon.clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
    ...{ clock: daemon.clock, log: silentLog },
  });

beforeAll(async () => {
  receiver = await FakeReceiver.start();
  daemon = await Harness.build({
    now: '2026-07-05T12:01:30Z',
    scenario: { users: 3 },
    // With threshold 0 this alert fires for every collector.
    alerts: {
      CollectorFailing: { threshold: 0, for: '0s' },
      receivers: [
        { type: 'webhook', name: 'team', url: `${receiver.url}/team`, group_wait: '1m' },
        { type: 'webhook', name: 'pager', url: `${receiver.url}/pager`, min_severity: 'critical' },
      ],
    },
    account: { traffic: { catch_up: '1h', graphs: [] }, reconciliation: false },
  });
  server = await serve();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const get = async (query: string): Promise<{ status: number; body: Answer & { error?: string } }> => {
  const url = `http://127.0.0.1:${server.address.port}/api/v1/alerts/notices${query}`;
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as Answer };
};

const answer = async (query: string): Promise<Answer> => (await get(query)).body;

const iso = (ms: number): string => new Date(ms).toISOString();

it('explains for each receiver what happens to each alert, in the form of its schema', async () => {
  const now = daemon.clock.now();
  const { mutes } = daemon.app.alerting;
  const scope = { account: 'main', alert: 'CollectorFailing', subject: 'traffic', comment: 'Anna' };
  await mutes.add({ id: 'quiet', untilResolved: false, ...scope, startsAt: now, endsAt: now + HOUR });
  const { status, body } = await get('?alert=CollectorFailing&subject=collector%3Dtraffic');
  const route = API_ROUTES.find(({ path }) => path === '/api/v1/alerts/notices');
  expect([status, route?.answer.safeParse(body).error]).toEqual([200, undefined]);
  expect(body).toMatchObject({ evaluated: true, matching: 1, next_cursor: null, inactive: [] });
  const { receivers, labels } = body.data[0] ?? {};
  const none = { silence: null, comment: null, until_resolved: false, maintenance: null };
  const times = { notified_at: null, queued_at: null, due_at: null, repeat_at: null, failing_since: null };
  expect(labels).toEqual({ account: 'main', collector: 'traffic' });
  expect(receivers).toEqual([
    {
      ...{ receiver: 'team', type: 'webhook', status: 'kept_back', ...times },
      reasons: [
        {
          reason: 'silence',
          until: iso(now + HOUR),
          silence: 'quiet',
          comment: 'Anna',
          until_resolved: false,
          maintenance: null,
        },
      ],
      text: expect.stringMatching(/^not notified: silence quiet until .*Z \(Anna\)$/),
    },
    {
      ...{ receiver: 'pager', type: 'webhook', status: 'filtered', ...times },
      reasons: [{ reason: 'min_severity', until: null, ...none }],
      text: "not notified: severity warning is below this receiver's min_severity (critical)",
    },
  ]);
  await mutes.remove('quiet', now);
});

it('says when a notification is due, and then that it was sent', async () => {
  const query = '?alert=CollectorFailing&account=main&subject=proxy_users';
  const [team] = (await answer(query)).data[0]?.receivers ?? [];
  expect(team).toMatchObject({ status: 'waiting', reasons: [{ reason: 'group_wait', until: team?.due_at }] });
  await daemon.advance(MINUTE);
  expect((await answer(query)).data[0]?.receivers[0]).toMatchObject({
    status: 'notified',
    notified_at: team?.due_at,
    repeat_at: iso(Date.parse(String(team?.due_at)) + 4 * HOUR),
  });
});

it('gives the groups of alerts what the receivers know of their first alert', async () => {
  const response = await fetch(`http://127.0.0.1:${server.address.port}/api/v1/alerts/groups`);
  const { data } = (await response.json()) as { data: { receivers: readonly Json[] }[] };
  const [first] = (await answer('?alert=CollectorFailing&limit=1')).data;
  expect(data[0]?.receivers).toEqual(
    first?.receivers.map(({ receiver, status, notified_at }) => ({ receiver, status, notified_at })),
  );
  expect(data[0]?.receivers).toMatchObject([{ status: 'notified' }, { status: 'filtered' }]);
});

it('returns the alerts page by page, and counts all of them', async () => {
  const whole = await answer('?alert=CollectorFailing');
  expect(whole.data.length).toBeGreaterThan(2);
  expect(whole.matching).toBe(whole.data.length);
  const seen: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await answer(`?alert=CollectorFailing&limit=1${cursor && `&cursor=${cursor}`}`);
    expect([page.data.length, page.matching]).toEqual([1, whole.matching]);
    seen.push(...page.data.map(({ labels }) => labels.collector));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(whole.data.map(({ labels }) => labels.collector));
  expect(seen).toEqual(seen.toSorted());
});

it('says why an alert is not active, on the first page only', async () => {
  expect(await answer('?alert=ServicePaused')).toMatchObject({
    ...{ matching: 0, data: [], next_cursor: null },
    inactive: [{ account: 'main', status: 'collector_off', suppressed: [] }],
  });
  const { body } = await get('?alert=CollectorFailing&limit=1');
  expect(await answer(`?alert=ServicePaused&cursor=${body.next_cursor}`)).toMatchObject({ inactive: [] });
  expect(await answer('?alert=StoreFailing')).toMatchObject({
    inactive: [{ account: null, status: 'condition_false' }],
  });
});

it('returns labels in the order of the alert, however they are stored', async () => {
  const now = daemon.clock.now();
  const alert = {
    ...{ account: 'main', alert: 'ProxyUserQuotaLow', labels: { proxy_user_id: '7', product_type: 'x' } },
    ...{
      severity: 'warning',
      value: 1,
      step: 0,
      since: now,
      firingSince: now,
      absentSince: null,
      skippedMs: 0,
      endedAt: null,
    },
  };
  const events = (['fired', 'resolved'] as const).map((kind) => ({ kind, alert, at: now }));
  await daemon.app.store.alerts.save({ put: [], removed: [], notifications: [], events });
  const { last_ended: ended } = (await answer('?alert=ProxyUserQuotaLow&subject=7')) as unknown as Record<
    string,
    Json
  >;
  expect(Object.keys(ended?.labels as Json)).toEqual(['account', 'proxy_user_id', 'product_type']);
});

it('says which receivers were notified when the alert last fired, unless it is active', async () => {
  const now = daemon.clock.now();
  const alert = {
    ...{ account: 'main', alert: 'ServicePaused', labels: { service_id: '7' }, severity: 'warning' },
    ...{ value: 1, step: 0, since: now, firingSince: now, absentSince: null, skippedMs: 0, endedAt: null },
  };
  const events = (['fired', 'resolved'] as const).map((kind) => ({ kind, alert, at: now }));
  await daemon.app.store.alerts.save({ put: [], removed: [], notifications: [], events });
  const { body } = await get('?alert=ServicePaused');
  const route = API_ROUTES.find(({ path }) => path === '/api/v1/alerts/notices');
  expect(route?.answer.safeParse(body).error).toBeUndefined();
  expect(body).toMatchObject({
    last_ended: {
      ...{ alert: 'ServicePaused', severity: 'warning', labels: { account: 'main', service_id: '7' } },
      ...{ firing_since: iso(now), ended_at: iso(now) },
      receivers: [
        { receiver: 'team', type: 'webhook', status: 'kept_back', text: expect.any(String) },
        { receiver: 'pager', type: 'webhook', status: 'filtered', text: expect.any(String) },
      ],
    },
  });
  expect(await answer('?alert=ServicePaused&subject=8')).toMatchObject({ last_ended: null });
  expect(await answer('?alert=CollectorFailing')).toMatchObject({ last_ended: null });
});

it.each([
  ['', 'alert: expected the name of one alert'],
  ['?alert=a&alert=b', expect.stringMatching(/^alert: expected /)],
  ['?alert=QuotaLow', 'alert: "QuotaLow" is not known. Did you mean ProxyUserQuotaLow?'],
  ['?alert=DataStale&account=mian', 'account: "mian" is not known; expected one of main'],
  [
    '?alert=StoreFailing&account=main',
    'account: StoreFailing is about the daemon itself and has no account. Leave the account out',
  ],
  [
    '?alert=ProxyUserQuotaLow&subject=proxy_user%3D7',
    'subject: ProxyUserQuotaLow has no label "proxy_user"; its labels are proxy_user_id, product_type',
  ],
  [
    '?alert=CollectorFailing&subject=account%3Dmain',
    'subject: CollectorFailing has no label "account"; its label is collector',
  ],
  ['?alert=StoreFailing&subject=a', 'subject: StoreFailing has no subjects. Leave the subject out'],
  ['?alert=DataStale&subject=a&subject=b', expect.stringMatching(/^subject: expected one value/)],
])('refuses %s', async (query, error) => {
  expect(await get(query)).toEqual({ status: 400, body: { error } });
});

it('is described with its required parameter', async () => {
  const response = await fetch(`http://127.0.0.1:${server.address.port}/api/v1/openapi.json`);
  const { paths } = (await response.json()) as Record<
    string,
    Record<string, { get: { parameters: Json[] } }>
  >;
  const { parameters = [] } = paths?.['/api/v1/alerts/notices']?.get ?? {};
  expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual(['alert']);
});

it('demands the password of web.yml, as other routes do', async () => {
  const folder = createWebFolder(JSON.stringify({ basic_auth_users: { anna: HASH } }));
  const guarded = await serve(join(folder, 'web.yml'));
  const url = `http://127.0.0.1:${guarded.address.port}/api/v1/alerts/notices?alert=DataStale`;
  const authorization = `Basic ${Buffer.from(`anna:${PASSWORD}`).toString('base64')}`;
  const [without, withPassword] = [await fetch(url), await fetch(url, { headers: { authorization } })];
  expect([without.status, withPassword.status]).toEqual([401, 200]);
  await guarded[Symbol.asyncDispose]();
});

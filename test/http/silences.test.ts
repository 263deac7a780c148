// Tests /api/v1/silences of a daemon whose clock the test moves: silences begin, end, survive a restart, and are refused.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSilenceView } from '../../src/daemon/alert-view.ts';
import { createView } from '../../src/daemon/http-view.ts';
import type { HostSettings } from '../../src/http/host-check.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { simulateFullDisk } from '../support/full-disk.ts';
import { Harness } from '../support/harness.ts';

type Json = Record<string, unknown>;

let daemon: Harness;
let server: HttpServer;
let hosts: HostSettings = { allowedHosts: [] };
const logged: [object, string][] = [];

const serve = async (): Promise<void> => {
  const { app, clock } = daemon;
  const log = { ...silentLog, info: (fields: object, message: string) => logged.push([fields, message]) };
  server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    hosts: () => hosts,
    view: createView({ app, clock, version: '1.2.3', log: log as never }),
    reload: async () => ({ result: 'no_file' }),
    ...{ clock, log: silentLog },
  });
};

beforeAll(async () => {
  daemon = await Harness.build({
    now: '2026-07-05T12:01:30Z',
    scenario: { users: 3 },
    // With threshold 0 this alert fires for every collector.
    alerts: {
      evaluate: true,
      CollectorFailing: { threshold: 0, for: '0s' },
      maintenance: [{ name: 'weekly', days: ['mon'], hours: '02:30-04', time_zone: 'Europe/Paris' }],
    },
    account: { traffic: { catch_up: '1h', graphs: [] }, reconciliation: false },
  });
  await serve();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const { mutes } = daemon.app.alerting;
  await mutes.forgetExpired(Number.POSITIVE_INFINITY);
});

const send = async (
  method: string,
  path = '',
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json }> => {
  const json = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const { host, port } = server.address;
  const options = { host, port, method, path: `/api/v1/silences${path}`, headers: { ...type, ...headers } };
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request(options, resolve).on('error', reject).end(json);
  });
  return { status: answer.statusCode ?? 0, body: JSON.parse(await text(answer)) };
};

const silences = async (): Promise<Json[]> => (await send('GET')).body.data as Json[];

const sameOrigin = (name: string) => ({ host: name, origin: `http://${name}` });

const SILENCE = {
  account: 'main',
  alert: 'CollectorFailing',
  subject: 'collector=traffic',
  for: '2h',
  comment: 'Anna',
};

/** Returns by collector until when its alert is silenced, and by what. */
const silencedAlerts = async (): Promise<Json> => {
  const response = await fetch(
    `http://127.0.0.1:${server.address.port}/api/v1/alerts?account=main&limit=1000`,
  );
  const { data } = (await response.json()) as { data: Json[] };
  return Object.fromEntries(
    data
      .filter(({ alert }) => alert === 'CollectorFailing')
      .map(({ labels, silenced_until, silenced_by }) => [
        (labels as Json).collector,
        [silenced_until, silenced_by],
      ]),
  );
};

const iso = (ms: number): string => new Date(ms).toISOString();

describe('a silence', () => {
  it('is answered, listed, and shown at the alerts that it matches until it ends', async () => {
    const now = daemon.clock.now();
    const { status, body } = await send('POST', '', SILENCE);
    const id = String(body.id);
    const { for: _, ...scope } = SILENCE;
    const times = { starts_at: iso(now), ends_at: iso(now + 2 * HOUR), until_resolved: false };
    const added = { ...scope, state: 'active', ...times };
    expect([status, body]).toEqual([
      200,
      { id: expect.stringMatching(/^\w{12}$/), ...added, matching_alerts: 1, unsilenced_receivers: [] },
    ]);
    expect(await silences()).toEqual([{ id, ...added }]);
    const source = { silence: id, comment: 'Anna', until_resolved: false, maintenance: null };
    expect(await silencedAlerts()).toMatchObject({
      traffic: [iso(now + 2 * HOUR), [source]],
      proxy_users: [null, []],
    });
    await daemon.advance(2 * HOUR - 1);
    expect((await silencedAlerts()).traffic).toEqual([iso(now + 2 * HOUR), [source]]);
    await daemon.advance(1);
    expect((await silencedAlerts()).traffic).toEqual([null, []]);
    expect((await silences()).map(({ state }) => state)).toEqual(['expired']);
  });

  it('that begins later is pending until then', async () => {
    const now = daemon.clock.now();
    await send('POST', '', { ...SILENCE, subject: null, starts_at: iso(now + HOUR) });
    expect((await silences()).map(({ state, ends_at }) => [state, ends_at])).toEqual([
      ['pending', iso(now + 3 * HOUR)],
    ]);
    expect((await silencedAlerts()).traffic).toEqual([null, []]);
    await daemon.advance(HOUR);
    expect((await silencedAlerts()).traffic).toEqual([iso(now + 3 * HOUR), [expect.anything()]]);
    expect((await silencedAlerts()).proxy_users).toEqual([iso(now + 3 * HOUR), [expect.anything()]]);
  });

  it('whose start is in the past begins now', async () => {
    const now = daemon.clock.now();
    const { body } = await send('POST', '', { ...SILENCE, starts_at: iso(now - HOUR) });
    expect([body.starts_at, body.ends_at]).toEqual([iso(now), iso(now + 2 * HOUR)]);
  });

  it('until its alert is resolved has a latest end, and is shown at the alert', async () => {
    const now = daemon.clock.now();
    const { status, body } = await send('POST', '', { ...SILENCE, for: undefined, until_resolved: true });
    expect([status, body]).toMatchObject([200, { ends_at: iso(now + 7 * DAY), until_resolved: true }]);
    const shorter = await send('POST', '', { ...SILENCE, until_resolved: true });
    expect(shorter.body).toMatchObject({ ends_at: iso(now + 2 * HOUR), until_resolved: true });
    expect((await silencedAlerts()).traffic).toMatchObject([
      iso(now + 7 * DAY),
      [{ until_resolved: true }, {}],
    ]);
  });

  it('that is removed ends, but stays in the list, and a second removal changes nothing', async () => {
    const { id } = (await send('POST', '', SILENCE)).body;
    await daemon.advance(HOUR);
    const ended = [{ id, state: 'expired', ends_at: iso(daemon.clock.now()) }];
    for (const later of [0, HOUR]) {
      await daemon.advance(later);
      expect(await send('DELETE', `/${id}`)).toEqual({ status: 200, body: { id } });
      expect((await silencedAlerts()).traffic).toEqual([null, []]);
      expect(await silences()).toMatchObject(ended);
      expect(await daemon.app.store.silences.all()).toMatchObject([
        { endsAt: Date.parse(String(ended[0]?.ends_at)) },
      ]);
    }
    expect(logged.map(([fields, message]) => [message, (fields as Json).silence])).toEqual(
      expect.arrayContaining([
        ['a silence was added', id],
        ['a silence was removed', id],
      ]),
    );
  });

  it('that begins later is deleted by a removal, after which it is not known', async () => {
    const starts_at = iso(daemon.clock.now() + HOUR);
    const { id } = (await send('POST', '', { ...SILENCE, starts_at })).body;
    expect(await send('DELETE', `/${id}`)).toEqual({ status: 200, body: { id } });
    expect(await silences()).toEqual([]);
    const error = `silence_id: "${id}" is not known`;
    expect(await send('DELETE', `/${id}`)).toEqual({ status: 404, body: { error } });
  });

  it('survives a restart', async () => {
    await send('POST', '', SILENCE);
    const before = await silences();
    await server[Symbol.asyncDispose]();
    await daemon.restart();
    await serve();
    expect(await silences()).toEqual(before);
    expect((await silencedAlerts()).traffic).toEqual([before[0]?.ends_at, [expect.anything()]]);
  });

  it('is deleted from the store a week after its end', async () => {
    await send('POST', '', { ...SILENCE, for: '1m' });
    await daemon.advance(7 * DAY + MINUTE - 1);
    expect(await daemon.app.store.silences.all()).toHaveLength(1);
    await daemon.advance(15_001);
    expect(await daemon.app.store.silences.all()).toEqual([]);
    expect(await silences()).toEqual([]);
  });

  it('is refused if there are 500', async () => {
    await send('POST', '', SILENCE);
    const { mutes } = daemon.app.alerting;
    const [silence] = mutes.silences;
    if (silence) for (let count = 1; count < 499; count += 1) await mutes.add({ ...silence, id: `${count}` });
    expect((await send('POST', '', SILENCE)).status).toBe(200);
    const { status, body } = await send('POST', '', SILENCE);
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^there are 500 silences already\. Remove/),
    ]);
  });
});

describe('a maintenance window', () => {
  it('is listed with its next start, and with its end while it is in effect', async () => {
    const windowNow = async () => ((await send('GET')).body.maintenance as Json[])[0];
    const schedule = {
      ...{ name: 'weekly', days: ['mon'], hours: '02:30-04:00', time_zone: 'Europe/Paris' },
      ...{ accounts: null, alerts: null },
    };
    // The tests above have moved the clock by whole days and hours.
    const found = await windowNow();
    const start = Date.parse(String(found?.next_start_at));
    expect(found).toEqual({
      ...schedule,
      active_until: null,
      next_start_at: expect.stringMatching(/T00:30:00/),
    });
    await daemon.advance(start - daemon.clock.now());
    expect(await windowNow()).toEqual({
      ...schedule,
      active_until: iso(start + 1.5 * HOUR),
      next_start_at: null,
    });
    const source = { silence: null, comment: null, until_resolved: false, maintenance: 'weekly' };
    expect((await silencedAlerts()).traffic).toEqual([iso(start + 1.5 * HOUR), [source]]);
    // A silence that begins before the end of the window prolongs it.
    await send('POST', '', SILENCE);
    expect((await silencedAlerts()).traffic).toEqual([iso(start + 2 * HOUR), expect.anything()]);
  });
});

describe('a request is refused', () => {
  const LATER = '2036-01-01T00:00:00Z';
  const NEVER = { subject: 'nobody', for: undefined, until_resolved: true };

  it.each<[string, Json, string]>([
    [
      'without a comment',
      { comment: undefined },
      'comment: expected a comment: who silences the alert, and why',
    ],
    [
      'with an empty comment',
      { comment: ' ' },
      'comment: expected a comment: who silences the alert, and why',
    ],
    ['with a line break in the comment', { comment: 'a\nb' }, 'comment: expected a text without control'],
    ['of no graph without an alert', { alert: null, subject: 'graph=' }, 'subject: graph= needs an alert: '],
    ['with a sequence for terminals', { subject: 'a\u001b[2Jb' }, 'subject: expected a text without control'],
    ['with a reversed text', { subject: 'a\u202eb' }, 'subject: expected a text without control'],
    ['with a long comment', { comment: 'a'.repeat(501) }, 'comment: expected at most 500 characters'],
    [
      'that matches everything',
      { account: null, alert: null, subject: null },
      'expected at least one of account,',
    ],
    ['with a misspelt account', { account: 'Mai' }, 'account: "Mai" is not known. Did you mean main?'],
    [
      'with a part of the name of an alert',
      { alert: 'QuotaEx' },
      'alert: "QuotaEx" is not known. Did you mean ProxyUserQuotaExhausted',
    ],
    [
      'with a misspelt alert',
      { alert: 'ColectorFailing' },
      'alert: "ColectorFailing" is not known. Did you mean CollectorFailing?',
    ],
    [
      'with an alert that only Prometheus evaluates',
      { alert: 'ProxywatchDown' },
      'alert: "ProxywatchDown" is not known',
    ],
    [
      'with an account for an alert about the daemon',
      { alert: 'StoreFailing' },
      'account: StoreFailing is about the daemon',
    ],
    [
      'without an end',
      { for: undefined },
      'for: expected either for or ends_at. until_resolved needs neither',
    ],
    [
      'with two ends',
      { ends_at: LATER },
      'for: expected either for or ends_at. until_resolved needs neither',
    ],
    [
      'with an end in the past',
      { for: undefined, ends_at: '2026-01-01T00:00:00Z' },
      'ends_at: expected a time in the future',
    ],
    [
      'with an end far ahead',
      { for: undefined, ends_at: LATER },
      'ends_at: expected a time at most 366 days ahead',
    ],
    ['with a duration of years', { for: '9999999w' }, 'ends_at: expected a time at most 366 days ahead'],
    ['with an invalid duration', { for: '2 hours' }, 'for: expected a duration such as'],
    ['with an invalid time', { starts_at: 'tomorrow' }, 'starts_at: expected a time such as'],
    [
      'until an alert that is not active is resolved',
      NEVER,
      'until_resolved: no pending or firing alert matches',
    ],
    [
      'until resolved, from a later time',
      { starts_at: LATER, until_resolved: true },
      'starts_at: a silence with',
    ],
    ['with an unknown field', { matcher: 'x' }, 'unknown field matcher'],
  ])('%s', async (_, change, error) => {
    const { status, body } = await send('POST', '', { ...SILENCE, ...change });
    expect([status, body.error]).toEqual([400, expect.stringContaining(error)]);
    expect(String(body.error).startsWith(error.slice(0, 4))).toBe(true);
    expect(await silences()).toEqual([]);
  });

  it.each<[string, string | undefined, Record<string, string>, number, string]>([
    ['that is not JSON', '{', {}, 400, 'the body of the request is not valid JSON'],
    ['that is empty', '', {}, 400, 'the request has no body; send a JSON object'],
    ['that is a list', '[]', {}, 400, 'expected a JSON object such as'],
    [
      'that is a form',
      'a=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'send the body as JSON',
    ],
    ['that is a text', 'a=b', { 'content-type': 'text/plain' }, 400, 'expected a JSON object such as'],
    [
      'of more than 16 KiB',
      JSON.stringify({ ...SILENCE, comment: 'a'.repeat(20_000) }),
      {},
      413,
      'the body of the request is too large',
    ],
    [
      'that changes the prototype',
      '{"__proto__": {"account": "main"}}',
      {},
      400,
      'the body of the request is not valid JSON',
    ],
  ])('with a body %s', async (_, json, headers, status, error) => {
    const answer = await send('POST', '', json, headers);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(error)]);
  });

  it.each([
    ['of another site', { origin: 'https://example.com' }],
    ['of its own name', { origin: 'http://127.0.0.1:9876' }],
    ['whose browser sends only Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
  ])('if it comes from a page %s', async (_, headers: Record<string, string>) => {
    const { id } = (await send('POST', '', SILENCE)).body;
    expect((await send('POST', '', SILENCE, headers)).status).toBe(403);
    expect((await send('DELETE', `/${id}`, undefined, headers)).status).toBe(403);
    expect(await silences()).toHaveLength(1);
  });

  it.each<[string, Partial<HostSettings>, Record<string, string>, number]>([
    ['of this server', {}, {}, 200],
    ['of this server, as new browsers say', {}, { 'sec-fetch-site': 'same-origin' }, 200],
    ['of this server in a page of another site', {}, { 'sec-fetch-site': 'cross-site' }, 403],
    ['of another port', {}, { origin: 'http://127.0.0.1:1' }, 403],
    ['of a file or a sandbox', {}, { origin: 'null' }, 403],
    ['of a known name', { allowedHosts: ['watch.example'] }, sameOrigin('watch.example'), 200],
    // Where the check of names is off, an attacker can let any name lead here.
    ['of a name while all are allowed', { allowedHosts: ['*'] }, sameOrigin('watch.example'), 403],
    [
      'behind a reverse proxy that sends its own name for the server',
      { externalUrls: ['https://watch.example/x/'] },
      { origin: 'https://watch.example' },
      200,
    ],
    [
      'of a name that nobody configured, behind a reverse proxy',
      {},
      { origin: 'https://watch.example' },
      403,
    ],
  ])('or accepted, from the status page %s', async (_, settings, headers, status) => {
    hosts = { allowedHosts: [], ...settings };
    const { host, port } = server.address;
    const from = { origin: `http://${host}:${port}`, ...headers };
    expect((await send('POST', '', SILENCE, from)).status).toBe(status);
    const { id } = (await send('POST', '', SILENCE)).body;
    expect((await send('DELETE', `/${id}`, undefined, from)).status).toBe(status);
    hosts = { allowedHosts: [] };
  });

  it('with a foreign host name', async () => {
    expect((await send('POST', '', SILENCE, { host: 'attacker.example' })).status).toBe(421);
    expect(await silences()).toEqual([]);
  });

  it('with another method', async () => {
    expect((await send('PUT', '', SILENCE)).body.error).toBe('method not allowed; use GET, HEAD, POST');
  });

  it('if the daemon does not evaluate alerts', async () => {
    const { app, clock } = daemon;
    const alerting = { ...app.alerting, isOn: false, mutes: app.alerting.mutes, active: app.alerting.active };
    const view = createSilenceView({ ...app, alerting: alerting as never }, clock, silentLog);
    const request = { account: 'main', alert: null, subject: null, comment: 'Anna', startsAt: null };
    expect(await view.add({ ...request, end: { after: HOUR }, untilResolved: false })).toEqual({
      refusal: expect.stringMatching(
        /^this daemon does not evaluate alerts .* add the silence to your Alertmanager/,
      ),
    });
    expect(await silences()).toEqual([]);
  });

  it('while the store rejects writes', async () => {
    const { id } = (await send('POST', '', SILENCE)).body;
    {
      using _ = simulateFullDisk(daemon.storePath);
      for (const answer of [await send('POST', '', SILENCE), await send('DELETE', `/${id}`)])
        expect(answer).toEqual({ status: 503, body: { error: expect.stringContaining(daemon.storePath) } });
    }
    expect(await silences()).toHaveLength(1);
  });
});

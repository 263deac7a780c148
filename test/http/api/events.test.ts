// Tests the API's events: which ones concern a subject, since when they are known, and how they are grouped.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stepOf } from '../../../src/http/api/events.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { bucketAt } from '../../store/support.ts';
import { ApiHarness, type Json } from './api-harness.ts';

const OFF = Object.fromEntries(
  ['catalog', 'quotes', 'geography', 'reconciliation', 'probes', 'proxy_users'].map((name) => [name, false]),
);
const TRAFFIC = {
  schedule: '0 * * * *',
  catch_up: '2h',
  graphs: [
    { name: 'alice', proxy_user_id: 'alice' },
    { name: 'isp', product_type: 'isp' },
  ],
};
const NOT_ADJUSTED = { type: null, status: null, by: null, service_id: null, changes: null, reason: null };
const EVENTS = 'accounts/main/events';

let api: ApiHarness;
/** The proxy whose address changes, as the inventory has it. */
let moved: Json;
let restartedAt: number;

beforeAll(async () => {
  api = await ApiHarness.build({}, { ...OFF, traffic: TRAFFIC });
  await api.run(4);
  const { app, clock } = api.harness;
  restartedAt = clock.now();
  await app.store.events.addStart(restartedAt);
  for (const subject of [null, 'proxy_user_id=bob', 'alice'])
    await post({ account: 'main', subject, for: '1h', comment: `about ${subject}` });
  await post({ alert: 'CollectorFailing', for: '7h', comment: 'not over' });
  await api.harness.advance(2 * HOUR);
  const [change] = await api.items('inventory/changes?change=address');
  moved = (await api.items('inventory?limit=100')).find(({ proxy_id: id }) => id === change?.proxy_id) ?? {};
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

const post = async (silence: object): Promise<unknown> => {
  const headers = { 'content-type': 'application/json' };
  const options = { method: 'POST', headers, body: JSON.stringify(silence) };
  const answer = await fetch(`${api.url}/api/v1/silences`, options);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as Json).id;
};

const kindsOf = async (subject: string): Promise<unknown[]> => {
  const found = await api.items(`${EVENTS}?subject=${encodeURIComponent(subject)}`);
  return [...new Set(found.map(({ kind }) => kind))].sort();
};

it('has all that happened to an account, oldest first', async () => {
  const { data, ...answer } = await api.answer(EVENTS);
  const events = data as Json[];
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted());
  const at = new Date(restartedAt).toISOString();
  expect(events.filter(({ kind }) => kind === 'restart')).toEqual([
    { kind: 'restart', at, until: at, count: 1, read_at: null, alert: null, comment: null, ...NOT_ADJUSTED },
  ]);
  expect(events.filter(({ kind }) => kind === 'proxy_address')).toMatchObject([{ count: 1 }]);
  expect(answer).toMatchObject({ account: 'main', subject: null, restarts_known_since: at });
  const { inventory_known_since: inventory, late_changes_known_since: late } = answer;
  expect([inventory, late].every((since) => typeof since === 'string')).toBe(true);
});

it('has the begin and the end of silences, but no end that is still to come', async () => {
  const events = await api.items(EVENTS);
  const begun = events.filter(({ kind }) => kind === 'silence_begin');
  expect(begun).toMatchObject([{ count: 2, comment: null }]);
  const ofAlice = await api.items(`${EVENTS}?subject=graph%3Dalice`);
  expect(ofAlice.filter(({ kind }) => kind === 'silence_begin')).toMatchObject([{ count: 3 }]);
  expect(events.filter(({ kind }) => kind === 'silence_end')).toMatchObject([
    { count: 1, alert: null, comment: 'about null' },
  ]);
});

it.each([
  ['graph=', ['adjustment', 'proxy_address', 'proxy_asn', 'restart', 'silence_begin', 'silence_end']],
  ['graph=alice', ['restart', 'silence_begin', 'silence_end']],
  ['proxy_user_id=bob', ['restart', 'silence_begin', 'silence_end']],
  ['proxy_id=nobody', ['restart', 'silence_begin', 'silence_end']],
  [
    'url=https://shop.example/',
    ['adjustment', 'proxy_address', 'proxy_asn', 'restart', 'silence_begin', 'silence_end'],
  ],
])('has only what concerns %s', async (subject, kinds) => {
  expect(await kindsOf(subject)).toEqual(kinds);
});

it('has changes of proxies only for their service, their product type and themselves', async () => {
  const { service_id: service, product_type: type, proxy_id: id } = moved;
  expect(await kindsOf(`service_id=${service}`)).toContain('proxy_address');
  expect(await kindsOf('service_id=other')).not.toContain('proxy_address');
  expect(await kindsOf(`proxy_id=${id}`)).toContain('proxy_address');
  expect((await kindsOf('graph=isp')).includes('proxy_address')).toBe(type === 'isp');
});

it('knows changes of the inventory since its first listing, and their services since the first start that stored them', async () => {
  const since = async (query: string) =>
    Date.parse(String((await api.answer(`${EVENTS}?${query}`)).inventory_known_since));
  const { clock, app } = api.harness;
  const { baselinedAt } = await app.store.inventory.listing('main');
  expect(baselinedAt).toBeLessThan(restartedAt);
  for (const subject of ['graph=', 'url=u', `proxy_id=${moved.proxy_id}`])
    expect(await since(`subject=${encodeURIComponent(subject)}`)).toBe(baselinedAt);
  for (const subject of ['graph=isp', 'service_id=s'])
    expect(await since(`subject=${encodeURIComponent(subject)}`)).toBe(restartedAt);
  const now = clock.now();
  clock.jumpTo(now + 500 * DAY);
  expect(await since('')).toBe(now + 100 * DAY);
  expect((await api.answer(EVENTS)).late_changes_known_since).toBe(new Date(now + 100 * DAY).toISOString());
  clock.jumpTo(now);
});

it('says what is not known', async () => {
  expect(await api.answer(`${EVENTS}?subject=proxy_user_id%3Dbob`)).toMatchObject({
    inventory_known_since: null,
    late_changes_known_since: null,
  });
});

it('needs no data for an answer that the client has', async () => {
  const { etag } = await api.request(EVENTS);
  expect((await api.request(EVENTS, etag ?? '')).status).toBe(304);
  const id = await post({ account: 'main', for: '1h', comment: 'new' });
  const { status, etag: later } = await api.request(EVENTS, etag ?? '');
  expect(status).toBe(200);
  await fetch(`${api.url}/api/v1/silences/${id}`, { method: 'DELETE' });
  expect((await api.request(EVENTS, later ?? '')).status).toBe(200);
  const at = `from=${new Date(api.harness.clock.now()).toISOString()}`;
  const to = `to=${new Date(api.harness.clock.now() + 1).toISOString()}`;
  expect((await api.items(`${EVENTS}?${at}&${to}`)).map(({ kind, comment }) => [kind, comment])).toEqual([
    ['silence_begin', 'new'],
    ['silence_end', 'new'],
  ]);
});

it.each([
  ['subject=main', 'subject: expected label=value with one of the labels graph, service_id,'],
  ['from=2026-07-05T12:00:00Z&to=2026-07-05T12:00:00Z', 'from: expected a time before to'],
])('is rejected for %s', async (query, error) => {
  const { status, body } = await api.request(`${EVENTS}?${query}`);
  expect([status, String(body.error).startsWith(error)]).toEqual([400, true]);
});

it('groups any range into at most 200 steps', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4_000 * DAY }), (rangeMs) => {
      expect(rangeMs / stepOf(rangeMs)).toBeLessThanOrEqual(200);
      expect(stepOf(rangeMs)).toBeGreaterThanOrEqual(MINUTE);
    }),
  );
});

it('has what the provider corrected after it had settled, only of the graph that shows it', async () => {
  const { app, clock } = api.harness;
  const isp = (await app.store.traffic.graphs('main')).find(({ name }) => name === 'isp');
  const [now, to] = [clock.now(), clock.now() - (clock.now() % HOUR)];
  const from = to - HOUR;
  const corrected = bucketAt(from, { bytes: 1e12, requests: 1, failed: 0 });
  const window = { readRange: { from, to }, settledUntil: to, now };
  await app.store.traffic.saveWindow(isp?.id ?? 0, { ...window, buckets: [corrected] });
  const lateOf = async (graph: string) =>
    (await api.items(`${EVENTS}?subject=graph%3D${graph}`)).filter(({ kind }) => kind === 'late_change');
  const [at, until, readAt] = [from, to, now].map((each) => new Date(each).toISOString());
  expect(await lateOf('isp')).toEqual([
    {
      kind: 'late_change',
      at,
      until,
      count: 1,
      read_at: readAt,
      alert: null,
      comment: null,
      ...NOT_ADJUSTED,
    },
  ]);
  expect(await lateOf('')).toEqual([]);
});

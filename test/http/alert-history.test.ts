// Tests GET /api/v1/alerts/history of evaluated alerts: its items, filters, pages, errors and revisions.

import { expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { AlertRig, alertNamed, START } from '../alerts/alert-rig.ts';
import { hookOf } from '../alerts/group-support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { startServer } from './support.ts';

interface Answer {
  readonly data: readonly (Record<string, unknown> & { readonly labels: Record<string, string> })[];
  readonly next_cursor: string | null;
}

/** Starts a daemon in whose history are the episodes of `ALL`, and serves its API. */
const started = async () => {
  const receiver = await FakeReceiver.start();
  const low = alertNamed('Low');
  const own = { ...alertNamed('Own'), scope: 'daemon' as const, find: () => [{ labels: {}, value: 1 }] };
  const rig = await AlertRig.start([low, own], { receivers: [hookOf(receiver)] });
  const { store } = rig;
  const server = await startServer({
    alertHistory: store.alertHistory,
    revision: (parts) => String(store.revision(parts)),
  });
  rig.names = ['main', 'shop'];
  await rig.reload();
  const set = async (subject: string, value: number | undefined, account = 'main') => {
    if (value === undefined) low.subjects.delete(subject);
    else low.subjects.set(subject, value);
    await rig.run('traffic', 'ok', account);
  };
  await set('a', 3);
  await rig.pass(MINUTE);
  await set('a', undefined);
  await set('b', 0.5);
  await set('b', 0.5, 'shop');
  const request = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/api/v1/alerts/history?${query}`, { headers });
  const answerTo = async (query: string) => (await (await request(query)).json()) as Answer;
  return {
    ...{ set, request, answerTo },
    /** Returns the found episodes by alert, account and subject. */
    found: async (query: string): Promise<string[]> =>
      (await answerTo(query)).data.map(({ alert, labels }) => [alert, ...Object.values(labels)].join(' ')),
    [Symbol.asyncDispose]: async () => {
      for (const each of [server, rig, receiver]) await each[Symbol.asyncDispose]();
    },
  };
};

const iso = (ms: number): string => new Date(START + ms).toISOString();

const ALL = ['Low shop b', 'Low main b', 'Low main a', 'Own'];

it('returns an episode with its times, values and notified receivers', async () => {
  await using test = await started();
  expect((await test.answerTo('subject=a')).data).toEqual([
    {
      ...{ alert: 'Low', severity: 'warning', state: 'resolved', labels: { account: 'main', subject: 'a' } },
      ...{ since: iso(0), firing_since: iso(0), ended_at: iso(MINUTE), value: 3, last_value: 3 },
      notified: [{ receiver: 'hook', firing_at: iso(30 * SECOND), delivery: 'accepted', resolved_at: null }],
    },
  ]);
  expect((await test.answerTo('alert=Low&account=shop')).data).toMatchObject([
    { state: 'firing', ended_at: null, value: 0.5, last_value: null, notified: [] },
  ]);
});

it('filters episodes', async () => {
  await using test = await started();
  const expected = {
    '': ALL,
    'account=main': ['Low main b', 'Low main a'],
    'account=main&account=shop': ['Low shop b', 'Low main b', 'Low main a'],
    'alert=Own': ['Own'],
    'subject=subject%3Db': ['Low shop b', 'Low main b'],
    'severity=info': [],
    'state=resolved': ['Low main a'],
    'state=firing&account=main': ['Low main b'],
    [`from=${iso(MINUTE)}`]: ['Low shop b', 'Low main b'],
    [`from=${iso(0)}&to=${iso(MINUTE)}`]: ['Low main a', 'Own'],
  };
  for (const [query, episodes] of Object.entries(expected))
    expect([query, await test.found(query)]).toEqual([query, episodes]);
});

it('has no items for a known alert that never fired, or for an alert of the history that matches nothing', async () => {
  await using test = await started();
  expect(await test.found('alert=StoreFailing')).toEqual([]);
  expect(await test.found('alert=Own&severity=info')).toEqual([]);
});

it('returns all episodes page by page', async () => {
  await using test = await started();
  for (const limit of [1, 2, 3, 4]) {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      seen.push(...(await test.found(query)));
      cursor = (await test.answerTo(query)).next_cursor;
    }
    expect(seen).toEqual(ALL);
  }
});

it('rejects invalid parameters', async () => {
  await using server = await startServer();
  const foreignCursor = Buffer.from('main\nx').toString('base64url');
  for (const [query, error] of [
    ['account=nobody', 'account'],
    ['severity=bad', 'severity: expected one of critical, warning, info'],
    ['state=pending', 'state: expected one of firing, resolved'],
    ['from=yesterday', 'from: expected one time'],
    ['alert=a&alert=b', 'alert: expected one value'],
    ['alert=ReloadFaild', 'alert: "ReloadFaild" is not known. Did you mean ReloadFailed?'],
    [`cursor=${foreignCursor}`, 'cursor: expected one of the same list'],
  ]) {
    const response = await fetch(`${server.url}/api/v1/alerts/history?${query}`);
    const body = (await response.json()) as { error: string };
    expect([response.status, body.error]).toEqual([400, expect.stringContaining(error ?? '')]);
  }
});

it('answers 304 until the history changes', async () => {
  await using test = await started();
  const etag = (await test.request('')).headers.get('etag') ?? '';
  expect((await test.request('', { 'if-none-match': etag })).status).toBe(304);
  await test.set('c', 1);
  expect((await test.request('', { 'if-none-match': etag })).status).toBe(200);
  expect(await test.found('limit=1')).toEqual(['Low main c']);
});

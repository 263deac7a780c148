// Tests that a store of version 1.0.0, which called the label `api_endpoint` of alerts `endpoint`, continues its alerts.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { Harness, QuickClock } from '../support/harness.ts';

/**
 * Version 1.0.0 wrote it. service/retrieve was forbidden and works again. proxy/search is forbidden, its notification
 * waits for the receiver, which groups by `endpoint`, and a silence has the subject `endpoint=proxy/search`.
 */
const STORE = join(import.meta.dirname, '../fixtures/stores/endpoint-label.db.gz');
const NOW = '2026-07-05T12:17:30Z';
const FIRING_SINCE = Date.parse('2026-07-05T12:16:30Z');
const FORBIDDEN = 'ProviderEndpointForbidden';
const SCENARIO = { pace: null, users: 1, services: 1 };
const EVERY_MINUTE = { schedule: '* * * * *' };

const upgrade = async () => {
  await using stack = new AsyncDisposableStack();
  const storeFile = join(createFolder({}), 'store.db');
  writeFileSync(storeFile, gunzipSync(readFileSync(STORE)));
  const clock = new QuickClock(NOW);
  const simulator = stack.use(await startSimulator({ scenario: SCENARIO, now: () => clock.now() }));
  simulator.faults.add({ kind: 'status', status: 403, endpoint: 'proxy/search' });
  const hook = stack.use(await FakeReceiver.start());
  const routing = { ...UNGROUPED, group_by: ['alertname', 'endpoint'], alerts: [FORBIDDEN] };
  const harness = stack.use(
    await Harness.build({
      ...{ now: NOW, clock, simulator, storeFile },
      account: {
        ...{ proxy_users: EVERY_MINUTE, inventory: EVERY_MINUTE, services: EVERY_MINUTE },
        ...{ traffic: false, residential_ledger: false, reconciliation: false },
      },
      alerts: { receivers: [{ name: 'hook', type: 'webhook', url: hook.url, ...routing }] },
    }),
  );
  await harness.advance(MINUTE);
  const moved = stack.move();
  return { harness, hook, simulator, [Symbol.asyncDispose]: () => moved.disposeAsync() };
};

const groupsOf = ({ accepted }: FakeReceiver): string[] =>
  accepted.map(({ body }) => {
    const { status, groupLabels } = JSON.parse(body);
    return `${status} ${JSON.stringify(groupLabels)}`;
  });

it('an alert that fires keeps its time, its episode and its silence', async () => {
  await using test = await upgrade();
  const { alerting, store } = test.harness.app;
  const labels = { api_endpoint: 'proxy/search' };
  const firing = [...alerting.active].filter(({ alert }) => alert === FORBIDDEN);
  expect(firing).toMatchObject([{ labels, firingSince: FIRING_SINCE }]);
  expect(alerting.mutes.muted(firing[0] as never, test.harness.clock.now())?.by).toMatchObject([
    { comment: 'Planned' },
  ]);
  expect(await store.alertHistory.page({ alert: FORBIDDEN }, 9)).toMatchObject([
    { labels, firingSince: FIRING_SINCE, endedAt: null },
    { labels: { api_endpoint: 'service/retrieve' }, endedAt: expect.any(Number) },
  ]);
});

it('a receiver gets the waiting notification once, and the end in the group that it knows', async () => {
  await using test = await upgrade();
  const group = JSON.stringify({ alertname: FORBIDDEN, endpoint: 'proxy/search' });
  expect(groupsOf(test.hook)).toEqual([`firing ${group}`]);
  test.simulator.faults.clear();
  await test.harness.advance(MINUTE);
  await test.harness.advance(MINUTE);
  expect(groupsOf(test.hook)).toEqual([`firing ${group}`, `resolved ${group}`]);
});

it('the history knows the waiting notification of a group with the former label', async () => {
  await using test = await upgrade();
  const { store } = test.harness.app;
  const [firing] = await store.alertHistory.page({ alert: FORBIDDEN, state: 'firing' }, 1);
  expect(firing?.notified).toMatchObject([{ receiver: 'hook', delivery: 'accepted' }]);
  const told = firing?.notified[0]?.firingAt ?? 0;
  const groupKey = JSON.stringify({ alertname: FORBIDDEN, endpoint: 'proxy/search' });
  const waiting = { receiver: 'hook', id: 'again', createdAt: told, body: JSON.stringify({ groupKey }) };
  await store.alerts.save({ put: [], removed: [], notifications: [waiting] });
  const [after] = await store.alertHistory.page({ alert: FORBIDDEN, state: 'firing' }, 1);
  expect(after?.notified).toMatchObject([{ receiver: 'hook', delivery: 'waiting' }]);
});

it('requests may name the label as before', async () => {
  await using test = await upgrade();
  const { app, clock } = test.harness;
  const listen = { host: '127.0.0.1', port: 0 };
  const reload = async () => ({ result: 'no_file' }) as const;
  const view = createView({ app, clock, version: '1.2.3' });
  await using server = await startHttpServer({ listen, view, clock: systemClock, log: silentLog, reload });
  const api = `http://127.0.0.1:${server.address.port}/api/v1`;
  const subject = 'endpoint=proxy/search';
  const query = new URLSearchParams({ alert: FORBIDDEN, subject });
  const get = async (path: string) => (await fetch(`${api}/${path}?${query}`)).json();
  expect(await get('alerts/notices')).toMatchObject({ matching: 1 });
  expect(await get('alerts/history')).toMatchObject({ data: [{ labels: { api_endpoint: 'proxy/search' } }] });
  const silence = await fetch(`${api}/silences`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subject, comment: 'Anna', for: '2h' }),
  });
  expect(await silence.json()).toMatchObject({ subject: 'api_endpoint=proxy/search', matching_alerts: 1 });
});

it('the settings of receivers accept the former name', () => {
  const account = { name: 'main', public_key: 'a', private_key: 'b' };
  const receiver = { type: 'webhook', url: 'https://hooks.example/', group_by: ['account', 'endpoint'] };
  const { alerts } = settingsSchema.parse({ accounts: [account], alerts: { receivers: [receiver] } });
  expect(alerts.receivers).toMatchObject([{ group_by: ['account', 'api_endpoint'] }]);
});

// Tests when reports are sent: once at each slot, also over restarts, in a queue of their own that no alert waits for.

import { expect, test } from 'vitest';
import type { Report } from '../../src/http/api/report/report-json.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { Harness } from '../support/harness.ts';
import { CA_FILE, MAIL_PASSWORD, MailServer } from '../support/mail-server.ts';

const ACCOUNT = {
  ...Object.fromEntries(['traffic', 'residential_ledger', 'proxy_users'].map((name) => [name, false])),
  time_zone: 'Europe/Berlin',
  public_key: 'demo-public',
};

const MONDAYS = { schedule: '0 8 * * 1' };

/** A daemon that reports to a receiver, by default each Monday at 08:00 UTC. It starts on a Friday. */
const buildFor = (receiver: object) =>
  Harness.build({
    now: '2026-03-27T12:00:00Z',
    account: ACCOUNT,
    alerts: { receivers: [{ report: MONDAYS, ...receiver }] },
  });

const build = (server: FakeReceiver, report: object = MONDAYS) =>
  buildFor({ type: 'webhook', name: 'desk', url: `${server.url}/s3cret-path`, ...UNGROUPED, report });

const reportsOf = (server: FakeReceiver): Report[] =>
  server.received.flatMap(({ body }) => {
    const { status, report } = JSON.parse(body) as { status: string; report: Report };
    return status === 'report' ? [report] : [];
  });

/** Advances in steps that are no pause of the daemon. */
const advance = async (harness: Harness, ms: number): Promise<void> => {
  await harness.advance(ms);
  await harness.advance(20 * SECOND);
};

test('a report is sent once at each slot, with the week that is over in the zone of the account', async () => {
  await using server = await FakeReceiver.start();
  await using harness = await build(server);
  await advance(harness, MINUTE);
  await advance(harness, 2 * DAY + 19 * HOUR);
  expect(reportsOf(server)).toEqual([]);
  await advance(harness, HOUR);
  expect(reportsOf(server)).toMatchObject([
    {
      ...{ account: 'main', period: 'week', first_day: '2026-03-23', last_day: '2026-03-29', is_over: true },
      ...{ from: '2026-03-22T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z' },
    },
  ]);
  expect(JSON.parse(server.received.at(-1)?.body ?? '')).toMatchObject({ version: '2', receiver: 'desk' });
  for (const { body } of server.received) expect(body).not.toMatch(/demo-p|s3cret/);
  await harness.restart();
  await advance(harness, HOUR);
  expect(reportsOf(server).length).toBe(1);
  await advance(harness, 7 * DAY);
  expect(reportsOf(server).map(({ first_day }) => first_day)).toEqual(['2026-03-23', '2026-03-30']);
});

test('a report that was missed is sent after the start, unless it is older than a day', async () => {
  await using server = await FakeReceiver.start();
  await using harness = await build(server);
  await advance(harness, MINUTE);
  await harness.stop();
  harness.clock.advance(3 * DAY);
  await harness.start();
  await advance(harness, MINUTE);
  expect(reportsOf(server)).toEqual([]);
  await advance(harness, 10 * MINUTE);
  expect(reportsOf(server).map(({ first_day }) => first_day)).toEqual(['2026-03-23']);

  await harness.stop();
  harness.clock.advance(8 * DAY);
  await harness.start();
  await advance(harness, 20 * MINUTE);
  expect(reportsOf(server).length).toBe(1);
  await advance(harness, 6 * DAY);
  expect(reportsOf(server).map(({ first_day }) => first_day)).toEqual(['2026-03-23', '2026-04-06']);
});

test('a schedule that was removed and comes back begins again', async () => {
  await using server = await FakeReceiver.start();
  await using harness = await build(server);
  await advance(harness, MINUTE);
  const { app, settings } = harness;
  await app.reconfigure({ ...settings, alerts: { ...settings.alerts, receivers: [] } });
  await advance(harness, 3 * DAY);
  await app.reconfigure(settings);
  await advance(harness, HOUR);
  expect(reportsOf(server)).toEqual([]);
  await advance(harness, 7 * DAY);
  expect(reportsOf(server).map(({ first_day }) => first_day)).toEqual(['2026-03-30']);
});

test('after a clock that was ahead, the next slot counts', async () => {
  await using server = await FakeReceiver.start();
  await using harness = await build(server);
  harness.clock.jumpTo('2026-06-01T12:00:00Z');
  await advance(harness, MINUTE);
  harness.clock.jumpTo('2026-03-27T13:00:00Z');
  await advance(harness, MINUTE);
  await advance(harness, 3 * DAY);
  expect(reportsOf(server).at(-1)?.first_day).toBe('2026-03-23');
});

test('a report that the receiver does not accept is retried, and no alert waits for it', async () => {
  await using server = await FakeReceiver.start();
  server.statusOf = (body) => (body.includes('"status":"report"') ? 503 : 200);
  await using harness = await build(server, { schedule: '0 8 * * *', period: 'month' });
  await advance(harness, MINUTE);
  await advance(harness, 20 * HOUR);
  const { app } = harness;
  const samples = async (result: string) =>
    (await harness.metrics()).get(
      `proxywatch_notifications_total{receiver="desk/report",result="${result}"}`,
    );
  expect(reportsOf(server).length).toBeGreaterThan(0);
  expect(await samples('failed')).toBeGreaterThan(0);
  app.metrics.reloaded(false, harness.clock.now());
  await advance(harness, MINUTE);
  expect(server.received.some(({ body }) => body.includes('ReloadFailed'))).toBe(true);
  expect(await samples('sent')).toBe(0);
  server.statusOf = () => 200;
  await advance(harness, 10 * MINUTE);
  expect(await samples('sent')).toBe(1);
  expect(reportsOf(server).at(-1)).toMatchObject({ period: 'month', first_day: '2026-02-01' });
});

test('an email has the report of the week as its text', async () => {
  await using server = await MailServer.start();
  await using harness = await buildFor({
    ...{ type: 'email', name: 'mail', from: 'alerts@example.com', to: ['ops@example.com'] },
    ...{ smtp_url: server.url(), smtp_ca_file: CA_FILE },
  });
  await advance(harness, MINUTE);
  await advance(harness, 2 * DAY + 19 * HOUR);
  const reports = () => server.received.filter(({ message }) => /^Subject: .*report/im.test(message));
  expect(reports()).toEqual([]);
  await advance(harness, HOUR);
  expect(reports()).toMatchObject([{ to: ['ops@example.com'], isEncrypted: true }]);
  const message = reports()[0]?.message ?? '';
  expect(message).toContain('Subject: Report of the week from 2026-03-23 to 2026-03-29, account main\r\n');
  expect(message).toContain('\r\n  Traffic of the account: unknown\r\n');
  for (const secret of [MAIL_PASSWORD, 'demo-public']) expect(message).not.toContain(secret);
  await advance(harness, HOUR);
  expect(reports().length).toBe(1);
});

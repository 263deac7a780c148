// Tests the text of a report, and that the command says of an account of which nothing is stored that all is unknown.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ReportOptions, report } from '../../src/cli/report.ts';
import { reportText, shortReport } from '../../src/daemon/report/report-text.ts';
import { createFolder } from '../config/support.ts';
import { TestStore } from '../store/support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { CA_FILE, MailServer } from '../support/mail-server.ts';
import { EMPTY_REPORT, REPORT } from '../support/reports.ts';
import { configText, runCommand } from './run-command.ts';

test('the text has all numbers, each with what it is', async () => {
  await expect(reportText(REPORT)).toMatchFileSnapshot('../golden/report.txt');
});

test('the short text has no ids', () => {
  expect(shortReport(REPORT)).toEqual([
    'Not known: 2 parts',
    'Residential data used by the ledger: 12.5 GB (week before: 10 GB, +25%)',
    'Residential data added by the ledger: 0 B (week before: 100 GB, -100%)',
    'Residential use of all users: 12 GB (week before: unknown)',
    'Mobile use of all users: unknown',
    'Traffic of the account: 20 GB (week before: 20 GB, unchanged)',
    'Requests of the account: 1,200,000 (week before: 0)',
    'Residential balance: 87.5 GB, used up on 2026-04-20 10:00:00 UTC',
    'Mobile balance: 30 GB, not in use',
    'Quotas of users: 2 exhausted, 1 low, 3 used up soon, 0 unknown',
    'Alerts: 3 alerts began to fire, 1 fire still, the longest ProxyFailing',
    'Tests by the provider: 97.5% of 4,000 results. Proxies: 8 without failures, 2 with failures of their own, 1 with unexplained failures',
    'Inventory: 2 new proxies, 1 removed proxies, 0 new addresses, 0 new networks, 0 new cities',
    'Services: 1 begun, 0 ended, 1 end within 30 days',
  ]);
});

test('what is unknown is not 0', () => {
  const text = reportText(EMPTY_REPORT);
  expect(text.match(/: (?:unknown|no result)$/gm)?.length).toBe(12);
  expect(text).not.toMatch(/: 0\b/);
});

const run = (
  store: TestStore,
  options: Partial<ReportOptions> = {},
  account: object = {},
  receivers: readonly object[] = [{ type: 'webhook', url: 'https://hooks.example/t0ken' }],
) => {
  const text = configText(
    { baseUrl: 'http://192.0.2.1/1.0', publicKey: 'public-k3y', privateKey: 'private-k3y' },
    { ...account },
    {
      store: { path: store.path },
      alerts: { receivers },
    },
  );
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  return runCommand(report, { config, period: 'week', format: 'text', ...options });
};

test('the command prints a report of each account, without secrets', async () => {
  using store = new TestStore();
  const { code, stdout, stderr } = await run(store, { from: '2026-03-04' });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Report of the week from 2026-03-02 to 2026-03-08, account main\nDays of UTC\./);
  expect(stdout).toContain('\n  Residential data used by the ledger: unknown\n');
  expect(stdout).toContain('\n  ledger: proxywatch has not read the whole ledger yet\n');
  expect(stdout).toContain('\n  traffic: proxywatch has no traffic of this week\n');
  expect(stdout).toContain(
    '\n  alerts: proxywatch did not run all the time, so alerts of these days can be missing',
  );
  expect(stdout).toContain('\n  Alerts: unknown\n');
  expect(stdout).not.toMatch(/k3y|t0ken/);

  const off = { traffic: false, residential_ledger: false, proxy_users: false };
  const json = await run(store, { format: 'json', period: 'month' }, off);
  const [found] = JSON.parse(json.stdout);
  expect([json.code, found.account, found.period, found.quotas]).toEqual([0, 'main', 'month', null]);
  expect(found.unknown.map(({ message }: { message: string }) => message)).toEqual(
    expect.arrayContaining(['residential_ledger is off', 'proxy_users is off', 'traffic is off']),
  );
  expect(found.unknown.filter(({ part }: { part: string }) => part === 'comparison')).toEqual([]);
  expect(await run(store, { account: 'man' })).toMatchObject({
    ...{ code: 1, stderr: 'error: --account: there is no account man; did you mean main?\n' },
  });
});

test('the command sends the reports to a receiver, and says what came back', async () => {
  using store = new TestStore();
  await using server = await FakeReceiver.start();
  await using mail = await MailServer.start();
  const receivers = [
    { type: 'webhook', name: 'desk', url: `${server.url}/t0ken` },
    { type: 'heartbeat', name: 'beat', url: server.url },
    {
      ...{ type: 'email', name: 'mail', from: 'alerts@example.com', to: ['ops@example.com'] },
      ...{ smtp_url: mail.url(), smtp_ca_file: CA_FILE },
    },
  ];
  const send = (name: string) => run(store, { send: name, from: '2026-03-04' }, {}, receivers);
  expect(await send('desk')).toEqual({
    ...{ code: 0, stdout: 'ok      receiver desk, account main: answered 200\n', stderr: '' },
  });
  expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({
    ...{ version: '2', receiver: 'desk', status: 'report' },
    report: { account: 'main', first_day: '2026-03-02' },
  });
  expect((await send('mail')).code).toBe(0);
  const message = mail.received[0]?.message.replaceAll('=\r\n', '');
  expect(message).toMatch(/^Subject: Report of the week from 2026-03-02 to 2026-03-08,\s+account main\r$/m);
  expect(message).toContain('\r\n  Traffic of the account: unknown\r\n');
  server.status = 503;
  expect(await send('desk')).toMatchObject({ code: 1 });
  expect(await send('beat')).toMatchObject({ stderr: 'error: --send: the receiver beat takes no reports\n' });
  expect((await send('dusk')).stderr).toContain('did you mean desk?');
});

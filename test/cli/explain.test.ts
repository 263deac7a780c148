// Tests proxywatch notify --explain against the HTTP server of a daemon.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explain } from '../../src/cli/explain.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { Harness } from '../support/harness.ts';
import { runToEnd } from './program.ts';
import { type CommandResult, runCommand } from './run-command.ts';

let receiver: FakeReceiver;
let daemon: Harness;
let server: HttpServer;

beforeAll(async () => {
  receiver = await FakeReceiver.start();
  daemon = await Harness.build({
    now: '2026-07-05T12:01:30Z',
    scenario: { users: 3 },
    // With threshold 0 this alert fires for every collector.
    alerts: {
      CollectorFailing: { threshold: 0, for: '0s' },
      receivers: [
        { type: 'webhook', name: 'team', url: `${receiver.url}/team` },
        { type: 'webhook', name: 'pager', url: `${receiver.url}/pager`, min_severity: 'critical' },
        { type: 'heartbeat', url: `${receiver.url}/ping` },
      ],
    },
    account: { traffic: { catch_up: '1h', graphs: [] }, reconciliation: false },
  });
  await daemon.advance(MINUTE);
  const { app, clock } = daemon;
  server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    view: createView({ app, clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
    ...{ clock, log: silentLog },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const run = (alert: string, more: { account?: string; subject?: string } = {}): Promise<CommandResult> =>
  runCommand(explain, { url: `http://127.0.0.1:${server.address.port}`, explain: alert, ...more });

it('prints a line for each receiver', async () => {
  const { code, stdout, stderr } = await run('CollectorFailing', { account: 'main', subject: 'traffic' });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.replaceAll(/\d+-\d+-\d+T[\d:]+Z/g, 'T')).toBe(
    `CollectorFailing, account main, collector traffic: warning, firing since T
  team       notified at T; next repetition at T
  pager      not notified: severity warning is below this receiver's min_severity (critical)
  heartbeat  gets only heartbeats, and no alerts
`,
  );
});

it('prints what silences an alert now, although receivers were notified before', async () => {
  const now = daemon.clock.now();
  const { mutes } = daemon.app.alerting;
  const scope = { account: 'main', alert: 'CollectorFailing', subject: 'traffic', comment: 'Anna' };
  await mutes.add({ id: 'quiet', untilResolved: false, ...scope, startsAt: now, endsAt: now + MINUTE });
  mutes.configure([{ name: 'nightly', hours: { from: 0, to: 13 * HOUR } }], 'UTC');
  const { stdout } = await run('CollectorFailing', { subject: 'traffic' });
  await mutes.remove('quiet', now);
  mutes.configure([], 'UTC');
  expect(stdout.replaceAll(/\d+-\d+-\d+T[\d:]+Z/g, 'T')).toMatch(
    /^CollectorFailing, account main, collector traffic: warning, firing since T, silenced until T by maintenance window nightly and silence quiet \(Anna\)\n {2}team +notified at T; next repetition at T\n/,
  );
});

it('prints why an alert is not active', async () => {
  expect((await run('ServicePaused')).stdout).toBe(
    'ServicePaused, account main: not firing: the alert needs the collector services, which is off\nThe history has no time at which it fired.\n',
  );
  expect((await run('CollectorFailing', { subject: 'trafic' })).stdout).toBe(
    'CollectorFailing, account main, subject trafic: not firing: no pending or firing alert has the subject "trafic". Subjects that are active now: traffic, proxy_users, residential_ledger\nTo see all subjects, leave --subject out.\nThe history has no time at which it fired.\n',
  );
  expect((await run('ProxywatchDown')).stdout).toMatch(
    /^ProxywatchDown: only Prometheus evaluates this alert/,
  );
});

it('prints why the daemon refuses the request', async () => {
  expect(await run('QuotaLow')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'error: alert: "QuotaLow" is not known. Did you mean ProxyUserQuotaLow?\n',
  });
});

/** Explains with a daemon that answers so. */
const explainAnswer = async (answer: object): Promise<string> => {
  await using other = createServer((_, response) => {
    response.end(JSON.stringify({ last_ended: null, ...answer }));
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  return (await runCommand(explain, { url, explain: 'Low' })).stdout;
};

it('prints how many alerts it left out, and no control characters', async () => {
  const alert = {
    ...{ alert: 'Low', severity: 'warning', state: 'pending', labels: { name: 'a\nb\u202e' } },
    ...{ since: '2026-07-05T12:00:00.500Z', firing_since: null, receivers: [] },
    ...{ silenced_until: null, silenced_by: [] },
  };
  expect(await explainAnswer({ matching: 5_001, data: [alert], inactive: [] })).toBe(
    `Low, name a b : warning, pending since 2026-07-05T12:00:00Z
  no receiver is configured, so nobody is notified

5,000 more alerts match. Choose one with --account or --subject.
`,
  );
});

it('prints suppressed subjects, and leaves out healthy accounts if an alert is active', async () => {
  const [text, suppressed] = ['it is suppressed', [{ labels: { id: '7' }, suppressed_by: ['Outage'] }]];
  const inactive = [
    { account: 'main', status: 'suppressed', text, suppressed },
    { account: 'shop', status: 'condition_false', text: 'all is well', suppressed: [] },
  ];
  const shown = 'Low, account main: not firing: it is suppressed\n  id 7: suppressed by Outage\n';
  expect(await explainAnswer({ matching: 0, data: [], inactive })).toBe(
    `${shown}Low, account shop: not firing: all is well\nThe history has no time at which it fired.\n`,
  );
  const alert = {
    ...{ alert: 'Low', severity: 'info', state: 'firing', labels: {}, since: '', firing_since: 'T' },
    receivers: [{ receiver: 'team', text: 'notified' }],
    ...{ silenced_until: null, silenced_by: [] },
  };
  expect(await explainAnswer({ matching: 1, data: [alert], inactive })).toBe(
    `Low: info, firing since T\n  team  notified\n\n${shown}`,
  );
});

it('prints when the alert last fired, and which receivers were notified', async () => {
  const answer = {
    ...{ matching: 0, data: [] },
    inactive: [{ account: 'main', status: 'condition_false', text: 'all is well', suppressed: [] }],
    last_ended: {
      labels: { account: 'main', id: '7' },
      firing_since: '2026-07-05T12:00:00.500Z',
      ended_at: '2026-07-05T13:00:00.000Z',
      receivers: [
        { receiver: 'team', text: 'notified' },
        { receiver: 'manager', text: 'not notified' },
      ],
    },
  };
  expect(await explainAnswer(answer)).toBe(`Low, account main: not firing: all is well
It last fired from 2026-07-05T12:00:00Z to 2026-07-05T13:00:00Z (account main, id 7):
  team     notified
  manager  not notified
`);
});

it('demands either the options of a test notification or those of an explanation', async () => {
  const [neither, both] = await Promise.all([
    runToEnd('notify'),
    runToEnd('notify', '--explain', 'Low', '--config', 'config.yaml'),
  ]);
  expect([neither, both].map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
    [1, 'error: give --config to send a test notification, or --explain to explain an alert'],
    [1, "error: option '--explain <alert>' cannot be used with option '--config <file>'"],
  ]);
});

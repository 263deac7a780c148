// Tests that `notify` sends a test notification to receivers of every kind, and prints what came back.

import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { notify } from '../../src/cli/notify.ts';
import { receiverFor } from '../alerts/template-support.ts';
import { createFolder } from '../config/support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { CA_FILE, MailServer } from '../support/mail-server.ts';
import { mistakesOf, SERVICE_FORMATS, type Service, statusFor } from '../support/service-formats.ts';
import { type CommandResult, configText, runCommand } from './run-command.ts';

const SERVICES = Object.keys(SERVICE_FORMATS) as Service[];
const PROVIDER = { baseUrl: 'https://provider.example/1.0', publicKey: 'public', privateKey: 'private' };

/** Runs the command with these receivers, and with links. */
const run = async (
  receivers: readonly object[],
  options: { receiver?: string; severity?: 'critical' | 'warning' | 'info' } = {},
  files: Record<string, string> = {},
  server: object = { listen: '127.0.0.1:0', external_url: 'https://proxywatch.example/' },
): Promise<CommandResult> => {
  const others = {
    server,
    alerts: { receivers, docs_url: 'https://docs.example/' },
  };
  const folder = createFolder({ ...files, 'config.yaml': configText(PROVIDER, {}, others) });
  return await runCommand(notify, { config: join(folder, 'config.yaml'), severity: 'warning', ...options });
};

const TEXT = 'This is a test of the notifications of proxywatch. You do not need to do anything.';

test.each(SERVICES)('a receiver with the template %s gets a notification in its format', async (service) => {
  await using server = await FakeReceiver.start();
  server.statusOf = (body) => statusFor(service, body);
  expect(await run([receiverFor(service, server.url)])).toEqual({
    ...{ code: 0, stdout: `ok      receiver ${service}: answered 200\n`, stderr: '' },
  });
  const [{ body = '' } = {}, ...more] = server.received;
  expect([mistakesOf(service, body), more]).toEqual(['', []]);
  expect(body).toContain('TestNotification');
  expect(body).toContain(TEXT);
  expect(body).not.toContain('docs.example');
});

test('a receiver with a body file, an email receiver, an Alertmanager and a heartbeat get one', async () => {
  await using server = await FakeReceiver.start();
  await using mail = await MailServer.start();
  const receivers = [
    { ...receiverFor('custom', server.url), body_file: 'body.json' },
    {
      type: 'email',
      from: 'a@example.com',
      to: ['b@example.com'],
      smtp_url: mail.url(),
      smtp_ca_file: CA_FILE,
    },
    { type: 'alertmanager', urls: [server.url, `${server.url}/second`] },
    { type: 'heartbeat', url: `${server.url}/ping` },
  ];
  const { code, stdout } = await run(
    receivers,
    { severity: 'critical' },
    { 'body.json': '{"text": "{{text}}"}' },
  );
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      'ok      receiver custom: answered 200',
      'ok      receiver email: accepted the message for 1 of 1 recipients',
      'ok      receiver alertmanager, server 1: answered 200',
      'ok      receiver alertmanager, server 2: answered 200',
      'ok      receiver heartbeat: answered 200',
      '',
    ],
  ]);
  expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    ...['POST /custom', 'POST /api/v2/alerts', 'POST /second/api/v2/alerts', 'GET /ping'],
  ]);
  expect(JSON.parse(server.received[0]?.body ?? '').text).toBe(
    `[critical] TestNotification: 1 firing\n${TEXT}\n\nStatus page: https://proxywatch.example/`,
  );
  const [alert] = JSON.parse(server.received[1]?.body ?? '');
  expect(alert.labels).toEqual({ alertname: 'TestNotification', severity: 'critical' });
  // It ends by itself.
  expect(Date.parse(alert.endsAt) - Date.parse(alert.startsAt)).toBeGreaterThan(0);
  expect(mail.received.map(({ message }) => message.includes('[critical] TestNotification'))).toEqual([true]);
});

describe('without an external address', () => {
  const PAGE = 'http://127.0.0.1:9876/';

  test.each(SERVICES)(
    'a message with the template %s links to the address of the daemon',
    async (service) => {
      await using server = await FakeReceiver.start();
      server.statusOf = (body) => statusFor(service, body);
      await run([receiverFor(service, server.url)], {}, {}, {});
      const [{ body = '' } = {}] = server.received;
      expect([mistakesOf(service, body), body]).toEqual(['', expect.stringContaining(PAGE)]);
    },
  );

  test('messages of a body file, an email receiver and an Alertmanager link to the address of the daemon', async () => {
    await using server = await FakeReceiver.start();
    await using mail = await MailServer.start();
    const receivers = [
      { ...receiverFor('custom', server.url), body_file: 'body.json' },
      {
        ...{ type: 'email', from: 'a@example.com', to: ['b@example.com'] },
        ...{ smtp_url: mail.url(), smtp_ca_file: CA_FILE },
      },
      { type: 'alertmanager', urls: [server.url] },
    ];
    await run(receivers, {}, { 'body.json': '{"link": "{{status_page_url}}"}' }, {});
    const [custom, alerts] = server.received.map(({ body }) => JSON.parse(body));
    expect([custom, alerts[0].annotations.status_page_url]).toEqual([{ link: PAGE }, PAGE]);
    expect(mail.received[0]?.message).toContain(PAGE);
  });
});

describe('notify', () => {
  it('tries all receivers, prints why some do not accept the notification, and fails', async () => {
    await using server = await FakeReceiver.start();
    await using mail = await MailServer.start();
    [server.status, server.answer] = [403, 'no_team:\n  this team does not exist'];
    const smtp_url = mail.url({ password: 'canary-wrong' });
    const closed = await FakeReceiver.start();
    const { url } = closed;
    await closed[Symbol.asyncDispose]();
    const { code, stdout } = await run([
      receiverFor('slack', server.url),
      { type: 'email', from: 'a@example.com', to: ['b@example.com'], smtp_url, smtp_ca_file: CA_FILE },
      { type: 'heartbeat', url: `${url}/ping` },
    ]);
    expect([code, stdout.split('\n')]).toEqual([
      1,
      [
        'failed  receiver slack: answered 403: no_team: this team does not exist',
        'failed  receiver email: the mail server rejects user name or password; correct smtp_url; the mail server answered 535: the answer is not shown because it quotes credentials',
        'failed  receiver heartbeat: connection failed: ECONNREFUSED',
        '',
      ],
    ]);
  });

  it('sends only to the receiver with the name', async () => {
    await using server = await FakeReceiver.start();
    const receivers = SERVICES.map((service) => receiverFor(service, server.url));
    expect((await run(receivers, { receiver: 'discord' })).stdout).toBe(
      'ok      receiver discord: answered 200\n',
    );
    expect(server.received.map(({ path }) => path)).toEqual(['/discord']);
  });

  it.each([
    ['discordd', 'error: no receiver is called discordd; did you mean discord?\n'],
    ['mail', 'error: no receiver is called mail. The receivers are called slack, discord\n'],
  ])('without a receiver called %s fails', async (receiver, stderr) => {
    const receivers = [receiverFor('slack', 'http://a.example'), receiverFor('discord', 'http://a.example')];
    expect(await run(receivers, { receiver })).toEqual({ code: 1, stdout: '', stderr });
  });

  it('without receivers fails', async () => {
    expect(await run([])).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: 'error: the configuration has no receivers. Add a receiver to alerts.receivers\n',
    });
  });
});

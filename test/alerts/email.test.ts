// Tests email with a real SMTP server: encryption, credentials, repetitions, and what happens when a delivery fails.

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import {
  CA_FILE,
  MAIL_PASSWORD,
  MAIL_USER,
  MailServer,
  OTHER_CA_FILE,
  type ReceivedMail,
} from '../support/mail-server.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';
import { AlertRig, alertNamed } from './alert-rig.ts';
import { alertAbout, contentOf, deliver, STORM, transportFor } from './template-support.ts';

const receiverAt = (server: MailServer, more: Record<string, unknown> = {}) => ({
  ...{ type: 'email', name: 'mail', from: 'proxywatch <alerts@example.com>' },
  ...{ to: ['ops@example.com', 'On Call <oncall@example.org>'], smtp_ca_file: CA_FILE },
  ...{ smtp_url: server.url(), ...more },
});

const CONTENT = contentOf([alertAbout('a')]);

const headersOf = ({ message }: ReceivedMail): Map<string, string> => {
  const [head = ''] = message.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
};

/** Decodes the body of a message, which is quoted-printable or plain. */
const bodyOf = ({ message }: ReceivedMail): string => {
  const body = message.slice(message.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n');
  const bytes = body
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString().trimEnd();
};

describe('an email', () => {
  it('has the text of the notification for all recipients, over STARTTLS and with the password', async () => {
    await using server = await MailServer.start();
    expect(await deliver(receiverAt(server), STORM)).toEqual({
      isDelivered: true,
      reply: 'accepted the message for 2 of 2 recipients',
    });
    const [mail, ...more] = server.received as [ReceivedMail];
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      ...{ from: 'alerts@example.com', to: ['ops@example.com', 'oncall@example.org'] },
      ...{ isEncrypted: true, user: MAIL_USER },
    });
    const headers = headersOf(mail);
    expect(headers.get('From')).toBe('proxywatch <alerts@example.com>');
    expect(headers.get('To')).toBe('ops@example.com, On Call <oncall@example.org>');
    expect(headers.get('Subject')).toBe('[warning] Low, account main: 5,000 firing (1,200 new), 30 resolved');
    expect(headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('Auto-Submitted')).toBe('auto-generated');
    expect(bodyOf(mail)).toMatch(
      /^\[warning\] Low, .* resolved\nuser-0 stands at 1\.\n(?:.*\n)*and 5,025 more\n\nStatus page: /,
    );
  });

  it('has the same Message-ID each time the notification is sent', async () => {
    await using server = await MailServer.start();
    for (const id of ['one', 'one', 'two']) await deliver(receiverAt(server), CONTENT, id);
    expect(server.received.map((mail) => headersOf(mail).get('Message-ID'))).toEqual([
      ...['<one@example.com>', '<one@example.com>', '<two@example.com>'],
    ]);
  });

  it.each(['a\r\nBcc: stranger@example.com\r\n\r\nx', 'ü\u0000\u{1f600}', '.\r\n.\r\nQUIT'])(
    'about %j has no header or command that the name adds',
    async (name) => {
      await using server = await MailServer.start();
      const content = contentOf([alertAbout(name)], { groupLabels: { alertname: 'Low', subject: name } });
      await deliver(receiverAt(server), content);
      const [mail, ...more] = server.received as [ReceivedMail];
      expect(more).toEqual([]);
      expect(mail.to).toEqual(['ops@example.com', 'oncall@example.org']);
      const names = [...headersOf(mail).keys()].toSorted();
      expect(names).toEqual(
        [
          ...['Auto-Submitted', 'Content-Transfer-Encoding', 'Content-Type', 'Date', 'From'],
          ...['MIME-Version', 'Message-ID', 'Subject', 'To'],
        ].toSorted(),
      );
      expect(bodyOf(mail)).toContain('stands at 1.');
    },
  );

  it('with TLS from the start needs no STARTTLS', async () => {
    await using server = await MailServer.start({ isSmtps: true, offersStartTls: false });
    expect(await deliver(receiverAt(server), CONTENT)).toMatchObject({ isDelivered: true });
    expect(server.received).toMatchObject([{ isEncrypted: true }]);
  });

  it('to a program on the same machine needs no encryption', async () => {
    await using server = await MailServer.start({ offersStartTls: false });
    const settings = receiverAt(server, { smtp_ca_file: undefined, smtp_url: server.url({ user: '' }) });
    expect(await deliver(settings, CONTENT)).toMatchObject({ isDelivered: true });
    expect(server.received).toMatchObject([{ isEncrypted: false }]);
  });
});

describe('a mail server', () => {
  it('without STARTTLS gets neither the password nor the message', async () => {
    await using server = await MailServer.start({ offersStartTls: false });
    // The system connects 0.0.0.0 to this machine, but it is not the address of this machine.
    for (const more of [{}, { smtp_ca_file: undefined, smtp_url: server.url({ host: '0.0.0.0' }) }])
      expect(await deliver(receiverAt(server, more), CONTENT)).toMatchObject({
        ...{
          isDelivered: false,
          isFinal: false,
          reason: expect.stringMatching(/^the mail server does not offer STARTTLS; /),
        },
      });
    expect([server.passwords, server.received]).toEqual([[], []]);
  });

  it('with a certificate of an unknown authority gets nothing', async () => {
    await using server = await MailServer.start();
    await using smtps = await MailServer.start({ isSmtps: true });
    for (const each of [server, smtps]) {
      const delivery = await deliver(receiverAt(each, { smtp_ca_file: OTHER_CA_FILE }), CONTENT);
      expect(delivery).toMatchObject({
        isDelivered: false,
        isFinal: false,
        reason: expect.stringMatching(/^this machine does not trust the certificate of the mail server \(/),
      });
      expect([each.passwords, each.received]).toEqual([[], []]);
    }
  });

  it('that rejects the password is tried again, and the password is not shown', async () => {
    await using server = await MailServer.start();
    const password = 'canary-wrong/p@ss';
    const delivery = await deliver(receiverAt(server, { smtp_url: server.url({ password }) }), CONTENT);
    expect(delivery).toEqual({
      ...{ isDelivered: false, isFinal: false },
      reason: 'the mail server rejects user name or password; correct smtp_url; the mail server answered 535',
      answer: 'the answer is not shown because it quotes credentials',
    });
    expect(server.passwords).toEqual([password]);
  });

  it.each([
    [{ response: 554 }, true, 'the mail server rejects the message; the mail server answered 554'],
    [
      { response: 451 },
      false,
      'the mail server does not accept the message at the moment; the mail server answered 451',
    ],
    [
      { unknown: ['ops@example.com', 'oncall@example.org'] },
      false,
      'the mail server rejects the sender or the recipients; correct from and to; the mail server answered 550',
    ],
  ])('with %j fails, finally: %s', async (options, isFinal, reason) => {
    await using server = await MailServer.start(options);
    expect(await deliver(receiverAt(server), CONTENT)).toMatchObject({ isDelivered: false, isFinal, reason });
  });

  it('that does not know one recipient sends the message to the others, and the log says so', async () => {
    await using server = await MailServer.start({ unknown: ['ops@example.com'] });
    const lines: LogLine[] = [];
    await using transport = transportFor(receiverAt(server), { log: recordingLog(lines) });
    expect(await transport.send({ id: 'one', content: CONTENT })).toEqual({
      isDelivered: true,
      reply: 'accepted the message for 1 of 2 recipients',
    });
    expect(server.received.map(({ to }) => to)).toEqual([['oncall@example.org']]);
    expect(lines).toMatchObject([{ level: 'warn', fields: { accepted: 1, rejected: 1 } }]);
  });

  it('that cannot be reached is tried again', async () => {
    const server = await MailServer.start();
    const settings = receiverAt(server);
    await server[Symbol.asyncDispose]();
    expect(await deliver(settings, CONTENT)).toEqual({
      ...{ isDelivered: false, isFinal: false, reason: 'connection failed: ECONNREFUSED' },
    });
  });

  it('that never answers is left after a minute', async () => {
    await using server = await MailServer.start({ isSilent: true });
    const limits: number[] = [];
    const timeUp = new AbortController();
    const deadline = (ms: number) => {
      limits.push(ms);
      return { signal: timeUp.signal, [Symbol.dispose]: () => {} };
    };
    await using transport = transportFor(receiverAt(server), { clock: { ...systemClock, deadline } });
    const sent = transport.send({ id: 'one', content: CONTENT });
    await server.connected();
    timeUp.abort();
    expect(await sent).toEqual({ isDelivered: false, isFinal: false, reason: 'no answer within 60 s' });
    expect(limits).toEqual([MINUTE]);
  });

  it('that never answers is left when the daemon ends', async () => {
    await using server = await MailServer.start({ isSilent: true });
    await using transport = transportFor(receiverAt(server));
    const sent = transport.send({ id: 'one', content: CONTENT });
    await server.connected();
    await transport[Symbol.asyncDispose]();
    expect(await sent).toBe(undefined);
  });
});

describe('the queue of an email receiver', () => {
  const start = async (server: MailServer, more = {}) => {
    const low = alertNamed('Low');
    const rig = await AlertRig.start([low], { receivers: [receiverAt(server, more)] });
    low.subjects.set('a', 1);
    await rig.run();
    await rig.pass(MINUTE);
    return { low, rig };
  };

  it('keeps a message until the password is right, and sends it once', async () => {
    await using server = await MailServer.start();
    const { rig } = await start(server, { smtp_url: server.url({ password: 'canary-wrong' }) });
    await using _ = rig;
    expect(await rig.sample('proxywatch_notifications_waiting{receiver="mail"}')).toBe(1);
    await rig.restart();
    rig.section = { receivers: [receiverAt(server)] };
    await rig.reload();
    await rig.pass(10 * MINUTE, SECOND);
    expect(server.received.map(({ message }) => /a stands at 1\./.test(message))).toEqual([true]);
    expect(await rig.sample('proxywatch_notifications_waiting{receiver="mail"}')).toBe(0);
    const lines = JSON.stringify(rig.lines);
    expect(lines).toContain('the mail server rejects user name or password');
    for (const secret of ['canary', MAIL_PASSWORD]) expect(lines).not.toContain(secret);
  });
});

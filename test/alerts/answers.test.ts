// Tests which answers with a 2xx status count as delivered: not an HTML page, and not a body that reports a failure.

import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { TEMPLATES } from '../../src/alerts/receivers/webhook.ts';
import { notify } from '../../src/cli/notify.ts';
import { configText, runCommand } from '../cli/run-command.ts';
import { createFolder } from '../config/support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { SERVICE_FORMATS, type Service } from '../support/service-formats.ts';
import { alertAbout, contentOf, deliver, receiverFor } from './template-support.ts';

const CONTENT = contentOf([alertAbout('user')]);

const LOGIN_PAGES = [
  '<!DOCTYPE html>\n<html><title>Sign in</title></html>',
  '\ufeff \n<HTML><body>Sign in</body></HTML>',
  '<!-- gateway -->\n<?xml version="1.0"?><!doctype html><p>Sign in',
  '<head><meta charset="utf-8"></head>',
];

test.each(LOGIN_PAGES)(
  'no service has taken a notification that it answers with the page %j',
  async (page) => {
    await using server = await FakeReceiver.start();
    server.answer = page;
    for (const service of Object.keys(SERVICE_FORMATS) as Service[])
      expect(await deliver(receiverFor(service, server.url), CONTENT)).toMatchObject({
        ...{ isDelivered: false, isFinal: false },
        reason: 'answered 200 with an HTML page, such as a login page',
      });
  },
);

test('Alertmanagers and heartbeats have taken nothing that they answer with a page', async () => {
  await using server = await FakeReceiver.start();
  [server.answer = ''] = LOGIN_PAGES;
  const provider = { baseUrl: 'https://provider.example/1.0', publicKey: 'public', privateKey: 'private' };
  const receivers = [
    { type: 'alertmanager', urls: [server.url] },
    { type: 'heartbeat', url: server.url },
  ];
  const folder = createFolder({ 'config.yaml': configText(provider, {}, { alerts: { receivers } }) });
  const options = { config: join(folder, 'config.yaml'), severity: 'warning' } as const;
  const { code, stdout } = await runCommand(notify, options);
  expect([code, stdout.match(/^failed .*answered 200 with an HTML page/gm)?.length]).toEqual([1, 2]);
});

describe('an answer', () => {
  it.each([
    ['telegram', '{"ok":true,"result":{"message_id":1}}', true],
    ['telegram', '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}', false],
    ['telegram', '{"error":"login required"}', false],
    ['pagerduty', '{"status":"success","message":"Event processed","dedup_key":"a"}', true],
    ['pagerduty', '{"status":"invalid event","message":"Event object is invalid"}', false],
    ['ntfy', '{"id":"a","time":1735941261,"event":"message","topic":"alerts_topic"}', true],
    ['ntfy', '{"code":40301,"http":403,"error":"forbidden"}', false],
    // Slack sends this as text/html.
    ['slack', 'ok', true],
    ['slack', '{"ok":true}', true],
    ['slack', '{"ok":false,"error":"invalid_token"}', false],
    ['discord', '', true],
    ['teams', '', true],
    ['teams', '1', true],
    // A relay may answer with any text.
    ['telegram', '', true],
    ['pagerduty', 'queued', true],
    ['json', '<?xml version="1.0"?><thanks/>', true],
    ['json', '{"ok":false}', true],
  ] as const)('of %s: %s, delivered: %s', async (service, answer, isDelivered) => {
    await using server = await FakeReceiver.start();
    server.headers = { 'content-type': 'text/html; charset=utf-8' };
    server.answer = answer;
    const delivery = await deliver(receiverFor(service, server.url), CONTENT);
    expect(delivery).toMatchObject(
      isDelivered
        ? { isDelivered, reply: 'answered 200' }
        : {
            isDelivered,
            isFinal: false,
            reason: 'answered 200 with a body that does not say success',
            answer,
          },
    );
  });
});

describe('at its own address', () => {
  it.each([
    ['telegram', 'https://api.telegram.org/bot1:token/sendMessage', '{"ok":true}'],
    ['pagerduty', 'https://events.pagerduty.com/v2/enqueue', '{"status":"success"}'],
    ['pagerduty', 'https://EVENTS.eu.pagerduty.com:443/v2/enqueue', '{"status":"success"}'],
    ['ntfy', 'https://ntfy.sh/', '{"event":"message"}'],
  ] as const)('%s at %s accepts only with its JSON', (service, url, success) => {
    const { isAccepted } = TEMPLATES[service];
    const texts = [success, '', 'ok', 'Blocked by policy', '"ok"', 'null', `${success} and more`];
    expect(texts.filter((text) => isAccepted?.(text, url))).toEqual([success]);
  });
});

test('Teams answers 200 with a text if a connector could not post the message', () => {
  const text =
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId a.';
  expect(TEMPLATES.teams.isAccepted?.(text, 'https://example.com/')).toBe(false);
});

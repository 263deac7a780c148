// Tests the template `custom`: which body files are accepted, what mistakes say, and that a reload reads the file again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { PLACEHOLDERS } from '../../src/alerts/receivers/webhook-options.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { configErrorOf, createFolder } from '../config/support.ts';
import { codeBlocksIn, codeWordsOf, tableRowsOf, textOf } from '../docs/documents.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed } from './alert-rig.ts';
import { alertAbout, contentOf, deliver, STORM } from './template-support.ts';

const PAGE = 'docs/reference/api.md';

const folderWith = (body: string): string =>
  createFolder({
    'config.yaml': [
      'alerts:',
      '  receivers:',
      '    - type: webhook',
      '      template: custom',
      '      url: https://desk.example/hook',
      '      body_file: body.json',
      'accounts: [{name: main, public_key: public, private_key: private}]',
    ].join('\n'),
    'body.json': body,
  });

const load = (body: string) => loadSettings(join(folderWith(body), 'config.yaml'), {});

/** Returns the mistake without the place of the configuration. */
const mistakeIn = (body: string): string => {
  const [mistake, ...more] = configErrorOf(() => load(body)).mistakes;
  expect([mistake?.line, mistake?.path, more]).toEqual([6, 'alerts.receivers[0].body_file', []]);
  return mistake?.message ?? '';
};

describe('a body file', () => {
  it('has its placeholders replaced', async () => {
    await using server = await FakeReceiver.start();
    const body =
      '{"text": "{{title}}", "open": {{ firing }}, "status": "is {{status}}", "labels": {{group_labels}}}';
    const settings = { type: 'webhook', template: 'custom', url: server.url, token: 'token-of-desk' };
    const file = join(folderWith(body), 'body.json');
    expect(await deliver({ ...settings, body_file: file }, STORM)).toMatchObject({ isDelivered: true });
    const [request] = server.received;
    expect(request?.headers.authorization).toBe('Bearer token-of-desk');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      text: '[warning] Low, account main: 5,000 firing (1,200 new), 30 resolved',
      ...{ open: 5_000, status: 'is firing', labels: { account: 'main', alertname: 'Low' } },
    });
  });

  it('has its placeholders replaced in a report', async () => {
    await using server = await FakeReceiver.start();
    const body =
      '{"text": "{{text}}", "key": "{{group_key}}", "of": ["{{status}}", "{{severity}}", {{firing}}], "report": {{report}}, "alerts": {{alerts}}}';
    const file = join(folderWith(body), 'body.json');
    const settings = { type: 'webhook', template: 'custom', url: server.url, body_file: file };
    const report = { title: 'A week', lines: ['Traffic: "20 GB"'], text: '', data: { account: 'main' } };
    expect(await deliver(settings, { groupKey: '{}', report })).toMatchObject({ isDelivered: true });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      ...{ text: 'A week\nTraffic: "20 GB"', key: 'A week', of: ['report', 'info', 0] },
      ...{ report: { account: 'main' }, alerts: [] },
    });
  });

  it.each([
    [
      'a placeholder that does not exist',
      '{\n"text":\n"{{descripton}}"}',
      'body.json:3: unknown placeholder {{descripton}}; did you mean {{description}}?',
    ],
    ['an empty placeholder', '{"text": "{{}}"}', 'body.json:1: unknown placeholder'],
    ['something else in braces', '{"text": "{{p@ss word}}"}', 'body.json:1: unknown placeholder'],
  ])('with %s is a mistake', (_, body, expected) => {
    expect(mistakeIn(body)).toBe(expected);
  });

  it.each([
    ['no JSON', 'Hello {{title}}'],
    ['a text without quotation marks', '{"text": {{title}}}'],
    ['a list in quotation marks', '{"text": "{{alerts}}"}'],
    ['a number that another number follows', '{"text": {{firing}}{{resolved}}}'],
    ['an escape before a text', '{"text": "\\{{title}}"}'],
    ['nothing', ''],
  ])('with %s is a mistake', (_, body) => {
    expect(mistakeIn(body)).toMatch(/^body\.json(:\d+)?: not valid JSON with the placeholders replaced\. /);
  });

  it('that does not exist is a mistake, and its content is never shown', () => {
    const config = {
      template: 'custom',
      type: 'webhook',
      url: 'https://desk.example/',
      body_file: 'none.json',
    };
    const text = JSON.stringify({
      alerts: { receivers: [config] },
      accounts: [{ name: 'main', public_key: 'public', private_key: 'private' }],
    });
    const folder = createFolder({ 'config.yaml': text });
    const { message } = configErrorOf(() => loadSettings(join(folder, 'config.yaml'), {}));
    expect(message).toContain('expected a readable file (no such file), found');
    expect(mistakeIn('{"token": "canary-token", }')).not.toContain('canary');
  });

  test('that is accepted gives valid JSON for every notification', async () => {
    await using server = await FakeReceiver.start();
    const piece = fc.oneof(
      fc.constantFrom('{', '}', '"', ':', ',', '[', ']', '\\', '0', '1', '-', '.', 'e', '\\u00', ' '),
      fc.constantFrom(
        '"{{title}}"',
        '"x": {{firing}}',
        '{{title}}',
        '{{firing}}',
        '{{alerts}}',
        '{{group_labels}}',
      ),
      fc.constantFrom('{{resolved}}', '"{{firing}}"', '{"a": ', '"\\u{{firing}}', '"\\u123{{added}}"'),
    );
    const pieces = fc.array(piece, { maxLength: 6 }).map((texts) => texts.join(''));
    const body = fc.oneof(
      pieces,
      pieces.map((text) => `[${text}]`),
      pieces.map((text) => `["${text}"]`),
    );
    const content = contentOf([alertAbout('"\\\n\u0000')], { firing: 5_000, added: 0, resolved: 123_456 });
    const file = join(createFolder({}), 'body.json');
    const settings = { type: 'webhook', template: 'custom', url: server.url, body_file: file };
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        writeFileSync(file, text);
        try {
          await deliver(settings, content);
        } catch (error) {
          if (error instanceof z.ZodError) return;
          throw error;
        }
        accepted += 1;
        expect(() => JSON.parse(server.received.at(-1)?.body ?? '')).not.toThrow();
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(5);
  });

  it('that changed is read again by a reload', async () => {
    await using server = await FakeReceiver.start();
    const low = alertNamed('Low');
    const file = join(folderWith('{"old": "{{title}}"}'), 'body.json');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'webhook', template: 'custom', url: server.url, body_file: file }],
    });
    low.subjects.set('a', 1);
    await rig.run();
    await rig.pass(MINUTE);
    writeFileSync(file, '{"new": "{{title}}"}');
    await rig.reload();
    low.subjects.set('b', 1);
    await rig.run();
    await rig.pass(6 * MINUTE);
    expect(server.received.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([['old'], ['new']]);
  });

  it('has the placeholders that the documentation lists, and its example is accepted', () => {
    const listed = tableRowsOf(textOf(PAGE)).flatMap(({ placeholder = '' }) => codeWordsOf(placeholder));
    expect(listed.toSorted()).toEqual([...PLACEHOLDERS].toSorted());
    const example = codeBlocksIn(PAGE).find(({ text }) => text.includes('{{alerts}}'))?.text ?? '';
    expect(load(example).warnings).toEqual([]);
  });
});

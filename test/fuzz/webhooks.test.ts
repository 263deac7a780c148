// Fuzzes the names in alerts: webhooks get valid JSON, and chat programs get text without markup, links and mentions.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AlertRig, alertNamed, type TestAlert } from '../alerts/alert-rig.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { anyText } from '../support/fuzzed-text.ts';

const TEMPLATES = ['json', 'slack', 'discord'] as const;

/** Returns the body that each template makes of an alert about each of the subjects. */
const bodiesFor = async (
  { rig, low, receiver }: { rig: AlertRig; low: TestAlert; receiver: FakeReceiver },
  subjects: readonly string[],
): Promise<Record<string, string>> => {
  low.subjects.clear();
  await rig.run();
  receiver.received.length = 0;
  for (const subject of subjects) low.subjects.set(subject, 7);
  await rig.run();
  return Object.fromEntries(receiver.received.map(({ path, body }) => [path.slice(1), body]));
};

const subject = fc.oneof(
  anyText(),
  fc.string({ unit: 'binary', minLength: 250, maxLength: 400 }),
  fc.constantFrom(
    '@everyone',
    '<!channel>',
    '<https://a.example|b>',
    '[a](https://b.example)',
    `x${'\u{1f600}'.repeat(200)}`,
  ),
  fc.constantFrom(
    '**b**',
    '# heading',
    '\\*',
    '```',
    '||x||',
    'http://c.example',
    '{{ .Labels.x }}',
    '<@1234>',
    '&lt;',
  ),
);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const checkJson = (body: string, subjects: readonly string[]): void => {
  const { alerts, firing } = JSON.parse(body);
  expect(firing).toBe(subjects.length);
  const told = alerts.map(({ labels, annotations }: Record<string, Record<string, unknown>>) => [
    labels?.subject,
    annotations?.summary,
  ]);
  expect(told.toSorted()).toEqual(subjects.map((each) => [each, `${each} stands at 7.`]).toSorted());
};

/** Returns the subjects in the order in which a notification lists them. */
const listedIn = (body: string): string[] =>
  JSON.parse(body).alerts.map(({ labels }: { labels: Record<string, string> }) => labels.subject);

const linesOf = (text: string): string[] => text.split('\n\n')[0]?.split('\n').slice(1) ?? [];

/** Checks the lines of a message whose markup `unescaped` removes again. */
const checkLines = (text: string, subjects: readonly string[], unescaped: (line: string) => string): void => {
  const lines = linesOf(text).filter((line) => !/^and \d+ more$/.test(line));
  for (const [index, line] of lines.entries()) {
    const whole = oneLine(`[warning] Low: ${subjects[index]} stands at 7.`);
    const shown = unescaped(line).replace(/…$/, '');
    expect(whole.startsWith(shown)).toBe(true);
    if (!line.endsWith('…')) expect(shown).toBe(whole);
  }
};

const checkSlack = (body: string, subjects: readonly string[]): void => {
  const { text, mrkdwn } = JSON.parse(body);
  expect(mrkdwn).toBe(false);
  expect(text.length).toBeLessThanOrEqual(3_000);
  expect(text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
  const unescaped = (line: string): string =>
    line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  checkLines(text, subjects, unescaped);
};

const checkDiscord = (body: string, subjects: readonly string[]): void => {
  const { content, allowed_mentions } = JSON.parse(body);
  expect(allowed_mentions).toEqual({ parse: [] });
  expect(content.length).toBeLessThanOrEqual(2_000);
  for (const line of linesOf(content)) expect(line.replaceAll(/\\./gu, '')).not.toMatch(/[*_~`|<>#@[\]()]/);
  checkLines(content, subjects, (line) => line.replaceAll(/\\(.)/gu, '$1'));
};

it(
  'webhooks get every name unchanged, and no name becomes markup',
  async () => {
    await using receiver = await FakeReceiver.start();
    const low = alertNamed('Low');
    const hooks = TEMPLATES.map((name) => ({
      type: 'webhook',
      ...UNGROUPED,
      name,
      template: name,
      url: `${receiver.url}/${name}`,
    }));
    await using rig = await AlertRig.start([low], { receivers: hooks, docs_url: 'https://docs.example/' });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(subject, { minLength: 1, maxLength: 8 }), async (subjects) => {
        const { json = '', slack = '', discord = '' } = await bodiesFor({ rig, low, receiver }, subjects);
        // Strict parsers refuse half a character, also if it is escaped.
        for (const body of [json, slack, discord]) {
          if (subjects.every((each) => each.isWellFormed())) expect(body).not.toMatch(/\\ud[89a-f]/i);
        }
        checkJson(json, subjects);
        checkSlack(slack, listedIn(json));
        checkDiscord(discord, listedIn(json));
      }),
      cases(100),
    );
  },
  FUZZ_TIMEOUT,
);

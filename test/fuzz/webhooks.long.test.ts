// Fuzzes the names in alerts: every service gets a body in its format, and no name becomes markup, a link or a mention.

import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NotificationContent } from '../../src/alerts/notification.ts';
import { alertAbout, contentOf, deliver, ended, receiverFor } from '../alerts/template-support.ts';
import { createFolder } from '../config/support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { anyText } from '../support/fuzzed-text.ts';
import { mistakesOf, type Service } from '../support/service-formats.ts';

let server: FakeReceiver;
beforeAll(async () => {
  server = await FakeReceiver.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const CUSTOM_BODY = `{
  "{{receiver}}": "{{ title }} | {{text}} | {{severity}}{{status}}", "key": "{{group_key}}",
  "counts": [{{firing}}, {{added}}, {{risen}}, {{resolved}}, {{truncated_alerts}}, "{{firing}}"],
  "links": "{{runbook_url}} {{status_page_url}} {{dashboard_url}}", "description": "{{description}}",
  "labels": {{group_labels}}, "alerts": {{ alerts }}
}`;

const name = fc.oneof(
  anyText(),
  fc.string({ unit: 'binary', minLength: 250, maxLength: 400 }),
  fc.constantFrom(
    ...['@everyone', '@proxy_team', '<!channel>', '<@1234>', '<https://a.example|b>', '#tag', '/start'],
    ...['[a](https://b.example)', 'http://c.example', 'd.example', `x${'\u{1f600}'.repeat(200)}`],
  ),
  fc.constantFrom(
    ...['**b**', '# heading', '\\*', '```', '||x||', '{{ .Labels.x }}', '{{title}}', '&lt;'],
    ...['{{DATE(2026-07-06T12:00:00Z)}}', '{{{DATE(2026-07-06T12:00:00Z)}}}', '<at>user</at>'],
  ),
);

/** Notifications whose names are any texts: of subjects, groups and summaries. */
const content: fc.Arbitrary<NotificationContent> = fc
  .record({
    firing: fc.array(name, { maxLength: 8 }),
    resolved: fc.array(name, { maxLength: 3 }),
    group: fc.option(name),
    more: fc.nat({ max: 5_000 }),
  })
  .filter(({ firing, resolved }) => firing.length + resolved.length > 0)
  .map(({ firing, resolved, group, more }) =>
    contentOf([...firing.map((subject) => alertAbout(subject)), ...resolved.map(ended)], {
      groupKey: JSON.stringify({ subject: group }),
      groupLabels: group === null ? {} : { alertname: 'Low', subject: group },
      ...(firing.length > 0 && { firing: firing.length + more, added: more }),
      risen: more,
      resolved: resolved.length,
    }),
  );

const bodyFor = async (receiver: Record<string, unknown>, told: NotificationContent): Promise<string> => {
  server.received.length = 0;
  await deliver(receiver, told);
  return server.received[0]?.body ?? '';
};

const namesIn = ({ alerts, groupLabels }: NotificationContent): string[] => [
  ...alerts.map(({ labels }) => labels.subject ?? ''),
  groupLabels.subject ?? '',
];

/** The parts of a message in which a name could become active, by service. */
const CHECKS: Readonly<Record<Service | 'custom', (body: string, told: NotificationContent) => void>> = {
  json: (body, { alerts, firing, resolved }) => {
    const parsed = JSON.parse(body);
    expect([parsed.firing, parsed.resolved]).toEqual([firing, resolved]);
    expect(parsed.alerts.map(({ labels }: { labels: object }) => labels)).toEqual(
      alerts.map(({ alert, severity, labels }) => ({ alertname: alert, severity, ...labels })),
    );
  },
  slack: (body) => expect(JSON.parse(body).mrkdwn).toBe(false),
  discord: (body) => {
    const { content: text, allowed_mentions } = JSON.parse(body);
    expect(allowed_mentions).toEqual({ parse: [] });
    const [head] = text.split('\n\n');
    expect(head.replaceAll(/\\./gu, '')).not.toMatch(/[*_~`|<>#@[\]():]/);
  },
  // A TextRun has no Markdown, and a mention needs an entity. Only its functions are left.
  teams: (body) => {
    expect(body).not.toContain('{{');
    expect(JSON.parse(body).attachments[0].content.msteams).toEqual({ width: 'Full' });
  },
  // Names are in a block of code, where Telegram finds no entities.
  telegram: (body, told) => {
    const { text, entities } = JSON.parse(body);
    expect(entities).toHaveLength(1);
    expect(entities[0].offset).toBe(0);
    expectNoNames(text.slice(entities[0].length), told);
  },
  pagerduty: (body) => expect(JSON.parse(body).event_action).toMatch(/^(trigger|resolve)$/),
  ntfy: (body) => expect(JSON.parse(body).markdown).toBe(undefined),
  custom: (body, told) => {
    const { counts, labels, alerts, key } = JSON.parse(body);
    const { firing, added, risen, resolved, groupLabels, groupKey } = told;
    expect(counts.slice(0, 4)).toEqual([firing, added, risen, resolved]);
    expect([labels, key]).toEqual([groupLabels, groupKey]);
    expect(alerts.map((alert: { labels: { subject: string } }) => alert.labels.subject)).toEqual(
      told.alerts.map((alert) => alert.labels.subject),
    );
  },
};

const LINKS_AND_DESCRIPTION =
  /^(?:\n\nStatus page: \S+\nDashboard: \S+)?(?:\n\nLow: It is low\.[^@#]*\nRunbook: \S+#low)?$/;

const expectNoNames = (rest: string, told: NotificationContent): void => {
  expect(rest).toMatch(LINKS_AND_DESCRIPTION);
  const long = namesIn(told).filter(({ length }) => length > 20);
  expect(long.filter((each) => rest.includes(each))).toEqual([]);
};

test.each(Object.keys(CHECKS) as (keyof typeof CHECKS)[])(
  'no name becomes markup or a mention, and the body stays in the format of %s',
  async (service) => {
    const file = join(createFolder({ 'body.json': CUSTOM_BODY }), 'body.json');
    const settings = {
      ...receiverFor(service, server.url),
      ...(service === 'custom' && { body_file: file }),
    };
    await fc.assert(
      fc.asyncProperty(content, async (told) => {
        const body = await bodyFor(settings, told);
        if (service !== 'custom') expect(mistakesOf(service, body)).toBe('');
        // Strict parsers refuse half a character, also if it is escaped.
        if (namesIn(told).every((each) => each.isWellFormed())) expect(body).not.toMatch(/\\ud[89a-f]/i);
        CHECKS[service](body, told);
      }),
      cases(100),
    );
  },
  FUZZ_TIMEOUT,
);

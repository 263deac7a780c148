// Tests the templates of webhooks: each is received by a server that checks the format of the service.

import { describe, expect, it, test } from 'vitest';
import type { NotificationContent, ReportContent, ReportMessage } from '../../src/alerts/notification.ts';
import { reportText, reportTitle, shortReport } from '../../src/daemon/report/report-text.ts';
import { FakeReceiver, type Received } from '../support/fake-receiver.ts';
import { REPORT } from '../support/reports.ts';
import { mistakesOf, SERVICE_FORMATS, type Service, statusFor } from '../support/service-formats.ts';
import { DESCRIPTION } from './alert-rig.ts';
import {
  alertAbout,
  contentOf,
  deliver,
  ended,
  KINDS,
  ROUTING_KEY,
  receiverFor,
  STORM,
} from './template-support.ts';

const SERVICES = Object.keys(SERVICE_FORMATS) as Service[];

const LONG = 'x'.repeat(700);
/** Notifications of every kind, with names that fill the limits. */
const CONTENTS = {
  'one alert': contentOf([alertAbout('a')]),
  'a storm': STORM,
  'the end of all': contentOf([ended('a'), ended('b')]),
  'several alerts in one group': contentOf(
    [alertAbout('a'), alertAbout('b', { alert: 'High', severity: 'critical' })],
    {
      ...{ groupKey: '{}', groupLabels: {} },
    },
  ),
  'alerts about the daemon': contentOf([alertAbout('a', { labels: {} })], {
    groupLabels: { alertname: 'Low' },
  }),
  'long names of three bytes each': contentOf(
    Array.from({ length: 100 }, (_, index) => alertAbout(`${index}${'語'.repeat(500)}`)),
    { groupLabels: { alertname: 'Low', subject: '語'.repeat(500) } },
  ),
  'long names that must be escaped': contentOf(
    Array.from({ length: 100 }, (_, index) => alertAbout(`${index}${'*&\u0001'.repeat(200)}`)),
    { groupLabels: { alertname: 'Low', subject: '*&\u0001'.repeat(200) } },
  ),
  'many kinds of alerts': contentOf(
    KINDS.slice(-100).map((alert) => alertAbout(alert, { alert })),
    { groupLabels: {} },
  ),
  'another version': contentOf([alertAbout(LONG, { alert: 'Unknown', severity: 'page' })]),
};

/** Sends the notification to a server of the service, and returns the request. */
const received = async (
  service: Service,
  content: NotificationContent | ReportContent = CONTENTS['one alert'],
  more = {},
): Promise<Received> => {
  await using server = await FakeReceiver.start();
  server.statusOf = (body) => statusFor(service, body);
  const delivery = await deliver({ ...receiverFor(service, server.url), ...more }, content);
  const [request] = server.received;
  expect(mistakesOf(service, request?.body ?? '')).toBe('');
  expect(delivery).toEqual({ isDelivered: true, reply: 'answered 200' });
  return request as Received;
};

const bodyOf = async (...args: Parameters<typeof received>) => JSON.parse((await received(...args)).body);

describe.each(SERVICES)('%s', (service) => {
  it.each(Object.keys(CONTENTS) as (keyof typeof CONTENTS)[])(
    'accepts a notification about %s',
    async (name) => {
      const { method, headers } = await received(service, CONTENTS[name]);
      expect([method, headers['content-type']]).toEqual(['POST', 'application/json']);
    },
  );
});

const STORM_TEXT = [
  '[warning] Low, account main: 5,000 firing (1,200 new), 30 resolved',
  ...Array.from({ length: 5 }, (_, index) => `user-${index} stands at 1.`),
  'and 5,025 more',
].join('\n');
const LINKS_TEXT =
  'Status page: https://proxywatch.example/?account=main\nDashboard: https://grafana.example/d/a_b';
const RUNBOOK = 'Runbook: https://docs.example/proxywatch/alerts.html#low';

describe('the text of a message', () => {
  it('has the counts, the first five subjects, the links and the description once', async () => {
    const { text } = await bodyOf('slack', STORM);
    expect(text).toBe([STORM_TEXT, LINKS_TEXT, `Low: ${DESCRIPTION}\n${RUNBOOK}`].join('\n\n'));
  });

  it.each([
    ['all are new', { firing: 1, added: 1, resolved: 0 }, '1 firing'],
    ['none is new', { firing: 12_345, added: 0, resolved: 0 }, '12,345 still firing'],
    ['one of them rose', { firing: 2, added: 0, risen: 1, resolved: 0 }, '2 firing (1 risen)'],
    [
      'some rose and some are new',
      { firing: 5_000, added: 2, risen: 1_000 },
      '5,000 firing (2 new, 1,000 risen)',
    ],
    ['all are new or rose', { firing: 1, added: 0, risen: 1, resolved: 3 }, '1 firing (1 risen), 3 resolved'],
    ['some ended', { firing: 2, added: 0, resolved: 1_000 }, '2 still firing, 1,000 resolved'],
  ])('says that %s', async (_, counts, expected) => {
    const { text } = await bodyOf('slack', contentOf([alertAbout('a')], counts));
    expect(text.split('\n')[0]).toBe(`[warning] Low, account main: ${expected}`);
  });

  it('has no description when nothing fires any more', async () => {
    const { text } = await bodyOf('slack', contentOf([ended('a')]));
    expect(text).toBe(
      `[resolved] Low, account main: 1 resolved\nuntil 12:01 UTC: a stands at 1.\n\n${LINKS_TEXT}`,
    );
  });

  it('names severity and alert where they differ from the group', async () => {
    const alerts = [
      alertAbout('a', { severity: 'critical' }),
      alertAbout('b', { alert: 'High' }),
      ended('c'),
    ];
    const { text } = await bodyOf('slack', contentOf(alerts, { groupLabels: {} }));
    expect(text.split('\n\n')[0].split('\n')).toEqual([
      '[critical] proxywatch: 2 firing, 1 resolved',
      ...[
        'Low: a stands at 1.',
        '[warning] High: b stands at 1.',
        '[resolved] Low: until 12:01 UTC: c stands at 1.',
      ],
    ]);
  });

  it('leaves out lines that do not fit, and counts them', async () => {
    const { content } = await bodyOf(
      'discord',
      contentOf(CONTENTS['long names that must be escaped'].alerts),
    );
    const [head = ''] = content.split('\n\n');
    const lines = head.split('\n');
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.at(-1)).toBe(`and ${100 - (lines.length - 2)} more`);
  });

  it('has the links and the description however long the names are', async () => {
    for (let length = 100; length <= 300; length += 10) {
      const alerts = Array.from({ length: 5 }, (_, index) => alertAbout(`${index}${'*'.repeat(length)}`));
      const { content } = await bodyOf('discord', contentOf(alerts));
      expect(content).toContain('Dashboard: <https://grafana.example/d/a_b>');
      expect(content).toContain('It is low.');
    }
  });

  it('of an older version, without a group, is sent', async () => {
    const { text } = await bodyOf('slack', contentOf([alertAbout('a')], { groupKey: '', groupLabels: {} }));
    expect(text).toMatch(/^\[warning\] proxywatch: 1 firing\nLow: a stands at 1\./);
  });
});

describe('the request to', () => {
  it('discord turns off mentions, and shows no preview of links', async () => {
    const { content, allowed_mentions } = await bodyOf('discord', contentOf([alertAbout('@everyone *x*')]));
    expect(allowed_mentions).toEqual({ parse: [] });
    expect(content).toContain('\\@everyone \\*x\\* stands at 1.');
    expect(content).toContain('<https://proxywatch.example/?account=main>');
  });

  it('teams has the links as buttons', async () => {
    const { attachments } = await bodyOf('teams', STORM);
    const { body, actions } = attachments[0].content;
    expect(body[0].inlines).toEqual([{ type: 'TextRun', text: STORM_TEXT.split('\n')[0], weight: 'Bolder' }]);
    expect(actions.map(({ title }: { title: string }) => title)).toEqual([
      ...['Status page', 'Dashboard', 'Runbook of Low'],
    ]);
    expect(JSON.stringify(body)).not.toContain('https://');
  });

  it('telegram goes to the chat, with the names in a block without markup', async () => {
    const { path } = await received('telegram');
    expect(path).toBe('/bot123456:token-of-bot/sendMessage');
    const { chat_id, text, entities } = await bodyOf('telegram', STORM, { chat_id: '@proxy_team' });
    expect(chat_id).toBe('@proxy_team');
    expect(text.slice(0, entities[0].length)).toBe(STORM_TEXT);
  });

  it('pagerduty triggers, updates and resolves one incident of the group', async () => {
    const first = await bodyOf('pagerduty', contentOf([alertAbout('a', { severity: 'critical' })]));
    const update = await bodyOf('pagerduty', contentOf([ended('a'), alertAbout('b')]));
    const repeated = await bodyOf('pagerduty', contentOf([alertAbout('b')], { added: 0 }));
    const last = await bodyOf('pagerduty', contentOf([ended('b')]));
    const other = await bodyOf(
      'pagerduty',
      contentOf([alertAbout('a')], { groupKey: '{"account":"other"}' }),
    );
    expect([first, update, repeated, last].map(({ event_action }) => event_action)).toEqual([
      ...['trigger', 'trigger', 'trigger', 'resolve'],
    ]);
    const keys = [first, update, repeated, last, other].map(({ dedup_key }) => dedup_key);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
    expect(first).toMatchObject({
      routing_key: ROUTING_KEY,
      payload: {
        severity: 'critical',
        source: 'main',
        class: 'Low',
        summary: '[critical] Low, account main: 1 firing',
      },
    });
    expect(update.payload.severity).toBe('warning');
    const silenced = await bodyOf('pagerduty', contentOf([ended('b')], { silenced: 1 }));
    expect(silenced).toEqual({
      routing_key: ROUTING_KEY,
      event_action: 'resolve',
      dedup_key: first.dedup_key,
    });
    const partly = contentOf([ended('b'), alertAbout('c', { severity: 'info' })], { silenced: 1 });
    expect(await bodyOf('pagerduty', partly)).toMatchObject({
      event_action: 'trigger',
      payload: { severity: 'info', custom_details: { firing: 1, silenced: 1, resolved: 1 } },
    });
    const unknown = await bodyOf('pagerduty', CONTENTS['another version']);
    expect(unknown.payload.severity).toBe('error');
  });

  it('ntfy names the topic in the body, and has a token', async () => {
    const { path, headers, body } = await received('ntfy', STORM);
    expect([path, headers.authorization]).toEqual(['/', 'Bearer tk_token-of-ntfy']);
    const [title, ...lines] = STORM_TEXT.split('\n');
    expect(JSON.parse(body)).toMatchObject({
      ...{ topic: 'alerts_topic', title, priority: 4, tags: ['warning'] },
      click: 'https://proxywatch.example/?account=main',
      message: expect.stringMatching(new RegExp(`^${lines.join('\n')}\n\n`)),
    });
    const resolved = await bodyOf('ntfy', contentOf([ended('a')]));
    expect(resolved).toMatchObject({ priority: 3, tags: ['white_check_mark'] });
  });

  it('json has up to 100 alerts and the group', async () => {
    const body = await bodyOf('json', STORM);
    expect(body).toMatchObject({
      ...{ receiver: 'json', status: 'firing', firing: 5_000, added: 1_200, risen: 0, resolved: 30 },
      ...{ truncatedAlerts: 4_930, groupLabels: { account: 'main', alertname: 'Low' } },
    });
    expect(body.alerts).toHaveLength(100);
  });
});

describe('a report', () => {
  const message = (part: Partial<ReportMessage> = {}): ReportContent => ({
    groupKey: '{"account":"main","report":"week"}',
    report: {
      title: reportTitle(REPORT),
      lines: shortReport(REPORT),
      text: reportText(REPORT),
      data: REPORT,
      ...part,
    },
  });
  const REPORTING = SERVICES.filter((service) => service !== 'pagerduty');

  it.each(REPORTING)('has the golden text of %s', async (service) => {
    const { body } = await received(service, message());
    await expect(`${JSON.stringify(JSON.parse(body), null, 2)}\n`).toMatchFileSnapshot(
      `../golden/reports/${service}.txt`,
    );
  });

  it.each(REPORTING)('with names of strangers stays within the limits of %s', async (service) => {
    const lines = Array.from({ length: 200 }, (_, index) =>
      `${index} <@all> *&\u0001語{{DATE(x)}}`.repeat(10),
    );
    const { body } = await received(service, message({ lines, title: '<!channel> @everyone' }));
    if (service === 'slack') expect(body).toMatch(/and \d+ more lines/);
  });
});

describe('an answer that rejects a setting', () => {
  const rejected = async (service: Service, status: number, body: string) => {
    await using server = await FakeReceiver.start();
    [server.status, server.answer] = [status, body];
    return await deliver(receiverFor(service, server.url), CONTENTS['one alert']);
  };

  it.each([
    ['telegram', 400, '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}'],
    ['pagerduty', 400, '{"status":"invalid event","errors":["Length of \'routing_key\' is incorrect"]}'],
    ['ntfy', 401, '{"code":40101,"http":401,"error":"unauthorized"}'],
  ] as const)('of %s is not final', async (service, status, body) => {
    expect(await rejected(service, status, body)).toMatchObject({
      ...{ isDelivered: false, isFinal: false, reason: `answered ${status}`, answer: body },
    });
  });

  it.each([
    ['telegram', '{"ok":false,"error_code":400,"description":"Bad Request: message is too long"}'],
    ['pagerduty', '{"status":"invalid event","errors":["\'payload.summary\' is missing or blank"]}'],
    ['slack', 'invalid_payload'],
  ] as const)('of %s is final if it rejects the content', async (service, body) => {
    expect(await rejected(service, 400, body)).toMatchObject({ isFinal: true, answer: body });
  });

  test.each([
    ['telegram', 'bad token 123456:token-of-bot'],
    ['telegram', 'bad token TOKEN-OF-BOT'],
    ['pagerduty', `no service has ${ROUTING_KEY}`],
    ['ntfy', `{"topic":"alerts_topic"}`],
    ['ntfy', Buffer.from('tk_token-of-ntfy').toString('base64')],
  ] as const)('of %s is not shown if it quotes a secret: %s', async (service, body) => {
    const delivery = await rejected(service, 400, body);
    expect(delivery).toMatchObject({ answer: 'the answer is not shown because it quotes credentials' });
  });
});

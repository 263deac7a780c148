// Sends notifications through the receivers of a configuration, without a daemon.

import { type Annotate, annotator } from '../../src/alerts/annotations.ts';
import type { AlertDescription, NotificationContent, ReportContent } from '../../src/alerts/notification.ts';
import { isRouted, receiverOptions } from '../../src/alerts/receivers/options.ts';
import type { Delivery, Transport } from '../../src/alerts/receivers/receiver.ts';
import { createNotificationTransport } from '../../src/alerts/receivers/receivers.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import type { Service } from '../support/service-formats.ts';
import { alertNamed } from './alert-rig.ts';

export const ROUTING_KEY = '0123456789abcdef0123456789abcdef';
export const LINKS = {
  docsUrl: 'https://docs.example/proxywatch',
  externalUrl: 'https://proxywatch.example/',
  dashboardUrl: 'https://grafana.example/d/a_b',
};

/** The names of alerts that have descriptions. */
export const KINDS = ['Low', 'High', ...Array.from({ length: 100 }, (_, index) => `Kind${index}`)];
const ALERTS = KINDS.map((name) => alertNamed(name));

const annotate: Annotate = annotator(ALERTS, () => LINKS);

/** The settings that a receiver of the service needs. */
export const receiverFor = (service: Service | 'custom', url: string): Record<string, unknown> => {
  const base = { type: 'webhook', name: service, template: service };
  switch (service) {
    case 'telegram':
      return { ...base, url: `${url}/bot123456:token-of-bot/sendMessage`, chat_id: -1001234567890 };
    case 'pagerduty':
      return { ...base, url: `${url}/v2/enqueue`, routing_key: ROUTING_KEY };
    case 'ntfy':
      return { ...base, url: `${url}/alerts_topic`, token: 'tk_token-of-ntfy' };
    default:
      return { ...base, url: `${url}/${service}` };
  }
};

/** Creates what sends notifications to a receiver with these settings. */
export const transportFor = (
  settings: Record<string, unknown>,
  { clock = systemClock, log = silentLog }: { clock?: Clock; log?: Log } = {},
): Transport => {
  const [options] = receiverOptions.parse([settings]);
  if (!options || !isRouted(options)) throw new Error('this receiver gets no notifications');
  const context = { clock, log, userAgent: 'proxywatch/test', annotate };
  return createNotificationTransport(options, context);
};

/** Sends the notification through a receiver with these settings. */
export const deliver = async (
  settings: Record<string, unknown>,
  content: NotificationContent | ReportContent,
  id = 'id-1',
): Promise<Delivery | undefined> => {
  await using transport = transportFor(settings);
  return await transport.send({ id, content });
};

const START = Date.parse('2026-07-06T12:00:00Z');

export const alertAbout = (subject: string, part: Partial<AlertDescription> = {}): AlertDescription => ({
  ...{ alert: 'Low', severity: 'warning', labels: { account: 'main', subject }, value: 1 },
  ...{ summary: `${subject} stands at 1.`, startsAt: START, endsAt: null },
  ...part,
});

export const ended = (subject: string): AlertDescription => alertAbout(subject, { endsAt: START + 60_000 });

/** A notification about the group of the alert Low of the account main. */
export const contentOf = (
  alerts: readonly AlertDescription[],
  part: Partial<NotificationContent> = {},
): NotificationContent => {
  const firing = alerts.filter(({ endsAt }) => endsAt === null).length;
  return {
    groupKey: '{"account":"main","alertname":"Low"}',
    groupLabels: { account: 'main', alertname: 'Low' },
    ...{ firing, silenced: 0, added: firing, risen: 0, resolved: alerts.length - firing, alerts },
    ...part,
  };
};

const named = (start: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${start}-${index}`);

/** 5,000 alerts fire, 1,200 of them are new, and 30 have ended. */
export const STORM = contentOf(
  [...named('user', 70).map((name) => alertAbout(name)), ...named('old', 30).map(ended)],
  {
    ...{ firing: 5_000, added: 1_200, resolved: 30 },
  },
);

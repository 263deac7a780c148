// Renders the bodies of webhooks: proxywatch's own JSON, and the formats of Slack's and Discord's incoming webhooks.

import { cutText } from '../../lib/cut-text.ts';
import type { Annotate } from '../annotations.ts';
import type { AlertDescription, NotificationContent } from '../notification.ts';
import type { WebhookOptions } from './options.ts';

/** The rules of a chat program for texts. */
interface TextFormat {
  /** The most characters of a message. */
  readonly length: number;
  /** Turns off markup and mentions in a text. */
  readonly escape: (text: string) => string;
  readonly link: (url: string) => string;
}

/** The most characters of one line, so that one alert leaves space for the others. */
const LINE_LENGTH = 300;

/** A notification with the name of its receiver. */
export interface ReceiverNotification extends NotificationContent {
  readonly receiver: string;
}

export const bodyOf = (
  template: WebhookOptions['template'],
  notification: ReceiverNotification,
  annotate: Annotate,
): string => {
  switch (template) {
    case 'slack':
      // Markup is off, because a name may contain an asterisk.
      return JSON.stringify({ text: textOf(notification, annotate, SLACK), mrkdwn: false });
    case 'discord':
      return JSON.stringify({
        content: textOf(notification, annotate, DISCORD),
        allowed_mentions: { parse: [] },
      });
    default:
      return JSON.stringify(jsonOf(notification, annotate));
  }
};

const jsonOf = (
  { receiver, groupKey, groupLabels, firing, added, resolved, alerts }: ReceiverNotification,
  annotate: Annotate,
): object => ({
  version: '2',
  receiver,
  groupKey,
  groupLabels,
  status: firing > 0 ? 'firing' : 'resolved',
  firing,
  added,
  resolved,
  truncatedAlerts: firing + resolved - alerts.length,
  alerts: alerts.map((alert) => ({
    status: isFiring(alert) ? 'firing' : 'resolved',
    labels: { alertname: alert.alert, severity: alert.severity, ...alert.labels },
    annotations: annotate(alert),
    value: alert.value,
    startsAt: new Date(alert.startsAt).toISOString(),
    endsAt: alert.endsAt === null ? null : new Date(alert.endsAt).toISOString(),
  })),
});

const isFiring = ({ endsAt }: AlertDescription): boolean => endsAt === null;

/** Returns a line for each alert, then the links and a description of each kind of alert, as many as fit. */
const textOf = (notification: NotificationContent, annotate: Annotate, format: TextFormat): string => {
  const blocks = blocksOf(notification.alerts.filter(isFiring), annotate, format);
  const wanted = blocks.reduce((sum, block) => sum + block.length + 2, 0);
  const linesLength = Math.max(format.length / 2, format.length - wanted);
  let text = linesOf(notification, linesLength, format).join('\n');
  for (const block of blocks) if (text.length + block.length + 2 <= format.length) text += `\n\n${block}`;
  return text;
};

const linesOf = (
  { firing, resolved, alerts }: NotificationContent,
  length: number,
  { escape: escapeText }: TextFormat,
): string[] => {
  const counts = [firing > 0 ? `${firing} firing` : [], resolved > 0 ? `${resolved} resolved` : []].flat();
  const lines = [`proxywatch: ${counts.join(', ')}`];
  const rest = (): string => `and ${firing + resolved - lines.length + 1} more`;
  let left = length - (lines[0]?.length ?? 0);
  for (const alert of alerts) {
    const line = escapeText(shorten(lineOf(alert)));
    left -= line.length + 1;
    if (left < rest().length + 1) break;
    lines.push(line);
  }
  if (lines.length <= firing + resolved) lines.push(rest());
  return lines;
};

const lineOf = (alert: AlertDescription): string =>
  `[${isFiring(alert) ? alert.severity : 'resolved'}] ${alert.alert}: ${alert.summary}`;

/** Returns the links that all alerts share, and a block for each kind of alert. */
const blocksOf = (
  alerts: readonly AlertDescription[],
  annotate: Annotate,
  { escape: escapeText, link }: TextFormat,
): string[] => {
  const kinds = [...Map.groupBy(alerts, ({ alert }) => alert)].flatMap(([, [first]]) => first ?? []);
  const described = kinds.map((alert) => ({ ...annotate(alert), name: alert.alert }));
  const { status_page_url: page, dashboard_url: dashboard } = described[0] ?? {};
  const links = [
    ...(page === undefined ? [] : [`Status page: ${link(page)}`]),
    ...(dashboard === undefined ? [] : [`Dashboard: ${link(dashboard)}`]),
  ];
  return [
    ...(links.length === 0 ? [] : [links.join('\n')]),
    ...described.flatMap(({ name, description, runbook_url: runbook }) => {
      if (description === undefined) return [];
      return `${escapeText(`${name}: ${description}`)}${runbook === undefined ? '' : `\nRunbook: ${link(runbook)}`}`;
    }),
  ];
};

const shorten = (line: string): string => {
  const text = line.replaceAll(/\s+/g, ' ');
  return text.length > LINE_LENGTH ? `${cutText(text, LINE_LENGTH - 1)}…` : text;
};

const SLACK_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escapeSlack = (text: string): string =>
  text.replaceAll(/[&<>]/g, (char) => SLACK_ENTITIES[char] ?? char);

/** Slack truncates longer texts. */
const SLACK: TextFormat = { length: 3_000, escape: escapeSlack, link: escapeSlack };

/** Discord rejects texts of more than 2,000 characters. Without the brackets it would show a preview of the link. */
const DISCORD: TextFormat = {
  length: 1_900,
  escape: (text) => text.replaceAll(/[\\*_~`|<>[\]()#@:]/g, '\\$&'),
  link: (url) => `<${url}>`,
};

// Renders the bodies of webhooks: proxywatch's own JSON, and the formats of Slack's and Discord's incoming webhooks.

import type { AlertDescription, NotificationContent } from '../notification.ts';
import type { WebhookOptions } from './options.ts';

/** Slack truncates longer texts, and Discord rejects them. */
const SLACK_LENGTH = 3_000;
const DISCORD_LENGTH = 1_900;
/** The most characters of one line, so that one alert leaves space for the others. */
const LINE_LENGTH = 300;

export const bodyOf = (template: WebhookOptions['template'], notification: NotificationContent): string => {
  switch (template) {
    case 'slack':
      // Markup is off, because a name may contain an asterisk.
      return JSON.stringify({ text: textOf(notification, escapeSlack, SLACK_LENGTH), mrkdwn: false });
    case 'discord':
      return JSON.stringify({
        content: textOf(notification, escapeDiscord, DISCORD_LENGTH),
        allowed_mentions: { parse: [] },
      });
    default:
      return JSON.stringify(jsonOf(notification));
  }
};

const jsonOf = ({ firing, resolved, alerts }: NotificationContent): object => ({
  version: '1',
  status: firing > 0 ? 'firing' : 'resolved',
  firing,
  resolved,
  truncatedAlerts: firing + resolved - alerts.length,
  alerts: alerts.map((alert) => ({
    status: statusOf(alert),
    labels: { alertname: alert.alert, severity: alert.severity, ...alert.labels },
    annotations: { summary: alert.summary, runbook_url: alert.runbook },
    value: alert.value,
    startsAt: new Date(alert.startsAt).toISOString(),
    endsAt: alert.endsAt === null ? null : new Date(alert.endsAt).toISOString(),
  })),
});

const statusOf = ({ endsAt }: AlertDescription): string => (endsAt === null ? 'firing' : 'resolved');

/** Returns a line for each alert, as many as fit into `length`. */
const textOf = (
  { firing, resolved, alerts }: NotificationContent,
  escapeText: (text: string) => string,
  length: number,
): string => {
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
  return lines.join('\n');
};

const lineOf = ({ alert, severity, labels, summary, endsAt }: AlertDescription): string => {
  const account = labels.account === undefined ? '' : ` (${labels.account})`;
  return `${endsAt === null ? `[${severity}]` : '[resolved]'} ${alert}${account}: ${summary}`;
};

const shorten = (line: string): string => {
  const text = line.replaceAll(/\s+/g, ' ');
  return text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH - 1)}…` : text;
};

const SLACK_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escapeSlack = (text: string): string =>
  text.replaceAll(/[&<>]/g, (char) => SLACK_ENTITIES[char] ?? char);

const escapeDiscord = (text: string): string => text.replaceAll(/[\\*_~`|<>[\]()#@:]/g, '\\$&');

// Bodies of webhooks: our own JSON, and what the incoming webhooks of Slack and Discord take.

import type { Notice, Told } from '../notice.ts';
import type { WebhookOptions } from './options.ts';

/** Slack cuts longer texts short, Discord refuses them. */
const SLACK_LENGTH = 3_000;
const DISCORD_LENGTH = 1_900;
/** One alert among many leaves room for others. */
const LINE_LENGTH = 300;

export const bodyOf = (template: WebhookOptions['template'], notice: Notice): string => {
  switch (template) {
    case 'slack':
      // Not as markup: a name may have an asterisk in it.
      return JSON.stringify({ text: textOf(notice, escapeSlack, SLACK_LENGTH), mrkdwn: false });
    case 'discord':
      return JSON.stringify({
        content: textOf(notice, escapeDiscord, DISCORD_LENGTH),
        allowed_mentions: { parse: [] },
      });
    default:
      return JSON.stringify(jsonOf(notice));
  }
};

const jsonOf = ({ firing, resolved, alerts }: Notice): object => ({
  version: '1',
  status: firing > 0 ? 'firing' : 'resolved',
  firing,
  resolved,
  truncatedAlerts: firing + resolved - alerts.length,
  alerts: alerts.map((told) => ({
    status: statusOf(told),
    labels: { alertname: told.alert, severity: told.severity, ...told.labels },
    annotations: { summary: told.summary, runbook_url: told.runbook },
    value: told.value,
    startsAt: new Date(told.startsAt).toISOString(),
    endsAt: told.endsAt === null ? null : new Date(told.endsAt).toISOString(),
  })),
});

const statusOf = ({ endsAt }: Told): string => (endsAt === null ? 'firing' : 'resolved');

/** A line for each alert, as many as there is room for. */
const textOf = (
  { firing, resolved, alerts }: Notice,
  escaped: (text: string) => string,
  length: number,
): string => {
  const counts = [firing > 0 ? `${firing} firing` : [], resolved > 0 ? `${resolved} resolved` : []].flat();
  const lines = [`proxywatch: ${counts.join(', ')}`];
  const rest = (): string => `and ${firing + resolved - lines.length + 1} more`;
  let left = length - (lines[0]?.length ?? 0);
  for (const told of alerts) {
    const line = escaped(shortened(lineOf(told)));
    left -= line.length + 1;
    if (left < rest().length + 1) break;
    lines.push(line);
  }
  if (lines.length <= firing + resolved) lines.push(rest());
  return lines.join('\n');
};

const lineOf = ({ alert, severity, labels, summary, endsAt }: Told): string => {
  const account = labels.account === undefined ? '' : ` (${labels.account})`;
  return `${endsAt === null ? `[${severity}]` : '[resolved]'} ${alert}${account}: ${summary}`;
};

const shortened = (line: string): string => {
  const text = line.replaceAll(/\s+/g, ' ');
  return text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH - 1)}…` : text;
};

const SLACK_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escapeSlack = (text: string): string =>
  text.replaceAll(/[&<>]/g, (char) => SLACK_ENTITIES[char] ?? char);

const escapeDiscord = (text: string): string => text.replaceAll(/[\\*_~`|<>[\]()#@:]/g, '\\$&');

// The template `slack`: a message for an incoming webhook.
// Format: https://api.slack.com/messaging/webhooks, https://api.slack.com/reference/surfaces/formatting#escaping

import { jsonAnswer, type Template, type TemplateContext, type TemplateRequest } from './template.ts';
import { reportTextOf, type TextFormat, textOf } from './text.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack reads links and mentions only between angle brackets. */
const escapeSlack = (text: string): string => text.replaceAll(/[&<>]/g, (char) => ENTITIES[char] ?? char);

/** Slack splits texts of more than 4,000 characters, and truncates texts of more than 40,000. */
const FORMAT: TextFormat = { maxSize: 3_000, escape: escapeSlack, link: escapeSlack };

export const slack: Template = {
  request: (content, { options, annotate }) => requestOf(textOf(content, annotate, FORMAT), options),
  requestReport: (report, { options }) => requestOf(reportTextOf(report, FORMAT), options),
  /** An incoming webhook answers with the text `ok`. Workflows of Slack and other services answer with JSON. */
  isAccepted: jsonAnswer([], (answer) => !('ok' in answer && answer.ok === false)),
};

const requestOf = (text: string, { url }: TemplateContext['options']): TemplateRequest => ({
  url: url?.reveal() ?? '',
  // Markup is off, because a name may contain an asterisk.
  body: JSON.stringify({ text, mrkdwn: false }),
});

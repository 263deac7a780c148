// The template `discord`: a message for a webhook of a channel.
// Format: https://discord.com/developers/docs/resources/webhook#execute-webhook

import type { Template, TemplateContext, TemplateRequest } from './template.ts';
import { reportTextOf, type TextFormat, textOf } from './text.ts';

/** Discord rejects texts of more than 2,000 characters. Without the brackets it would show a preview of the link. */
const FORMAT: TextFormat = {
  maxSize: 1_900,
  escape: (text) => text.replaceAll(/[\\*_~`|<>[\]()#@:]/g, '\\$&'),
  link: (url) => `<${url}>`,
};

export const discord: Template = {
  request: (content, { options, annotate }) => requestOf(textOf(content, annotate, FORMAT), options),
  requestReport: (report, { options }) => requestOf(reportTextOf(report, FORMAT), options),
};

const requestOf = (content: string, { url }: TemplateContext['options']): TemplateRequest => ({
  url: url?.reveal() ?? '',
  body: JSON.stringify({ content, allowed_mentions: { parse: [] } }),
});

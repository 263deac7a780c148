// The template `telegram`: the method sendMessage of the Bot API.
// Format: https://core.telegram.org/bots/api#sendmessage, https://core.telegram.org/bots/api#making-requests,
// https://core.telegram.org/bots/api#messageentity

import { jsonAnswer, type Template, type TemplateContext, type TemplateRequest } from './template.ts';
import { messageText, plainFormat, reportTextOf } from './text.ts';

/** Telegram rejects texts of more than 4,096 characters. */
const FORMAT = plainFormat(4_000);

export const telegram: Template = {
  request: (content, { options, annotate }) => {
    const { head, rest } = messageText(content, annotate, FORMAT);
    return requestOf(head, rest, options);
  },
  requestReport: (report, { options }) => requestOf(reportTextOf(report, FORMAT), '', options),
  /** "The response contains a JSON object, which always has a Boolean field 'ok'". */
  isAccepted: jsonAnswer(['api.telegram.org'], (answer) => 'ok' in answer && answer.ok === true),
  rejectedSetting: /chat|group|channel|peer|rights/i,
};

const requestOf = (
  head: string,
  rest: string,
  { url, chat_id }: TemplateContext['options'],
): TemplateRequest => ({
  url: url?.reveal() ?? '',
  body: JSON.stringify({
    chat_id,
    text: head + rest,
    // Telegram turns @names, #tags and addresses of a plain text into mentions and links, but not inside of `pre`.
    // Offsets count UTF-16 code units.
    entities: [{ type: 'pre', offset: 0, length: head.length }],
    link_preview_options: { is_disabled: true },
  }),
});

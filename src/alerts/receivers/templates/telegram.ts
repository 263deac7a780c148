// The template `telegram`: the method sendMessage of the Bot API.
// Format: https://core.telegram.org/bots/api#sendmessage, https://core.telegram.org/bots/api#making-requests,
// https://core.telegram.org/bots/api#messageentity

import { jsonAnswer, type Template } from './template.ts';
import { messageText, plainFormat } from './text.ts';

/** Telegram rejects texts of more than 4,096 characters. */
const FORMAT = plainFormat(4_000);

export const telegram: Template = {
  request: (content, { options, annotate }) => {
    const { head, rest } = messageText(content, annotate, FORMAT);
    return {
      url: options.url?.reveal() ?? '',
      body: JSON.stringify({
        chat_id: options.chat_id,
        text: head + rest,
        // Telegram turns @names, #tags and addresses of a plain text into mentions and links, but not inside of `pre`.
        // Offsets count UTF-16 code units.
        entities: [{ type: 'pre', offset: 0, length: head.length }],
        link_preview_options: { is_disabled: true },
      }),
    };
  },
  /** "The response contains a JSON object, which always has a Boolean field 'ok'". */
  isAccepted: jsonAnswer(['api.telegram.org'], (answer) => 'ok' in answer && answer.ok === true),
  rejectedSetting: /chat|group|channel|peer|rights/i,
};

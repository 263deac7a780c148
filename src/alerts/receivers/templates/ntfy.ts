// The template `ntfy`: a message that is published as JSON.
// Format: https://docs.ntfy.sh/publish/#publish-as-json, https://docs.ntfy.sh/publish/#limitations

import { splitTopic } from '../webhook-options.ts';
import { linksIn, tagOf, titleOf } from './parts.ts';
import { jsonAnswer, type Template } from './template.ts';
import { jsonBytes, messageText, plainFormat, reportTextOf } from './text.ts';

/** ntfy makes messages of more than 4,096 bytes attachments, and rejects requests of more than twice that size. */
const FORMAT = plainFormat(3_900, jsonBytes);

/** By severity, or `resolved`: 5 is the highest priority, and 3 the default. */
const PRIORITIES: Readonly<Record<string, number>> = { critical: 5, warning: 4, info: 2 };
const DEFAULT_PRIORITY = 3;

/** Names of emojis, which ntfy shows before the title. */
const TAGS: Readonly<Record<string, string>> = {
  ...{ critical: 'rotating_light', warning: 'warning', info: 'information_source' },
  resolved: 'white_check_mark',
};

export const ntfy: Template = {
  request: (content, { options, annotate }) => {
    const { server, topic } = splitTopic(options.url?.reveal() ?? '') ?? { server: '', topic: '' };
    const { head, rest } = messageText(content, annotate, FORMAT);
    const [, ...lines] = head.split('\n');
    const [tag, page] = [tagOf(content), linksIn(content.alerts, annotate)[0]];
    const message = {
      topic,
      title: titleOf(content),
      message: (lines.join('\n') + rest).trim() || titleOf(content),
      priority: PRIORITIES[tag] ?? DEFAULT_PRIORITY,
      tags: TAGS[tag] === undefined ? [] : [TAGS[tag]],
      ...(page && { click: page.url }),
    };
    return { url: server, body: JSON.stringify(message) };
  },
  requestReport: (report, { options }) => {
    const { server, topic } = splitTopic(options.url?.reveal() ?? '') ?? { server: '', topic: '' };
    const [title, ...lines] = reportTextOf(report, FORMAT).split('\n');
    const message = { topic, title, message: lines.join('\n'), priority: DEFAULT_PRIORITY, tags: [] };
    return { url: server, body: JSON.stringify(message) };
  },
  /** ntfy answers with the message that it published. */
  isAccepted: jsonAnswer(['ntfy.sh'], (answer) => 'event' in answer && answer.event === 'message'),
};

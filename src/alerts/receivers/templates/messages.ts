// The templates of services that show a message: `slack`, for an incoming webhook; `discord`, for a webhook of a channel; `telegram`,
// the method sendMessage of the Bot API; and `ntfy`, a message that is published as JSON.

import { splitTopic } from '../webhook-options.ts';
import { linksIn, tagOf, titleOf } from './parts.ts';
import {
  jsonAnswer,
  requestOf,
  type Template,
  type TemplateContext,
  type TemplateRequest,
} from './template.ts';
import { jsonBytes, messageText, plainFormat, reportTextOf, type TextFormat, textOf } from './text.ts';

// Format: https://api.slack.com/messaging/webhooks, https://api.slack.com/reference/surfaces/formatting#escaping

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack reads links and mentions only between angle brackets. */
const escapeSlack = (text: string): string => text.replaceAll(/[&<>]/g, (char) => ENTITIES[char] ?? char);

/** Slack splits texts of more than 4,000 characters, and truncates texts of more than 40,000. */
const SLACK_FORMAT: TextFormat = { maxSize: 3_000, escape: escapeSlack, link: escapeSlack };

export const slack: Template = {
  request: (content, { options, annotate }) => slackRequest(textOf(content, annotate, SLACK_FORMAT), options),
  requestReport: (report, { options }) => slackRequest(reportTextOf(report, SLACK_FORMAT), options),
  /** An incoming webhook answers with the text `ok`. Workflows of Slack and other services answer with JSON. */
  isAccepted: jsonAnswer([], (answer) => !('ok' in answer && answer.ok === false)),
};

/** Markup is off, because a name may contain an asterisk. */
const slackRequest = (text: string, options: TemplateContext['options']): TemplateRequest =>
  requestOf(options, { text, mrkdwn: false });

// Format: https://discord.com/developers/docs/resources/webhook#execute-webhook

/** Discord rejects texts of more than 2,000 characters. Without the brackets it would show a preview of the link. */
const DISCORD_FORMAT: TextFormat = {
  maxSize: 1_900,
  escape: (text) => text.replaceAll(/[\\*_~`|<>[\]()#@:]/g, '\\$&'),
  link: (url) => `<${url}>`,
};

export const discord: Template = {
  request: (content, { options, annotate }) =>
    discordRequest(textOf(content, annotate, DISCORD_FORMAT), options),
  requestReport: (report, { options }) => discordRequest(reportTextOf(report, DISCORD_FORMAT), options),
};

const discordRequest = (content: string, options: TemplateContext['options']): TemplateRequest =>
  requestOf(options, { content, allowed_mentions: { parse: [] } });

// Format: https://core.telegram.org/bots/api#sendmessage, https://core.telegram.org/bots/api#making-requests,
// https://core.telegram.org/bots/api#messageentity

/** Telegram rejects texts of more than 4,096 characters. */
const TELEGRAM_FORMAT = plainFormat(4_000);

export const telegram: Template = {
  request: (content, { options, annotate }) => {
    const { head, rest } = messageText(content, annotate, TELEGRAM_FORMAT);
    return telegramRequest(head, rest, options);
  },
  requestReport: (report, { options }) => telegramRequest(reportTextOf(report, TELEGRAM_FORMAT), '', options),
  /** "The response contains a JSON object, which always has a Boolean field 'ok'". */
  isAccepted: jsonAnswer(['api.telegram.org'], (answer) => 'ok' in answer && answer.ok === true),
  rejectedSetting: /chat|group|channel|peer|rights/i,
};

const telegramRequest = (head: string, rest: string, options: TemplateContext['options']): TemplateRequest =>
  requestOf(options, {
    chat_id: options.chat_id,
    text: head + rest,
    // Telegram turns @names, #tags and addresses of a plain text into mentions and links, but not inside of `pre`.
    // Offsets count UTF-16 code units.
    entities: [{ type: 'pre', offset: 0, length: head.length }],
    link_preview_options: { is_disabled: true },
  });

// Format: https://docs.ntfy.sh/publish/#publish-as-json, https://docs.ntfy.sh/publish/#limitations

/** ntfy makes messages of more than 4,096 bytes attachments, and rejects requests of more than twice that size. */
const NTFY_FORMAT = plainFormat(3_900, jsonBytes);

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
    const { head, rest } = messageText(content, annotate, NTFY_FORMAT);
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
    const [title, ...lines] = reportTextOf(report, NTFY_FORMAT).split('\n');
    const message = { topic, title, message: lines.join('\n'), priority: DEFAULT_PRIORITY, tags: [] };
    return { url: server, body: JSON.stringify(message) };
  },
  /** ntfy answers with the message that it published. */
  isAccepted: jsonAnswer(['ntfy.sh'], (answer) => 'event' in answer && answer.event === 'message'),
};

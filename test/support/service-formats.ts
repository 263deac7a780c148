// The published formats of services that get notifications, as their documentation states them. Unknown fields count as
// mistakes, because a service ignores or rejects them.

import { z } from 'zod';
import { report } from '../../src/http/api/report/report-json.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);
const jsonBytesOf = (value: unknown): number => bytesOf(JSON.stringify(value));

/** https://api.slack.com/messaging/webhooks, https://api.slack.com/reference/surfaces/formatting#escaping */
const slack = z.strictObject({
  // Longer texts are split into several messages.
  text: z
    .string()
    .min(1)
    .max(4_000)
    .refine((text) => !/[<>]|&(?!(?:amp|lt|gt);)/.test(text), 'control characters must be escaped'),
  mrkdwn: z.boolean(),
});

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
const discord = z.strictObject({
  content: z.string().min(1).max(2_000),
  allowed_mentions: z.strictObject({ parse: z.array(z.enum(['roles', 'users', 'everyone'])) }),
});

/** https://learn.microsoft.com/adaptive-cards/schema-explorer/rich-text-block, .../text-run, .../action-open-url */
const spacing = z.enum(['None', 'Small', 'Default', 'Medium', 'Large', 'ExtraLarge', 'Padding']);
const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string(),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
});
const richTextBlock = z.strictObject({
  type: z.literal('RichTextBlock'),
  spacing: spacing.optional(),
  inlines: z.array(textRun).min(1),
});
const adaptiveCard = z.strictObject({
  $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
  type: z.literal('AdaptiveCard'),
  // Workflows of Teams support the versions up to 1.5.
  version: z.string().regex(/^1\.[0-5]$/),
  msteams: z.strictObject({ width: z.literal('Full') }),
  body: z.array(richTextBlock).min(1),
  actions: z
    .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() }))
    .max(6),
});
/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
const teams = z
  .strictObject({
    type: z.literal('message'),
    attachments: z
      .array(
        z.strictObject({
          contentType: z.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: z.null(),
          content: adaptiveCard,
        }),
      )
      .length(1),
  })
  // https://learn.microsoft.com/connectors/teams: the message size limit is approximately 28 KB
  .refine((message) => jsonBytesOf(message) <= 28_000, 'message size limit');

/** https://core.telegram.org/bots/api#sendmessage, https://core.telegram.org/bots/api#messageentity */
const telegram = z
  .strictObject({
    chat_id: z.union([z.int(), z.string().regex(/^@\w{4,32}$/)]),
    text: z.string().min(1).max(4_096),
    entities: z.array(
      z.strictObject({ type: z.literal('pre'), offset: z.int().min(0), length: z.int().min(1) }),
    ),
    link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
  })
  .refine(
    ({ text, entities }) => entities.every(({ offset, length }) => offset + length <= text.length),
    'entities end in the text',
  );

/** https://github.com/PagerDuty/api-schema/blob/main/reference/events-v2/openapiv3.json */
const pagerdutyBase = {
  routing_key: z.string().length(32),
  dedup_key: z.string().min(1).max(255),
};
const pagerduty = z
  .discriminatedUnion('event_action', [
    z.strictObject({
      ...pagerdutyBase,
      event_action: z.literal('trigger'),
      client: z.string(),
      links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
      payload: z.strictObject({
        summary: z.string().min(1).max(1_024),
        severity: z.enum(['critical', 'error', 'warning', 'info']),
        source: z.string().min(1),
        class: z.string().optional(),
        custom_details: z.record(z.string(), z.unknown()),
      }),
    }),
    z.strictObject({ ...pagerdutyBase, event_action: z.literal('resolve') }),
  ])
  .refine((event) => jsonBytesOf(event) <= 512_000, 'size limit of an event');

/** https://docs.ntfy.sh/publish/#publish-as-json, https://docs.ntfy.sh/publish/#limitations */
const ntfy = z
  .strictObject({
    topic: z.string().regex(/^[-\w]{1,64}$/),
    title: z.string().min(1),
    message: z
      .string()
      .min(1)
      .refine((text) => bytesOf(text) <= 4_096, 'message length'),
    priority: z.int().min(1).max(5),
    tags: z.array(z.string().regex(/^\w+$/)),
    click: z.url().optional(),
  })
  .refine((message) => jsonBytesOf(message) <= 8_192, 'size of a request');

/** docs/reference/api.md#json */
const time = z.iso.datetime();
const labels = z.record(z.string(), z.string());
const json = z.strictObject({
  version: z.literal('2'),
  receiver: z.string(),
  groupKey: z.string(),
  groupLabels: labels,
  status: z.enum(['firing', 'resolved']),
  firing: z.int().min(0),
  added: z.int().min(0),
  silenced: z.int().min(0),
  risen: z.int().min(0),
  resolved: z.int().min(0),
  truncatedAlerts: z.int().min(0),
  alerts: z
    .array(
      z.strictObject({
        status: z.enum(['firing', 'resolved']),
        labels,
        annotations: z.record(z.string(), z.string()),
        value: z.number().nullable(),
        startsAt: time,
        endsAt: time.nullable(),
      }),
    )
    .max(100),
});

const reported = z.strictObject({
  version: z.literal('2'),
  receiver: z.string(),
  status: z.literal('report'),
  report,
});

export const SERVICE_FORMATS = {
  json: z.union([reported, json]),
  slack,
  discord,
  teams,
  telegram,
  pagerduty,
  ntfy,
} as const;
export type Service = keyof typeof SERVICE_FORMATS;

/** Returns what the service would answer: an error if the body is not in its format. */
export const statusFor = (service: Service, body: string): number => {
  try {
    return SERVICE_FORMATS[service].safeParse(JSON.parse(body)).success ? 200 : 400;
  } catch {
    return 400;
  }
};

/** Describes why the body is not in the format of the service; empty if it is. */
export const mistakesOf = (service: Service, body: string): string => {
  const { error } = SERVICE_FORMATS[service].safeParse(JSON.parse(body));
  return error ? z.prettifyError(error) : '';
};

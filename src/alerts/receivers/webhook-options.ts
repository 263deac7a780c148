// Defines the configuration of webhooks, and which settings each template needs.

import { z } from 'zod';
import { mistakeIf, type SettingMistake } from '../../config/config-error.ts';
import { objectWithSecrets, secret } from '../../config/primitives.ts';
import { bodyFile } from './body-file.ts';
import { receiverName, routingOptions, secretUrl } from './routing-options.ts';

const TEMPLATE_NAMES = [
  ...['json', 'slack', 'discord', 'teams'],
  ...['telegram', 'pagerduty', 'ntfy', 'custom'],
] as const;

export const webhookOptions = objectWithSecrets(
  {
    type: z.literal('webhook').describe('Kind of the receiver'),
    name: receiverName(),
    template: z.enum(TEMPLATE_NAMES).default('json').describe('Format of the body'),
    chat_id: z
      .union([
        z.int(),
        z.string().regex(/^(?:@\w{4,32}|-?\d{1,20})$/, 'expected a number, or a name that begins with @'),
      ])
      .optional()
      .describe('Chat that gets the messages, for the template telegram'),
    body_file: bodyFile()
      .optional()
      .describe('File with the body of the requests, for the template custom. A reload reads it again'),
    ...routingOptions,
  },
  {
    url: secretUrl().optional().describe('Address of the webhook'),
    secret: secret().optional().describe('Key with which proxywatch signs requests'),
    token: secret()
      .optional()
      .describe('Token for the header Authorization, for the templates json, ntfy and custom'),
    routing_key: secret()
      .optional()
      .describe('Integration key of a PagerDuty service, for the template pagerduty'),
  },
);

export type WebhookOptions = z.output<typeof webhookOptions>;

type TemplateName = WebhookOptions['template'];
type TemplateSetting = 'url' | 'chat_id' | 'body_file' | 'token' | 'routing_key';

/** Settings that only some templates have. */
const SPECIAL_SETTINGS = ['chat_id', 'body_file', 'token', 'routing_key'] as const;

const REQUIRED: Readonly<Partial<Record<TemplateName, readonly TemplateSetting[]>>> = {
  telegram: ['url', 'chat_id'],
  pagerduty: ['routing_key'],
  custom: ['url', 'body_file'],
};
const OPTIONAL: Readonly<Partial<Record<TemplateName, readonly TemplateSetting[]>>> = {
  json: ['token'],
  ntfy: ['token'],
  custom: ['token'],
};

/** Returns settings that the template needs or does not have, and addresses that do not fit it. */
export const webhookMistakes = (options: WebhookOptions): SettingMistake[] => {
  const { template } = options;
  const required = REQUIRED[template] ?? ['url'];
  const known = [...required, ...(OPTIONAL[template] ?? [])];
  return [
    ...required.flatMap((key) =>
      mistakeIf(
        options[key] === undefined,
        [key],
        `missing; the template ${template} needs ${NAMES[key] ?? key}`,
      ),
    ),
    ...SPECIAL_SETTINGS.flatMap((key) =>
      mistakeIf(
        options[key] !== undefined && !known.includes(key),
        [key],
        `the template ${template} does not use ${key}; remove this line`,
      ),
    ),
    ...addressMistakes(options),
  ];
};

/** How messages name a setting that may be in a file. */
const NAMES: Readonly<Partial<Record<TemplateSetting, string>>> = {
  url: 'url or url_file',
  routing_key: 'routing_key or routing_key_file',
};

/** The templates whose address must have a certain form. A mistake does not show the address. */
const ADDRESSES: Readonly<
  Partial<Record<TemplateName, { isValid: (url: string) => boolean; expected: string }>>
> = {
  telegram: {
    isValid: (url) => /\/sendMessage$/.test(url),
    expected: 'https://api.telegram.org/bot<token>/sendMessage',
  },
  ntfy: { isValid: (url) => splitTopic(url) !== undefined, expected: 'https://ntfy.sh/<topic>' },
};

const addressMistakes = ({ template, url }: WebhookOptions): SettingMistake[] => {
  const address = ADDRESSES[template];
  const message = `expected an address such as ${address?.expected} for the template ${template}`;
  return mistakeIf(address && url && !address.isValid(url.reveal()), ['url'], message);
};

export interface NtfyTopic {
  readonly server: string;
  readonly topic: string;
}

const TOPIC_URL = /^(https?:\/\/[^/?#]+\/(?:[^?#]*\/)?)([-\w]{1,64})$/;

/** Returns undefined if the address does not end with a topic, such as https://ntfy.sh/TOPIC. */
export const splitTopic = (url: string): NtfyTopic | undefined => {
  const [, server, topic] = TOPIC_URL.exec(url) ?? [];
  return server !== undefined && topic !== undefined ? { server, topic } : undefined;
};

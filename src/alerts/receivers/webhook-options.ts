// Defines the settings of webhooks by template, and checks the placeholders, such as {{title}}, of the template `custom`.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { closestMatch } from '../../config/closest-match.ts';
import { mistakeIf, type SettingMistake } from '../../config/config-error.ts';
import { describeReadError } from '../../config/files.ts';
import { objectWithSecrets, pathText, resolvePath, secret } from '../../config/primitives.ts';
import { receiverName, routingOptions, secretUrl } from './routing-options.ts';

/** Placeholders for texts, which stand inside of quotation marks. */
const TEXTS = [
  ...['receiver', 'status', 'severity', 'title', 'text', 'description'],
  ...['runbook_url', 'status_page_url', 'dashboard_url', 'group_key'],
] as const;
const NUMBERS = ['firing', 'silenced', 'added', 'risen', 'resolved', 'truncated_alerts'] as const;
/** Placeholders for lists and maps, which stand outside of quotation marks. The report is null in a notification. */
const STRUCTURES = ['alerts', 'group_labels', 'report'] as const;
export const PLACEHOLDERS = [...TEXTS, ...NUMBERS, ...STRUCTURES] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The file in pieces: texts as they are, and placeholders. */
export type BodyTemplate = readonly (string | { readonly placeholder: Placeholder })[];

/** Schema of the path of a body file. The output has its content, so that a reload notices a changed file. */
const bodyFile = () =>
  pathText().transform((path, context): BodyTemplate => {
    const fail = (message: string): never => {
      context.addIssue(message);
      return z.NEVER;
    };
    const file = basename(path);
    try {
      const text = readFileSync(resolvePath(path), 'utf8');
      const template = parseBody(text);
      const mistake = unknownIn(text) ?? invalidJsonIn(template);
      return mistake === undefined ? template : fail(`${file}${mistake}`);
    } catch (error) {
      return fail(`expected a readable file (${describeReadError(error)})`);
    }
  });

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

const isPlaceholder = (name: string): name is Placeholder => PLACEHOLDERS.some((known) => known === name);

const parseBody = (text: string): BodyTemplate =>
  text
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 1 && isPlaceholder(part) ? { placeholder: part } : part));

/** Describes the first placeholder that does not exist. */
const unknownIn = (text: string): string | undefined => {
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name = '']) => !isPlaceholder(name));
  if (!unknown) return undefined;
  const [, name = ''] = unknown;
  const line = text.slice(0, unknown.index).split('\n').length;
  // Anything else may be a secret in the wrong place.
  const shown = /^\w{1,40}$/.test(name) ? ` {{${name}}}` : '';
  const suggestion = closestMatch(name, PLACEHOLDERS);
  return `:${line}: unknown placeholder${shown}${suggestion ? `; did you mean {{${suggestion}}}?` : ''}`;
};

/** Fills the body with values of several forms: numbers of one and of several digits, and texts that no number is. */
const samplesFor = (number: number): Record<string, string> =>
  Object.fromEntries([
    ...TEXTS.map((name) => [name, 'x']),
    ...NUMBERS.map((name) => [name, String(number)]),
    ['alerts', '[{"a":"b"}]'],
    ['group_labels', '{"a":"b"}'],
    ['report', number === 0 ? 'null' : '{"a":"b"}'],
  ]);
const SAMPLES = [0, 12].map(samplesFor);

const invalidJsonIn = (template: BodyTemplate): string | undefined => {
  for (const sample of SAMPLES) {
    const body = template
      .map((part) => (typeof part === 'string' ? part : sample[part.placeholder]))
      .join('');
    try {
      JSON.parse(body);
    } catch (error) {
      // The message may quote the file, so only its line is shown.
      const [, line] = /\(line (\d+) column \d+\)/.exec(String(error)) ?? [];
      return `${line === undefined ? '' : `:${line}`}: not valid JSON with the placeholders replaced. Texts such as {{title}} stand inside of quotation marks, lists and maps such as {{alerts}} outside`;
    }
  }
  return undefined;
};

export const TEMPLATE_NAMES = [
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

export const takesReports = ({ template }: Pick<WebhookOptions, 'template'>): boolean =>
  template !== 'pagerduty';

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
    ...mistakeIf(
      options.report && !takesReports(options),
      ['report'],
      `the template ${template} cannot send reports, because they would page somebody. Remove this line, and use another receiver`,
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

const TOPIC_URL = /^(https?:\/\/[^/?#]+\/(?:[^?#]*\/)?)([-\w]{1,64})$/;

/** Returns undefined if the address does not end with a topic, such as https://ntfy.sh/TOPIC. */
export const splitTopic = (url: string): { readonly server: string; readonly topic: string } | undefined => {
  const [, server, topic] = TOPIC_URL.exec(url) ?? [];
  return server !== undefined && topic !== undefined ? { server, topic } : undefined;
};

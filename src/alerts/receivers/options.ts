// Defines the configuration of receivers: where notifications go, and in which format.

import { z } from 'zod';
import { mistakeIf, mistakesBelow, repeatedName, type SettingMistake } from '../../config/config-error.ts';
import { baseUrl, duration, objectWithSecrets, secret, userName } from '../../config/primitives.ts';
import { HOUR, SECOND } from '../../lib/time.ts';
import { emailOptions } from './email-options.ts';
import { type RoutingOptions, receiverName, routingMistakes, secretUrl } from './routing-options.ts';
import { TEMPLATE_NAMES, webhookMistakes, webhookOptions } from './webhook-options.ts';

/** Schema of the user name and password for a server. */
export const basicAuthFor = (server: string) =>
  objectWithSecrets(
    { username: userName().describe(`User name for ${server}`) },
    { password: secret().describe(`Password for ${server}`) },
  )
    .optional()
    .describe(`User name and password for ${server}`);

const alertmanager = objectWithSecrets(
  {
    type: z.literal('alertmanager').describe('Kind of the receiver'),
    name: receiverName(),
    urls: z
      .array(baseUrl(/\/api\/v2(?:\/alerts)?$/))
      .min(1)
      .describe(
        'Addresses of Alertmanagers. proxywatch sends all alerts to /api/v2/alerts below each address',
      ),
    basic_auth: basicAuthFor('the Alertmanagers'),
  },
  { bearer_token: secret().optional().describe('Token for the Alertmanagers') },
);

const heartbeat = objectWithSecrets(
  {
    type: z.literal('heartbeat').describe('Kind of the receiver'),
    name: receiverName(),
    method: z.enum(['GET', 'POST']).default('GET').describe('HTTP method of the heartbeat'),
    every: duration({ min: 5 * SECOND, max: 24 * HOUR })
      .prefault('1m')
      .describe('Time between two heartbeats'),
  },
  { url: secretUrl().describe('Address of the heartbeat. {shard} in it stands for the number of the shard') },
);

/** A service that has a template of webhooks is no kind of its own. Without a text, the kinds are listed. */
const describeUnknownType = ({ input }: { readonly input?: unknown }): string | undefined => {
  const { type } = Object(input) as { readonly type?: unknown };
  return TEMPLATE_NAMES.some((name) => name === type)
    ? `${type} is a template of webhooks; write "type: webhook" and "template: ${type}"`
    : undefined;
};

const receiver = z.discriminatedUnion('type', [alertmanager, webhookOptions, emailOptions, heartbeat], {
  error: describeUnknownType,
});

export const receiverOptions = z
  .array(receiver)
  .prefault([])
  .transform((receivers) =>
    receivers.map((options, index) => ({ ...options, name: nameOf(receivers, index) })),
  )
  .describe('Destinations of notifications');

type Receiver = z.output<typeof receiver>;
export type ReceiverOptions = z.output<typeof receiverOptions>[number];
export type AlertmanagerOptions = Extract<ReceiverOptions, { type: 'alertmanager' }>;
export type WebhookOptions = Extract<ReceiverOptions, { type: 'webhook' }>;
/** The options of a receiver whose notifications are filtered, grouped and queued. */
export type RoutedOptions = Extract<ReceiverOptions, RoutingOptions>;
export type HeartbeatOptions = Extract<ReceiverOptions, { type: 'heartbeat' }>;

export const isRouted = (options: ReceiverOptions): options is RoutedOptions => 'group_by' in options;

/** Returns the configured name, or the type, with a number from the second receiver of that type on. */
const nameOf = (receivers: readonly Receiver[], index: number): string => {
  const { type, name } = receivers[index] as Receiver;
  const number = receivers.slice(0, index + 1).filter((other) => other.type === type).length;
  return name ?? (number === 1 ? type : `${type}-${number}`);
};

/** Returns the mistakes that the schema cannot find, with paths from the list of receivers, given the names of the accounts. */
export const receiverMistakes = (receivers: readonly ReceiverOptions[], accounts: readonly string[]) =>
  receivers.flatMap((receiver, index) =>
    mistakesBelow(
      [index],
      [
        ...repeatedName(receivers, index),
        ...(receiver.type === 'alertmanager' ? credentialMistakes(receiver) : []),
        ...(receiver.type === 'webhook' ? webhookMistakes(receiver) : []),
        ...(isRouted(receiver) ? routingMistakes(receiver, accounts) : []),
      ],
    ),
  );

/** For a receiver that takes either of two kinds of credentials. */
export const credentialMistakes = ({
  basic_auth,
  bearer_token,
}: Pick<AlertmanagerOptions, 'basic_auth' | 'bearer_token'>): SettingMistake[] =>
  mistakeIf(basic_auth && bearer_token, ['bearer_token'], 'basic_auth is set too; use only one of the two');

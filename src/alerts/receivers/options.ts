// The configuration of receivers: who is told of alerts, and how.

import { z } from 'zod';
import {
  duration,
  HTTP_URL,
  httpUrl,
  isHttpUrl,
  secret,
  whyNoHttpUrl,
  withFileTwins,
} from '../../config/primitives.ts';
import { HOUR, SECOND } from '../../lib/time.ts';

const name = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores')
  .optional()
  .describe(
    'Label `receiver`, and what its queue goes by; the type, and its number from the second on, unless given',
  );

/** Who knows the address may write there. */
const url = () => secret(HTTP_URL, isHttpUrl, whyNoHttpUrl);

const alertmanager = withFileTwins(
  {
    type: z.literal('alertmanager'),
    name,
    urls: z.array(httpUrl()).min(1).describe('Each is told of all alerts'),
    basic_auth: withFileTwins({ username: z.string().min(1) }, { password: secret() }).optional(),
  },
  { bearer_token: secret().optional() },
);

const webhook = withFileTwins(
  {
    type: z.literal('webhook'),
    name,
    template: z.enum(['json', 'slack', 'discord']).default('json').describe('What the body is like'),
  },
  { url: url(), secret: secret().optional() },
);

const heartbeat = withFileTwins(
  {
    type: z.literal('heartbeat'),
    name,
    method: z.enum(['GET', 'POST']).default('GET'),
    every: duration({ min: 5 * SECOND, max: 24 * HOUR }).prefault('1m'),
  },
  { url: url() },
);

const receiver = z.discriminatedUnion('type', [alertmanager, webhook, heartbeat]);

export const receiverOptions = z
  .array(receiver)
  .default([])
  .transform((receivers) =>
    receivers.map((options, index) => ({ ...options, name: nameOf(receivers, index) })),
  )
  .describe('Who is told of alerts');

type Receiver = z.output<typeof receiver>;
export type ReceiverOptions = z.output<typeof receiverOptions>[number];
export type AlertmanagerOptions = Extract<ReceiverOptions, { type: 'alertmanager' }>;
export type WebhookOptions = Extract<ReceiverOptions, { type: 'webhook' }>;
export type HeartbeatOptions = Extract<ReceiverOptions, { type: 'heartbeat' }>;

/** Its own, or the type and the number among those of its type. */
const nameOf = (receivers: readonly Receiver[], index: number): string => {
  const { type, name } = receivers[index] as Receiver;
  const number = receivers.slice(0, index + 1).filter((other) => other.type === type).length;
  return name ?? (number === 1 ? type : `${type}-${number}`);
};

/** What of the receivers can't be, told by no schema; paths start at the list. */
export const receiverMistakes = (receivers: readonly ReceiverOptions[]) =>
  receivers.flatMap((receiver, index) => {
    const isTaken = receivers.slice(0, index).some((other) => other.name === receiver.name);
    const isTwice =
      receiver.type === 'alertmanager' && receiver.basic_auth && receiver.bearer_token !== undefined;
    return [
      ...(isTaken
        ? [{ path: [index, 'name'], message: `another receiver is called "${receiver.name}" already` }]
        : []),
      ...(isTwice
        ? [
            {
              path: [index, 'bearer_token'],
              message: 'basic_auth is given as well; only one of the two may be',
            },
          ]
        : []),
    ];
  });

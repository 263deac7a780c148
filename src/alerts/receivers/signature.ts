// Signs webhooks by the Standard Webhooks specification, so that its libraries can verify them.

import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

export interface SignedMessage {
  readonly id: string;
  /** ms since the epoch. */
  readonly sentAt: number;
  readonly body: string;
}

/** Returns the headers with the notification's id and time, and with its signature if there is a secret. */
export const webhookHeaders = (
  { id, sentAt, body }: SignedMessage,
  secret: string | undefined,
): Record<string, string> => {
  const timestamp = String(Math.floor(sentAt / 1_000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return headers;
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
};

/** Secrets of the specification have a prefix, followed by Base64. Other secrets are used as they are. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);

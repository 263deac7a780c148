// Signatures of webhooks as the specification Standard Webhooks has them, so that its libraries verify ours.

import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

export interface Signed {
  readonly id: string;
  /** ms. */
  readonly at: number;
  readonly body: string;
}

/** What tells the notice from others and when it was sent, and with a secret who sent it. */
export const webhookHeaders = (
  { id, at, body }: Signed,
  secret: string | undefined,
): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1_000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return headers;
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
};

/** The specification's secrets are Base64 behind a prefix; any other is taken as it is. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);

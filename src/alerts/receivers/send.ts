// Sends one request to a receiver and describes the result without secrets.

import { Agent, type Dispatcher, request } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { SECOND } from '../../lib/time.ts';
import { retryAfterMs } from '../../provider/retry-after.ts';

export interface Message {
  readonly method: 'GET' | 'POST';
  /** May hold a secret, so no failure mentions it. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Delivery =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      readonly reason: string;
      /** The HTTP status; undefined if there was no response. */
      readonly status?: number;
      /** Whether a retry is pointless. */
      readonly isFinal: boolean;
      /** How long the receiver asks to wait (ms). */
      readonly retryAfterMs?: number | undefined;
    };

export type Failure = Extract<Delivery, { isDelivered: false }>;

export interface Sender extends AsyncDisposable {
  /** Never rejects. Returns undefined if the sender was closed meanwhile. */
  send(message: Message): Promise<Delivery | undefined>;
}

const TIMEOUT_MS = 15 * SECOND;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Creates a sender with its own connections. Closing it aborts requests in flight. */
export const createSender = (clock: Clock, userAgent: string): Sender => {
  const agent = new Agent();
  const closed = new AbortController();
  return {
    send: async ({ method, url, headers, body = null }) => {
      using deadline = clock.deadline(TIMEOUT_MS);
      try {
        const answer = await request(url, {
          ...{ method, body, dispatcher: agent, headers: { ...headers, 'user-agent': userAgent } },
          signal: AbortSignal.any([closed.signal, deadline.signal]),
        });
        await answer.body.dump({ limit: MAX_RESPONSE_BYTES });
        return deliveryOf(answer, clock.now());
      } catch (error) {
        // The caller retries the request or counts the failure.
        if (closed.signal.aborted) return undefined;
        return { isDelivered: false, isFinal: false, reason: reasonOf(error, deadline.signal.aborted) };
      }
    },
    [Symbol.asyncDispose]: async () => {
      closed.abort();
      await agent.destroy();
    },
  };
};

/**
 * Statuses that reject the content of the request. Rejected credentials or a wrong address are not final: the operator
 * can correct them, and notifications wait until then.
 */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 406, 411, 413, 415, 422]);

const deliveryOf = ({ statusCode, headers }: Dispatcher.ResponseData, now: number): Delivery => {
  if (statusCode >= 200 && statusCode < 300) return { isDelivered: true };
  const retryAfter = headers['retry-after'];
  const answeredAt = Date.parse(String(headers.date));
  return {
    isDelivered: false,
    isFinal: FINAL_STATUSES.has(statusCode),
    reason: `answered ${statusCode}`,
    status: statusCode,
    retryAfterMs:
      retryAfter === undefined
        ? undefined
        : retryAfterMs(String(retryAfter), Number.isNaN(answeredAt) ? now : answeredAt, ''),
  };
};

const reasonOf = (error: unknown, isTimeout: boolean): string =>
  isTimeout ? `no answer within ${TIMEOUT_MS / SECOND} s` : connectionErrorText(error);

/** Describes the error by its code alone, because its message may contain the address. */
export const connectionErrorText = (error: unknown): string => {
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return `connection failed: ${code ?? name ?? 'unknown'}`;
};

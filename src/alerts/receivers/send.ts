// One request to a receiver, and what became of it in words that hold no secret.

import { Agent, type Dispatcher, request } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { SECOND } from '../../lib/time.ts';
import { retryAfterMs } from '../../provider/retry-after.ts';

export interface Message {
  readonly method: 'GET' | 'POST';
  /** May hold a secret: it comes up in no failure. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Delivery =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      readonly reason: string;
      /** Undefined where nothing was answered. */
      readonly status?: number;
      /** Whether it is of no use to try again. */
      readonly isFinal: boolean;
      /** As the receiver asked (ms). */
      readonly retryAfterMs?: number | undefined;
    };

export type Failure = Extract<Delivery, { isDelivered: false }>;

export interface Sender extends AsyncDisposable {
  /** Never rejects; undefined when the sender was closed meanwhile. */
  send(message: Message): Promise<Delivery | undefined>;
}

const TIMEOUT_MS = 15 * SECOND;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Connections of one receiver's own; closing it aborts what is under way. */
export const createSender = (clock: Clock, userAgent: string): Sender => {
  const agent = new Agent();
  const closed = new AbortController();
  return {
    send: async ({ method, url, headers, body = null }) => {
      const deadline = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const answer = await request(url, {
          ...{ method, body, dispatcher: agent, headers: { ...headers, 'user-agent': userAgent } },
          signal: AbortSignal.any([closed.signal, deadline]),
        });
        await answer.body.dump({ limit: MAX_ANSWER_BYTES });
        return deliveryOf(answer, clock.now());
      } catch (error) {
        // Nobody else knows what to do about it: it is tried again, or counted.
        if (closed.signal.aborted) return undefined;
        return { isDelivered: false, isFinal: false, reason: reasonOf(error, deadline.aborted) };
      }
    },
    [Symbol.asyncDispose]: async () => {
      closed.abort();
      await agent.destroy();
    },
  };
};

/** A refusal of what was sent; of our keys or the address it may be put right, and until then the alerts wait. */
const FINAL: ReadonlySet<number> = new Set([400, 406, 411, 413, 415, 422]);

const deliveryOf = ({ statusCode, headers }: Dispatcher.ResponseData, now: number): Delivery => {
  if (statusCode >= 200 && statusCode < 300) return { isDelivered: true };
  const retryAfter = headers['retry-after'];
  const answeredAt = Date.parse(String(headers.date));
  return {
    isDelivered: false,
    isFinal: FINAL.has(statusCode),
    reason: `answered ${statusCode}`,
    status: statusCode,
    retryAfterMs:
      retryAfter === undefined
        ? undefined
        : retryAfterMs(String(retryAfter), Number.isNaN(answeredAt) ? now : answeredAt, ''),
  };
};

const reasonOf = (error: unknown, isLate: boolean): string =>
  isLate ? `no answer within ${TIMEOUT_MS / SECOND} s` : whyUnconnected(error);

/** The code alone: messages may quote the address. */
export const whyUnconnected = (error: unknown): string => {
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return `connection failed: ${code ?? name ?? 'unknown'}`;
};

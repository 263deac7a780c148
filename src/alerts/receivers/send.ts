// Sends one HTTP request to a receiver and describes the result without secrets.

import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { askedWaitMs, connectionErrorText, isHtml, quotedAnswer, startOf } from '../../lib/http-answer.ts';
import { SECOND } from '../../lib/time.ts';
import { Agent, request } from '../../lib/undici.ts';
import type { Delivery } from './receiver.ts';

export interface Message {
  readonly method: 'GET' | 'POST';
  /** May hold a secret, so no failure mentions it. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Texts that no description of the answer may quote, besides the URL. */
  readonly secrets?: readonly string[];
  /** Matches answers that reject a setting instead of the content. The operator can correct it, so they are not final. */
  readonly rejectedSetting?: RegExp | undefined;
  /** Whether the text of a 2xx answer from the URL says that the service took the message. Default: any text does. */
  readonly isAccepted?: ((text: string, url: string) => boolean) | undefined;
}

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
    send: async (message) => {
      const { method, url, headers, body = null } = message;
      using deadline = clock.deadline(TIMEOUT_MS);
      try {
        const answer = await request(url, {
          ...{ method, body, dispatcher: agent, headers: { ...headers, 'user-agent': userAgent } },
          signal: AbortSignal.any([closed.signal, deadline.signal]),
        });
        return await deliveryOf(answer, message, clock.now());
      } catch (error) {
        // The caller retries the request or counts the failure.
        if (closed.signal.aborted) return undefined;
        const isLate = deadline.signal.aborted;
        const reason = isLate ? `no answer within ${TIMEOUT_MS / SECOND} s` : connectionErrorText(error);
        return { isDelivered: false, isFinal: false, reason };
      }
    },
    [Symbol.asyncDispose]: async () => {
      closed.abort();
      await agent.destroy();
    },
  };
};

/** Statuses that reject the content. Credentials or an address can be corrected, and notifications wait until then. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 406, 411, 413, 415, 422]);

const deliveryOf = async (
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  message: Message,
  now: number,
): Promise<Delivery> => {
  const reply = `answered ${status}`;
  const text = await startOf(body, MAX_RESPONSE_BYTES);
  const answer = quotedAnswer(text, [message.url, ...(message.secrets ?? [])]);
  if (status >= 200 && status < 300) {
    const problem = problemOf(text, message);
    if (problem === undefined) return { isDelivered: true, reply };
    // The operator can correct the address, or let the gateway pass the request.
    return { isDelivered: false, reason: `${reply} with ${problem}`, status, answer, isFinal: false };
  }
  return {
    ...{ isDelivered: false, reason: reply, status, answer },
    isFinal: FINAL_STATUSES.has(status) && !message.rejectedSetting?.test(text),
    retryAfterMs: askedWaitMs(headers, now),
  };
};

/** Says why an answer with a 2xx status is no success; undefined if it is one. */
const problemOf = (text: string, { isAccepted, url }: Message): string | undefined => {
  if (isHtml(text)) return 'an HTML page, such as a login page';
  return isAccepted && !isAccepted(text, url) ? 'a body that does not say success' : undefined;
};

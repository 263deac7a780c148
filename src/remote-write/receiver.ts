// Sends a remote write request to one receiver, and describes the answer without secrets.

import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { askedWaitMs, connectionErrorText, quotedAnswer, startOf } from '../lib/http-answer.ts';
import { SECOND } from '../lib/time.ts';
import { request } from '../lib/undici.ts';
import { type Answer, isTooOld, kindOf } from './answer.ts';
import { Connections } from './connections.ts';
import { type ReceiverOptions, requestHeaders, secretsOf } from './receiver-options.ts';

const MAX_ANSWER_BYTES = 4 * 1024;

export interface ReceiverContext {
  readonly clock: Clock;
  /** Such as `proxywatch/1.2.3`. */
  readonly userAgent: string;
}

export class Receiver implements AsyncDisposable {
  readonly #options: ReceiverOptions;
  readonly #context: ReceiverContext;
  readonly #connections: Connections;

  constructor(options: ReceiverOptions, context: ReceiverContext) {
    this.#options = options;
    this.#context = context;
    this.#connections = new Connections(options.tls);
  }

  /** Sends one request. Rejects only with the signal's reason. Do not call it before the last call has ended. */
  async send(body: Buffer, signal: AbortSignal): Promise<Answer> {
    const { clock, userAgent } = this.#context;
    const { timeoutMs, url } = this.#options;
    // A file with a new token may replace the sent one before the answer.
    const secrets = secretsOf(this.#options);
    using deadline = clock.deadline(timeoutMs);
    try {
      const response = await request(url.reveal(), {
        ...{ method: 'POST', body, headers: requestHeaders(this.#options, userAgent) },
        dispatcher: await this.#connections.current(),
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      return await answerOf(response, secrets, clock.now());
    } catch (error) {
      signal.throwIfAborted();
      return deadline.signal.aborted
        ? { kind: 'retry', reason: `no answer within ${timeoutMs / SECOND} s` }
        : { kind: 'retry', reason: connectionErrorText(error) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }
}

const answerOf = async (
  { statusCode, headers, body }: Dispatcher.ResponseData,
  secrets: readonly string[],
  now: number,
): Promise<Answer> => {
  const text = await startOf(body, MAX_ANSWER_BYTES);
  const kind = kindOf(statusCode, text);
  if (kind === 'accepted') return { kind };
  const quote = quotedAnswer(text, secrets);
  const reason = `answered ${statusCode}${quote === undefined ? '' : `: ${quote}`}`;
  if (kind === 'refused') return { kind, reason, isTooOld: isTooOld(text) };
  if (kind !== 'retry') return { kind, reason };
  return { kind, reason, retryAfterMs: askedWaitMs(headers, now) };
};

// Sends a remote write request to one receiver, and describes the answer without secrets.

import type { Dispatcher } from 'undici';
import { askedWaitMs, quotedAnswer, startOf } from '../lib/http-answer.ts';
import { type Answer, isTooOld, kindOf } from './answer.ts';
import { Exchange } from './exchange.ts';
import { requestHeaders } from './receiver-options.ts';

const MAX_ANSWER_BYTES = 4 * 1024;

export class Receiver extends Exchange {
  /** Sends one request. Rejects only with the signal's reason. Do not call it before the last call has ended. */
  send(body: Buffer, signal: AbortSignal): Promise<Answer> {
    const { clock, userAgent } = this.context;
    return this.post<Answer>({
      ...{ body, signal, headers: requestHeaders(this.options, userAgent) },
      read: (answer, secrets) => answerOf(answer, secrets, clock.now()),
      onFailure: (reason) => ({ kind: 'retry', reason }),
    });
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

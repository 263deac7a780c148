// Exchanges requests and answers with one receiver, reconnects after a changed certificate, and describes answers.

import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { askedWaitMs, connectionErrorText, quotedAnswer, startBytesOf } from '../lib/http-answer.ts';
import { SECOND } from '../lib/time.ts';
import { Agent, request } from '../lib/undici.ts';
import { type Answer, kindOf, limitIn } from './answer.ts';
import { messageIn, otlpRequestBody, partialSuccessIn } from './otlp.ts';
import {
  type Protocol,
  type ReceiverOptions,
  requestHeaders,
  secretsOf,
  type TlsOptions,
} from './receiver-options.ts';
import type { Batch } from './series.ts';
import { writeRequestBody } from './write-request.ts';
import { writeRequest2Body } from './write-request-2.ts';

interface ReceiverContext {
  readonly clock: Clock;
  /** Such as `proxywatch/1.2.3`. */
  readonly userAgent: string;
}

interface Request<T> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  readonly signal: AbortSignal;
  /** `secrets` are texts that no description of the answer may quote. */
  readonly read: (answer: Dispatcher.ResponseData, secrets: readonly string[]) => Promise<T>;
  /** Returns what it means that there is no answer, for a reason without secrets. */
  readonly onFailure: (reason: string) => T;
}

export abstract class Exchange implements AsyncDisposable {
  protected readonly options: ReceiverOptions;
  protected readonly context: ReceiverContext;
  #texts: TlsTexts | undefined;
  #agent: Agent | undefined;

  constructor(options: ReceiverOptions, context: ReceiverContext) {
    this.options = options;
    this.context = context;
  }

  /** Follows no redirects, which could leak credentials. Rejects only with the signal's reason. One call at a time. */
  protected async post<T>({ headers, body, signal, read, onFailure }: Request<T>): Promise<T> {
    const { timeoutMs, url } = this.options;
    // A file with a new token may replace the sent one before the answer.
    const secrets = secretsOf(this.options);
    using deadline = this.context.clock.deadline(timeoutMs);
    try {
      const answer = await request(url.reveal(), {
        ...{ method: 'POST', body, headers },
        dispatcher: await this.#connections(),
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      return await read(answer, secrets);
    } catch (error) {
      signal.throwIfAborted();
      const isLate = deadline.signal.aborted;
      return onFailure(isLate ? `no answer within ${timeoutMs / SECOND} s` : connectionErrorText(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.destroy();
  }

  async #connections(): Promise<Agent> {
    const texts = textsOf(this.options.tls);
    if (this.#agent && isSame(texts, this.#texts)) return this.#agent;
    await this.#agent?.destroy();
    this.#texts = texts;
    // The time limit of the request is the only one. By default, undici waits at most five minutes.
    this.#agent = new Agent({ connect: texts, headersTimeout: 0, bodyTimeout: 0 });
    return this.#agent;
  }
}

type TlsTexts = Readonly<Partial<Record<keyof TlsOptions, string>>>;

const textsOf = ({ ca, cert, key }: TlsOptions = {}): TlsTexts => ({
  ...(ca && { ca: ca.reveal() }),
  ...(cert && { cert: cert.reveal() }),
  ...(key && { key: key.reveal() }),
});

const isSame = (a: TlsTexts, b: TlsTexts = {}): boolean =>
  a.ca === b.ca && a.cert === b.cert && a.key === b.key;

const MAX_ANSWER_BYTES = 4 * 1024;

export class Receiver extends Exchange {
  #protocol: Protocol = this.options.protocol ?? '1.0';

  /** Returns the body of a request, for the protocol of the next request. Throws if labels are not valid. */
  encode(batch: Batch): Buffer {
    const { helpOf = () => undefined } = this.options;
    if (this.#protocol === 'otlp') return otlpRequestBody(batch, helpOf);
    return this.#protocol === '1.0' ? writeRequestBody(batch) : writeRequest2Body(batch, helpOf);
  }

  /** Sends a body of `encode`. Rejects only with the signal's reason. Do not call it before the last call has ended. */
  async send(body: Buffer, signal: AbortSignal): Promise<Answer> {
    const { clock, userAgent } = this.context;
    const answer = await this.post<Answer>({
      ...{ body, signal, headers: requestHeaders(this.options, userAgent, this.#protocol) },
      read: (found, secrets) => answerOf(found, secrets, clock.now(), this.#protocol),
      onFailure: (reason) => ({ kind: 'retry', reason }),
    });
    if (answer.kind === 'retry' && answer.isFallback) this.#protocol = '1.0';
    return answer;
  }
}

const WRITTEN = 'x-prometheus-remote-write-samples-written';

/** A receiver that does not know 2.0 answers 415, or finds nothing in the request that it knows, and accepts it. */
const isBefore2 = (kind: Answer['kind'], { statusCode, headers }: Dispatcher.ResponseData): boolean =>
  statusCode === 415 || (kind === 'accepted' && headers[WRITTEN] === undefined);

const answerOf = async (
  answer: Dispatcher.ResponseData,
  secrets: readonly string[],
  now: number,
  protocol: Protocol,
): Promise<Answer> => {
  const { statusCode, headers } = answer;
  const body = await startBytesOf(answer.body, MAX_ANSWER_BYTES);
  const isMessage = protocol === 'otlp' && /protobuf/i.test(String(headers['content-type']));
  const partial = isMessage && statusCode < 300 ? partialSuccessIn(body) : undefined;
  const text = isMessage ? (partial?.message ?? messageIn(body)) : body.toString();
  const kind = kindOf(statusCode, text);
  if (protocol === '2.0' && isBefore2(kind, answer))
    return { kind: 'retry', reason: `answered ${statusCode} to remote write 2.0`, isFallback: true };
  const quote = quotedAnswer(text, secrets);
  const reason = `answered ${statusCode}${quote === undefined ? '' : `: ${quote}`}`;
  const date = Date.parse(String(headers.date));
  const behindMs = Number.isNaN(date) ? undefined : now - date;
  const refusal = { kind: 'refused', reason, limit: limitIn(text), behindMs } as const;
  if (kind === 'accepted')
    return {
      ...{ kind, ...acceptanceIn(headers) },
      ...(partial && { partial: { rejected: partial.rejected, refusal } }),
    };
  if (kind === 'refused') return refusal;
  if (kind !== 'retry') return { kind, reason };
  return { kind, reason, retryAfterMs: askedWaitMs(headers, now) };
};

const acceptanceIn = (headers: Dispatcher.ResponseData['headers']) => ({
  ...('x-server-hostname' in headers && { keepsRepeats: true }),
  ...(WRITTEN in headers && { written: Number(headers[WRITTEN]) }),
});

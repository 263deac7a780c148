// Asks the engine of a receiver for sums, and describes its failures without secrets.

import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { connectionErrorText, startOf } from '../lib/http-answer.ts';
import { quotedAnswer } from '../lib/quoted-answer.ts';
import { Secret } from '../lib/secret.ts';
import { SECOND } from '../lib/time.ts';
import { Connections } from './connections.ts';
import type { ReceiverOptions } from './receiver-options.ts';
import { commonHeaders } from './request-headers.ts';
import { secretsOf } from './secrets.ts';

/** Far more than the sums of a day take: some 200 bytes for each series. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

const answer = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('vector'),
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
    ),
  }),
});

export interface QueriedValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Its message says why an engine did not answer a query, without secrets. */
export class QueryError extends Error {
  override name = 'QueryError';
}

export class Querier implements AsyncDisposable {
  readonly #options: ReceiverOptions;
  readonly #context: { readonly clock: Clock; readonly userAgent: string };
  readonly #connections: Connections;

  /** `options.url` is the address of instant queries. The credentials are those for writing. */
  constructor(options: ReceiverOptions, context: { readonly clock: Clock; readonly userAgent: string }) {
    this.#options = options;
    this.#context = context;
    this.#connections = new Connections(options.tls);
  }

  /**
   * Returns the values of an instant query at `at` (ms). Follows no redirects, because they could send credentials to
   * another server. Rejects with QueryError and the signal's reason. Do not call it before the last call has ended.
   */
  async query(expression: string, at: number, signal: AbortSignal): Promise<readonly QueriedValue[]> {
    const { clock, userAgent } = this.#context;
    const { timeoutMs, url } = this.#options;
    const secrets = secretsOf(this.#options);
    using deadline = clock.deadline(timeoutMs);
    // VictoriaMetrics rounds the time of a query that may be cached.
    const form = new URLSearchParams({ query: expression, time: `${at / SECOND}`, nocache: '1' });
    try {
      const response = await request(url.reveal(), {
        ...{ method: 'POST', body: form.toString() },
        headers: {
          ...commonHeaders(this.#options, userAgent),
          'content-type': 'application/x-www-form-urlencoded',
        },
        dispatcher: await this.#connections.current(),
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      return await valuesIn(response, secrets);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof QueryError) throw error;
      throw new QueryError(
        deadline.signal.aborted ? `no answer within ${timeoutMs / SECOND} s` : connectionErrorText(error),
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }
}

const valuesIn = async (
  { statusCode, body }: Dispatcher.ResponseData,
  secrets: readonly string[],
): Promise<readonly QueriedValue[]> => {
  const text = await startOf(body, MAX_ANSWER_BYTES);
  const parsed = statusCode === 200 ? answer.safeParse(jsonIn(text)) : undefined;
  if (parsed?.success)
    return parsed.data.data.result.map(({ metric, value: [, value] }) => ({
      labels: metric,
      value: Number(value),
    }));
  if (statusCode === 200) throw new QueryError('answered 200, but not as the query API of Prometheus does');
  const quote = quotedAnswer(text.slice(0, 4 * 1024), secrets);
  throw new QueryError(`answered ${statusCode}${quote === undefined ? '' : `: ${quote}`}`);
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the options of a querier: those of the receiver, with the address of its queries. */
export const queryOptions = (options: ReceiverOptions, address: string): ReceiverOptions => ({
  ...options,
  url: new Secret(address),
});

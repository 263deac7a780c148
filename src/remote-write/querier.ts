// Asks the engine of a receiver for sums, at the address that it concludes, and describes its failures without secrets.

import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { objectIn, quotedAnswer, startOf } from '../lib/http-answer.ts';
import { Secret } from '../lib/secret.ts';
import { SECOND } from '../lib/time.ts';
import { Exchange } from './receiver.ts';
import { commonHeaders, type ReceiverOptions } from './receiver-options.ts';

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

/** `options.url` is the address of instant queries. The credentials are those for writing. */
export class Querier extends Exchange {
  /** Returns an instant query's values at `at` (ms). Rejects with QueryError and the signal's reason. One call at a time. */
  async query(expression: string, at: number, signal: AbortSignal): Promise<readonly QueriedValue[]> {
    // VictoriaMetrics rounds the time of a query that may be cached.
    const form = new URLSearchParams({ query: expression, time: `${at / SECOND}`, nocache: '1' });
    const values = await this.post<readonly QueriedValue[] | QueryError>({
      body: form.toString(),
      headers: {
        ...commonHeaders(this.options, this.context.userAgent),
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...{ signal, read: valuesIn, onFailure: (reason) => new QueryError(reason) },
    });
    if (values instanceof QueryError) throw values;
    return values;
  }
}

const valuesIn = async (
  { statusCode, body }: Dispatcher.ResponseData,
  secrets: readonly string[],
): Promise<readonly QueriedValue[] | QueryError> => {
  const text = await startOf(body, MAX_ANSWER_BYTES);
  const parsed = statusCode === 200 ? answer.safeParse(objectIn(text)) : undefined;
  if (parsed?.success)
    return parsed.data.data.result.map(({ metric, value: [, value] }) => ({
      labels: metric,
      value: Number(value),
    }));
  if (statusCode === 200) return new QueryError('answered 200, but not as the query API of Prometheus does');
  const quote = quotedAnswer(text.slice(0, 4 * 1024), secrets);
  return new QueryError(`answered ${statusCode}${quote === undefined ? '' : `: ${quote}`}`);
};

export const queryOptions = (options: ReceiverOptions, address: string): ReceiverOptions => ({
  ...options,
  url: new Secret(address),
});

/** The addresses of remote write of both engines, and those of OTLP of Prometheus and of VictoriaMetrics. */
const WRITE_PATH = /\/(?:api\/v1\/(?:write|otlp\/v1\/metrics)|opentelemetry\/v1\/metrics)\/?$/;
/** The paths of queries of the HTTP API, any of which somebody may paste. */
const QUERY_PATHS = /\/api\/v1(?:\/query(?:_range)?)?\/*$/;
const QUERY_PATH = '/api/v1/query';

/**
 * Returns the address of instant queries. `queryUrl` is the address without `/api/v1/query`, as Grafana has it, or with
 * it. Without it, the address is concluded from the address for writing, if that is of Prometheus or VictoriaMetrics.
 * Undefined if it is not. Both addresses may contain a token.
 */
export const queryAddress = (url: string, queryUrl: string | undefined): string | undefined => {
  const base = new URL(queryUrl ?? url);
  if (queryUrl === undefined && !WRITE_PATH.test(base.pathname)) return undefined;
  const path = base.pathname.replace(WRITE_PATH, '').replace(QUERY_PATHS, '').replace(/\/+$/, '');
  base.pathname = path + QUERY_PATH;
  return base.href;
};

// Sends one HTTP request and reads its answer: JSON, or a ProviderError that says what went wrong.

import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { retryAfterMs } from '../lib/http-answer.ts';
import { quotedText } from '../lib/quoted-text.ts';
import { containsSecret, secretVariants } from '../lib/secret-search.ts';
import { SECOND } from '../lib/time.ts';
import { errors } from '../lib/undici.ts';
import { type AnswerBody, readBody } from './answer-body.ts';
import { ERROR_LIMIT } from './answer-limits.ts';
import { kindOfStatus, ProviderError, type ProviderErrorKind } from './errors.ts';

export interface WireRequest {
  readonly endpoint: string;
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Texts that no error may repeat. */
  readonly secrets: readonly string[];
  /** Limits the whole exchange, from connecting to the last byte. */
  readonly timeoutMs: number;
  /** The most bytes that are read of a successful answer. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer extends AnswerBody {
  readonly status: number;
  /** As the provider sent it. It must not be shown unless `quotedText` has removed what is secret. */
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  /** The provider's clock (ms), with a resolution of a second; undefined without a `Date`. */
  readonly serverTime: number | undefined;
}

/** Sends the request and reads the whole answer, whatever its status. Does not follow redirects: they would get the keys. */
export const send = async (dispatcher: Dispatcher, clock: Clock, request: WireRequest): Promise<Answer> => {
  const { endpoint, method, origin, path, headers, body = null, timeoutMs, maxBytes, signal } = request;
  using deadline = clock.deadline(timeoutMs);
  const combined = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  try {
    const limits = { signal: combined, headersTimeout: 0, bodyTimeout: 0 };
    const response = await dispatcher.request({ method, origin, path, headers, body, ...limits });
    const limit = isSuccess(response.statusCode) ? maxBytes : ERROR_LIMIT;
    return toAnswer(response, await readBody(response, limit));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    const [kind, problem] = deadline.signal.aborted ? timeoutFailure(timeoutMs) : failureOf(error);
    const isLocal = hasNoFreeFiles(error);
    throw new ProviderError(kind, endpoint, problem, { isLocal, cause: withoutRawAnswer(error) });
  }
};

/** Returns the JSON of a successful answer. Throws ProviderError for any other, with the provider's message, if any. */
export const readJson = ({ endpoint, secrets }: WireRequest, answer: Answer, now: number): unknown => {
  const { status, contentType, json, bytes, unread, serverTime, retryAfter } = answer;
  if (asksForSecondFactor(json)) throw secondFactorError(endpoint, status);
  if (isSuccess(status)) {
    if (json !== undefined) return json;
    if (unread) {
      const { isTooLong } = unread;
      throw new ProviderError('bad_response', endpoint, `the answer ${unread.problem}`, {
        status,
        isTooLong,
      });
    }
    const type = quotedText(contentType, secrets);
    const problem = `answered ${status} with ${bytes} bytes of ${type} instead of JSON`;
    throw new ProviderError('bad_response', endpoint, problem, { status });
  }
  const message = stringFieldOf(json, 'message') ?? stringFieldOf(json, 'error') ?? '';
  const detail = quotedText(message, secrets) || `no message (${quotedText(contentType, secrets)})`;
  throw new ProviderError(kindOfStatus(status), endpoint, `answered ${status}: ${detail}`, {
    status,
    requestId: requestIdOf(json, secrets),
    // The original message is parsed, because it may name a time even if it must not be shown.
    retryAfterMs: retryAfterMs(retryAfter, serverTime ?? now, message),
  });
};

/**
 * Whether the account asks for a second factor. The provider documents the fields of this answer, but not its status. The
 * fields name a key and an address, and the message may repeat them.
 */
const asksForSecondFactor = (json: unknown): boolean =>
  typeof json === 'object' &&
  json !== null &&
  Object.keys(json).some((key) => key.startsWith('two_factor_authentication_'));

const secondFactorError = (endpoint: string, status: number): ProviderError =>
  new ProviderError('forbidden', endpoint, `answered ${status}: the account asks for a second factor`, {
    status,
    needsSecondFactor: true,
  });

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const toAnswer = ({ statusCode, headers }: Dispatcher.ResponseData, body: AnswerBody): Answer => {
  const serverTime = Date.parse(String(headers.date));
  return {
    status: statusCode,
    contentType: String(headers['content-type'] ?? 'unnamed content'),
    retryAfter: headers['retry-after'] === undefined ? undefined : String(headers['retry-after']),
    serverTime: Number.isNaN(serverTime) ? undefined : serverTime,
    ...body,
  };
};

const timeoutFailure = (timeoutMs: number): [ProviderErrorKind, string] => [
  'timeout',
  `no complete answer within ${timeoutMs / SECOND} s`,
];

/** The provider is not at fault, so the message must not send the reader there. */
const NO_FREE_FILES =
  'not requested, because proxywatch has too many open files. Raise its limit of open files, for example with LimitNOFILE= in systemd';

const hasNoFreeFiles = (error: unknown): boolean => {
  const { code } = error as Partial<NodeJS.ErrnoException>;
  return code === 'EMFILE' || code === 'ENFILE';
};

const failureOf = (error: unknown): [ProviderErrorKind, string] => {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  if (hasNoFreeFiles(error)) return ['network', `${NO_FREE_FILES} (${code})`];
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return ['timeout', 'could not connect in time'];
  if (error instanceof errors.HTTPParserError) return ['bad_response', `the answer is not HTTP: ${message}`];
  const hasCode = code !== undefined && !message?.includes(code);
  const problem = [...(hasCode ? [code] : []), ...(message ? [message] : [])].join(', ');
  return ['network', `connection failed: ${problem || String(error)}`];
};

/** Keeps only the message of a parser error: its other fields hold the received bytes, which may contain passwords. */
const withoutRawAnswer = (error: unknown): unknown =>
  error instanceof errors.HTTPParserError ? new Error(error.message) : error;

const stringFieldOf = (json: unknown, key: 'message' | 'error' | 'api_request_id'): string | undefined => {
  const value = (json as Partial<Record<string, unknown>> | null | undefined)?.[key];
  return typeof value === 'string' ? value : undefined;
};

const requestIdOf = (json: unknown, secrets: readonly string[]): string | undefined => {
  const id = stringFieldOf(json, 'api_request_id');
  if (id === undefined || !/^[\w-]{1,64}$/.test(id) || containsSecret(id, secretVariants(secrets)))
    return undefined;
  return id;
};

// One request and its answer over HTTP: JSON, or a ProviderError that says what went wrong.

import { type Dispatcher, errors } from 'undici';
import { needlesOf, occursIn } from './credentials.ts';
import { kindOfStatus, ProviderError, type ProviderErrorKind } from './errors.ts';
import { quote } from './provider-words.ts';
import { retryAfterMs } from './retry-after.ts';

export interface WireRequest {
  readonly endpoint: string;
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** What must not be repeated in an error. */
  readonly secrets: readonly string[];
  /** Bound on the whole exchange, from connecting to the last byte, in real time. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  /** The provider's clock (ms), with a resolution of a second; undefined without a `Date`. */
  readonly serverTime: number | undefined;
  readonly text: string;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Sends and reads the whole answer, whatever its status; redirects are not followed, since keys would go along. */
export const send = async (dispatcher: Dispatcher, request: WireRequest): Promise<Answer> => {
  const { endpoint, method, origin, path, headers, body = null, timeoutMs, signal } = request;
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    const limits = { signal: either, headersTimeout: 0, bodyTimeout: 0 };
    const response = await dispatcher.request({ method, origin, path, headers, body, ...limits });
    return toAnswer(request, response, await readText(endpoint, response.body));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    const [kind, what] = deadline.aborted ? lateness(timeoutMs) : failure(error);
    throw new ProviderError(kind, endpoint, what, { cause: withoutAnswer(error) });
  }
};

/** The JSON of a successful answer; throws for any other, in the provider's own words where it has some. */
export const readJson = ({ endpoint, secrets }: WireRequest, answer: Answer, now: number): unknown => {
  const { status, contentType, text, serverTime, retryAfter } = answer;
  const json = parse(text);
  if (status >= 200 && status < 300) {
    if (json !== undefined) return json;
    const what = `answered ${status} with ${text.length} characters of ${contentType} that are not JSON`;
    throw new ProviderError('bad_response', endpoint, what, { status });
  }
  const message = stringAt(json, 'message') ?? stringAt(json, 'error') ?? '';
  const words = quote(message, secrets) || contentType;
  throw new ProviderError(kindOfStatus(status), endpoint, `answered ${status}: ${words}`, {
    status,
    requestId: requestIdOf(json, secrets),
    // Of the words as they came: those that are not shown tell of the time all the same.
    retryAfterMs: retryAfterMs(retryAfter, serverTime ?? now, message),
  });
};

const readText = async (endpoint: string, body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new ProviderError('bad_response', endpoint, `answer is longer than ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
};

const toAnswer = (
  { secrets }: WireRequest,
  { statusCode, headers }: Dispatcher.ResponseData,
  text: string,
): Answer => {
  const serverTime = Date.parse(String(headers.date));
  return {
    status: statusCode,
    contentType: quote(String(headers['content-type'] ?? 'unnamed content'), secrets),
    retryAfter: headers['retry-after'] === undefined ? undefined : String(headers['retry-after']),
    serverTime: Number.isNaN(serverTime) ? undefined : serverTime,
    text,
  };
};

const lateness = (timeoutMs: number): [ProviderErrorKind, string] => [
  'timeout',
  `no complete answer within ${timeoutMs} ms`,
];

const failure = (error: unknown): [ProviderErrorKind, string] => {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return ['timeout', 'no connection in time'];
  if (error instanceof errors.HTTPParserError) return ['bad_response', `no HTTP: ${message}`];
  return ['network', `connection failed: ${[code, message].filter(Boolean).join(', ') || String(error)}`];
};

/** A parser error carries what was received, which may hold passwords: of it the message alone is kept. */
const withoutAnswer = (error: unknown): unknown =>
  error instanceof errors.HTTPParserError ? new Error(error.message) : error;

/** No cause is kept of a parse error: its message quotes the text, which may hold passwords. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const stringAt = (json: unknown, key: 'message' | 'error' | 'api_request_id'): string | undefined => {
  const value = (json as Partial<Record<string, unknown>> | null | undefined)?.[key];
  return typeof value === 'string' ? value : undefined;
};

const requestIdOf = (json: unknown, secrets: readonly string[]): string | undefined => {
  const id = stringAt(json, 'api_request_id');
  if (id === undefined || !/^[\w-]{1,64}$/.test(id) || occursIn(id, needlesOf(secrets))) return undefined;
  return id;
};

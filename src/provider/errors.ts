// Defines the nine kinds of errors of requests to the provider. Their messages contain no secrets.

export const PROVIDER_ERROR_KINDS = [
  'auth',
  'forbidden',
  'rate_limited',
  'rejected',
  'not_found',
  'server',
  'network',
  'timeout',
  'bad_response',
] as const;
export type ProviderErrorKind = (typeof PROVIDER_ERROR_KINDS)[number];

export interface ProviderErrorDetails {
  /** HTTP status; undefined if there was no answer. */
  readonly status?: number | undefined;
  /** The provider's id of the request, for questions to its support. */
  readonly requestId?: string | undefined;
  /** How long the provider asks to wait, with `rate_limited`. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the answer was longer than the endpoint can need, with `bad_response`. */
  readonly isTooLong?: boolean | undefined;
  /** Whether this machine is at fault and not the provider, with `network`. */
  readonly isLocal?: boolean | undefined;
  /** Whether the account asks for a second factor, which no program has, with `forbidden`. */
  readonly needsSecondFactor?: boolean | undefined;
  readonly cause?: unknown;
}

/** A failed request. `message` begins with the endpoint and is safe to log: no keys, passwords, query strings or bodies. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** The path without its common prefix and without ids, such as `analytics/graph`. */
  readonly endpoint: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isTooLong: boolean;
  readonly isLocal: boolean;
  readonly needsSecondFactor: boolean;

  constructor(
    kind: ProviderErrorKind,
    endpoint: string,
    problem: string,
    details: ProviderErrorDetails = {},
  ) {
    const {
      status,
      requestId,
      retryAfterMs,
      isTooLong = false,
      isLocal = false,
      needsSecondFactor = false,
      cause,
    } = details;
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    super(`${endpoint}: ${problem}${request}`, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.endpoint = endpoint;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.isTooLong = isTooLong;
    this.isLocal = isLocal;
    this.needsSecondFactor = needsSecondFactor;
  }
}

/** The error of an answer about another thing than the requested one. */
export const otherAnswer = (endpoint: string, what: string, id: string | number): ProviderError =>
  new ProviderError(
    'bad_response',
    endpoint,
    `the answer to a request for ${what} ${id} has another ${what}`,
  );

/** How the provider answers for an endpoint whose product an account does not have. */
const ABSENT: readonly unknown[] = [403, 404, 422];

/** Whether the account may lack what the whole endpoint is about. */
export const mayBeAbsent = ({ status, needsSecondFactor }: ProviderError): boolean =>
  ABSENT.includes(status) && !needsSecondFactor;

/** Whether a server that is not the provider's API, or a wrong path in its address, may have caused the error. */
export const mayBeWrongServer = ({ kind, status }: ProviderError): boolean =>
  kind === 'not_found' || kind === 'bad_response' || status === METHOD_NOT_ALLOWED;

/** What to say and what to do if no endpoint answers as the provider's API does. */
export const WRONG_SERVER = "the server at base_url does not answer like the provider's API";
export const WRONG_SERVER_ADVICE =
  'Set base_url to the address of the API, with its version at the end, such as https://api.byteful.com/1.0.';

const METHOD_NOT_ALLOWED = 405;

export const kindOfStatus = (status: number): ProviderErrorKind => {
  if (status === 401) return 'auth';
  // The provider may answer 499 for an account that requires a second factor.
  if (status === 403 || status === 499) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server';
  if (status >= 400) return 'rejected';
  return 'bad_response';
};

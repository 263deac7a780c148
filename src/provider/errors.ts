// What can go wrong with the provider, in nine kinds, without a secret in any message.

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
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The provider's id of the request, for its support. */
  readonly requestId?: string | undefined;
  /** How long the provider asks to be left alone, with `rate_limited`. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** `message` begins with the endpoint and is fit for logs: no keys, passwords, query strings or bodies. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** The path without its common start and without ids, such as `analytics/graph`. */
  readonly endpoint: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ProviderErrorKind, endpoint: string, what: string, details: ProviderErrorDetails = {}) {
    const { status, requestId, retryAfterMs, cause } = details;
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    super(`${endpoint}: ${what}${request}`, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.endpoint = endpoint;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The kind of an answer that is not a success. */
export const kindOfStatus = (status: number): ProviderErrorKind => {
  if (status === 401) return 'auth';
  // 499 is what an account that asks for a second factor may answer.
  if (status === 403 || status === 499) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server';
  if (status >= 400) return 'rejected';
  return 'bad_response';
};

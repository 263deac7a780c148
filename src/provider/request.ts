// Turns a call into an HTTP request: address, headers and body, and the list of secrets in them.

import type { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import { answerLimit } from './answer-limits.ts';
import { ProviderError } from './errors.ts';
import type { WireRequest } from './exchange.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
export type KeyPair = readonly [publicKey: string, privateKey: string];

export interface RequestOptions<T = unknown> {
  /** The shape of a valid answer. Any other answer rejects with bad_response. */
  readonly schema?: z.ZodType<T> | undefined;
  /** The id that ends the path. */
  readonly path?: string | number | undefined;
  /** Query parameters; undefined ones are left out. */
  readonly query?: Query | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default: the client's `requestTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  readonly attempts?: AttemptObserver | undefined;
  /** Whether nothing depends on the answer: it is sent once, waits for no pause, and its rejection changes no state. */
  readonly isOptional?: boolean | undefined;
  /** Whether an account may lack what the endpoint is about. A 403 is then no rejection of the keys. */
  readonly mayBeAbsent?: boolean | undefined;
  /** The most bytes to read of the answer. Default: as `answerLimit` returns it for the endpoint. */
  readonly maxBytes?: number | undefined;
}

/** Ends a request before its time. */
export type SignalOption = Pick<RequestOptions, 'signal'>;

export interface Call<T>
  extends Pick<WireRequest, 'endpoint' | 'method' | 'timeoutMs' | 'signal'>,
    Omit<RequestOptions<T>, 'timeoutMs'> {
  /** Is sent as JSON with its secrets revealed. */
  readonly body?: unknown;
}

/** Is called for each attempt of a call, so that its caller knows which attempts may have run at the provider. */
export interface AttemptObserver {
  /** The attempt is sent as soon as this resolves. It is not sent if this rejects. */
  starts(): Promise<void>;
  /** The attempt did not run, because the provider refused it for its keys or its pace. */
  refused(): Promise<void>;
}

/** Throws ProviderError (auth) if a key cannot be sent in a header. */
export const toWireRequest = (
  base: URL,
  userAgent: string,
  call: Call<unknown>,
  keys: KeyPair,
): WireRequest => {
  const { endpoint, method, timeoutMs, signal, maxBytes = answerLimit(call.endpoint) } = call;
  if (!keys.every(isSendable)) {
    throw new ProviderError(
      'auth',
      endpoint,
      'a key is empty, or has characters that an HTTP header cannot contain',
    );
  }
  const [publicKey, privateKey] = keys;
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    'x-api-public-key': publicKey,
    'x-api-private-key': privateKey,
  };
  const limits = { timeoutMs, maxBytes, signal };
  const wire = { endpoint, method, ...limits, origin: base.origin, path: pathOf(base, call) };
  if (call.body === undefined) return { ...wire, headers, secrets: keys };
  const { json, secrets } = serializeBody(call.body);
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };
  return { ...wire, headers: jsonHeaders, body: json, secrets: [...keys, ...secrets] };
};

const isSendable = (key: string): boolean => /^[\x21-\x7e]+$/.test(key);

const pathOf = (base: URL, { endpoint, path, query = {} }: Call<unknown>): string => {
  const root = base.pathname.replace(/\/+$/, '');
  const end = path === undefined ? '' : `/${encodeURIComponent(path)}`;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `${root}/public/user/${endpoint}${end}${search.size === 0 ? '' : `?${search}`}`;
};

const serializeBody = (body: unknown): { json: string; secrets: string[] } => {
  const secrets: string[] = [];
  const json = JSON.stringify(body, function (this: Record<string, unknown>, name, value) {
    // `value` is the result of the secret's toJSON; the containing object still has the secret itself.
    const original = this[name];
    if (!(original instanceof Secret)) return value;
    const secret = original.reveal();
    secrets.push(secret);
    return secret;
  });
  return { json, secrets };
};

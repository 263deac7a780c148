// The provider's API over HTTP: keys, pace, timeouts and retries.

import { type Dispatcher, Pool } from 'undici';
import type { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Secret } from '../lib/secret.ts';
import { SECOND } from '../lib/time.ts';
import { ProviderError } from './errors.ts';
import { readJson, send } from './exchange.ts';
import { type Pace, Pacer } from './pace.ts';
import { type AttemptObserver, type Call, type KeyPair, type Query, toWire } from './request.ts';
import { decodeAnswer } from './schema.ts';

/** Told of every attempt; must not throw. */
export interface ProviderObserver {
  /** `code` is the HTTP status, or `timeout`, `network` or `bad_response`; an aborted request is not told of. */
  onResponse(response: { endpoint: string; code: string; durationMs: number }): void;
  /** The provider's clock minus ours, to the second. */
  onServerDate(offsetMs: number): void;
}

export interface ProviderClientOptions {
  /** Address of the service with its version segment. */
  readonly baseUrl: string;
  readonly keys: { readonly publicKey: Secret; readonly privateKey: Secret };
  readonly requestsPerSecond: number;
  /** Bound on one attempt, without the wait for its turn. */
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly observer: ProviderObserver;
  /** Stays the caller's to close. Default: a pool of 8 connections of the client's own. */
  readonly dispatcher?: Dispatcher;
  /** Default: `proxywatch`. */
  readonly userAgent?: string;
  /** From 0 to below 1, for the jitter of retries. */
  readonly random?: () => number;
}

export interface RequestOptions<T = unknown> {
  /** What the answer must be like: anything else counts as no answer, and rejects with bad_response. */
  readonly schema?: z.ZodType<T> | undefined;
  /** The id that ends the path. */
  readonly path?: string | number | undefined;
  /** Parameters; undefined ones are left out. */
  readonly query?: Query | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default: the client's `requestTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  readonly attempts?: AttemptObserver | undefined;
}

/** Both calls resolve to what the schema makes of the JSON, without one to the JSON itself, and reject with ProviderError or the signal's reason. */
export interface ProviderClient extends AsyncDisposable {
  /** Tried 3 times in all on refusals for pace, server errors, lost connections and timeouts. */
  get<T>(endpoint: string, options?: RequestOptions<T>): Promise<T>;
  /** Sends `body` as JSON with its secrets revealed; repeated only after 429, when it certainly did not run. */
  post<T>(endpoint: string, body: unknown, options?: RequestOptions<T>): Promise<T>;
  readonly pace: Pace;
  /** Number of the present key pair, which rises when other keys are found in their files. */
  readonly keysVersion: number;
}

export const createProviderClient = (options: ProviderClientOptions): ProviderClient =>
  new HttpProviderClient(options);

const CONNECTIONS = 8;
const MAX_ATTEMPTS = 3;
const BACKOFF_MS = SECOND;

class HttpProviderClient implements ProviderClient {
  readonly #options: ProviderClientOptions;
  readonly #base: URL;
  readonly #dispatcher: Dispatcher;
  readonly #pacer: Pacer;
  #keys: KeyPair | undefined;
  #keysVersion = 0;

  constructor(options: ProviderClientOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    this.#dispatcher = options.dispatcher ?? new Pool(this.#base.origin, { connections: CONNECTIONS });
    this.#pacer = new Pacer(options);
  }

  get pace(): Pace {
    return this.#pacer;
  }

  get keysVersion(): number {
    this.#revealKeys();
    return this.#keysVersion;
  }

  get<T>(endpoint: string, options: RequestOptions<T> = {}): Promise<T> {
    return this.#retrying(this.#call('GET', endpoint, options));
  }

  post<T>(endpoint: string, body: unknown, options: RequestOptions<T> = {}): Promise<T> {
    return this.#retrying({ ...this.#call('POST', endpoint, options), body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#options.dispatcher) await this.#dispatcher.destroy();
  }

  #call<T>(method: Call<T>['method'], endpoint: string, { path, ...options }: RequestOptions<T>): Call<T> {
    const timeoutMs = options.timeoutMs ?? this.#options.requestTimeoutMs;
    return { ...options, endpoint, method, id: path, timeoutMs };
  }

  async #retrying<T>(call: Call<T>): Promise<T> {
    const { clock, random = Math.random } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#withPresentKeys(call);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !mayBeRepeated(call, error)) throw error;
      }
      await clock.sleep(random() * BACKOFF_MS * 2 ** (attempt - 1), call.signal);
    }
  }

  /** Keys are replaced in their files while we run: a refusal counts only once the newest were tried. */
  async #withPresentKeys<T>(call: Call<T>): Promise<T> {
    const sent = this.#revealKeys();
    try {
      return await this.#attempt(call, sent);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.status !== 401) throw error;
      const fresh = this.#refreshKeys();
      if (fresh.every((key, index) => key === sent[index])) throw error;
      return await this.#attempt(call, fresh);
    }
  }

  async #attempt<T>(call: Call<T>, keys: KeyPair): Promise<T> {
    const { clock, observer, userAgent = 'proxywatch' } = this.#options;
    const request = toWire(this.#base, userAgent, call, keys);
    const turn = await this.#pacer.take(call.signal);
    await call.attempts?.starts();
    const startedAt = clock.monotonic();
    const observe = (code: string) =>
      observer.onResponse({ endpoint: call.endpoint, code, durationMs: clock.monotonic() - startedAt });
    try {
      const answer = await send(this.#dispatcher, request);
      if (answer.serverTime !== undefined) observer.onServerDate(answer.serverTime - clock.now());
      const json = readJson(request, answer, clock.now());
      const data = decodeAnswer(call, json);
      observe(String(answer.status));
      return data;
    } catch (error) {
      if (error instanceof ProviderError) {
        observe(codeOf(error));
        if (error.kind === 'rate_limited') this.#pacer.slowDown(turn, error.retryAfterMs);
        if (isRefusal(error)) await call.attempts?.refused();
      }
      throw error;
    }
  }

  #revealKeys(): KeyPair {
    const { publicKey, privateKey } = this.#options.keys;
    const keys: KeyPair = [publicKey.reveal(), privateKey.reveal()];
    if (keys.some((key, index) => key !== this.#keys?.[index])) this.#keysVersion += 1;
    this.#keys = keys;
    return keys;
  }

  /** What refresh() says is not enough: another request may have revealed the new value before. */
  #refreshKeys(): KeyPair {
    const { publicKey, privateKey } = this.#options.keys;
    publicKey.refresh();
    privateKey.refresh();
    return this.#revealKeys();
  }
}

const REPEATABLE: readonly string[] = ['rate_limited', 'server', 'network', 'timeout'];

const mayBeRepeated = ({ method }: Call<unknown>, error: unknown): boolean => {
  if (!(error instanceof ProviderError)) return false;
  return method === 'POST' ? error.kind === 'rate_limited' : REPEATABLE.includes(error.kind);
};

/** What was not let in certainly did not run. */
const isRefusal = ({ status }: ProviderError): boolean => status === 401 || status === 403 || status === 429;

/** The label that counts a failed attempt. */
const codeOf = ({ kind, status }: ProviderError): string =>
  kind === 'network' || kind === 'timeout' || kind === 'bad_response' ? kind : String(status);

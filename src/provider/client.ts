// The provider's API over HTTP: keys, pace, timeouts and retries.

import { Pool } from 'undici';
import type { z } from 'zod';
import { SECOND } from '../lib/time.ts';
import { Attempts } from './attempts.ts';
import type { ClientParts, ProviderClientOptions } from './client-parts.ts';
import { Endpoints } from './endpoints.ts';
import { ProviderError } from './errors.ts';
import { Keys } from './keys.ts';
import { type Pace, Pacer } from './pace.ts';
import type { AttemptObserver, Call, Query } from './request.ts';

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
  /** Whether nothing rests on the answer, so that a rejection is no news of the endpoint. */
  readonly isOptional?: boolean | undefined;
}

/**
 * Both calls resolve to what the schema makes of the JSON, without one to the JSON itself, and reject with ProviderError
 * or the signal's reason. A refusal for pace (429) is waited out until the deadline of the run, or for ten seconds
 * where there is none; one that lasts longer rejects at once.
 */
export interface ProviderClient extends AsyncDisposable {
  /** Tried 3 times in all on server errors, lost connections and timeouts. */
  get<T>(endpoint: string, options?: RequestOptions<T>): Promise<T>;
  /** Sends `body` as JSON with its secrets revealed; repeated only after 429, when it certainly did not run. */
  post<T>(endpoint: string, body: unknown, options?: RequestOptions<T>): Promise<T>;
  /** The same client for one run, which ends at `endsAt` on the monotonic clock (ms). */
  forRun(endsAt: number): ProviderClient;
  /** The client itself, of which this may be a run's. */
  readonly root: object;
  readonly pace: Pace;
  readonly endpoints: Endpoints;
  /** Number of the present key pair, which rises when other keys are found in their files. */
  readonly keysVersion: number;
}

export const createProviderClient = (options: ProviderClientOptions): ProviderClient => {
  const { dispatcher, clock, random } = options;
  const base = new URL(options.baseUrl);
  const parts = {
    ...{ base, options },
    dispatcher: dispatcher ?? new Pool(base.origin, { connections: CONNECTIONS }),
    endpoints: options.endpoints ?? new Endpoints({ clock, random }),
    pacer: new Pacer(options),
    keys: new Keys(options.keys),
  };
  return new HttpProviderClient(parts);
};

const CONNECTIONS = 8;
const MAX_ATTEMPTS = 3;
const BACKOFF_MS = SECOND;
/** How long refusals are waited out where no run says until when. */
const PATIENCE_MS = 10 * SECOND;

class HttpProviderClient implements ProviderClient {
  readonly #parts: ClientParts;
  readonly #run: { readonly root: object; readonly endsAt: number } | undefined;
  readonly #attempts: Attempts;

  constructor(parts: ClientParts, run?: { readonly root: object; readonly endsAt: number }) {
    this.#parts = parts;
    this.#run = run;
    this.#attempts = new Attempts(parts);
  }

  get root(): object {
    return this.#run?.root ?? this;
  }

  get pace(): Pace {
    return this.#parts.pacer;
  }

  get endpoints(): Endpoints {
    return this.#parts.endpoints;
  }

  get keysVersion(): number {
    return this.#parts.keys.version;
  }

  forRun(endsAt: number): ProviderClient {
    return new HttpProviderClient(this.#parts, { root: this.root, endsAt });
  }

  get<T>(endpoint: string, options: RequestOptions<T> = {}): Promise<T> {
    return this.#retrying(this.#call('GET', endpoint, options));
  }

  post<T>(endpoint: string, body: unknown, options: RequestOptions<T> = {}): Promise<T> {
    return this.#retrying({ ...this.#call('POST', endpoint, options), body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { dispatcher, options } = this.#parts;
    if (!options.dispatcher && !this.#run) await dispatcher.destroy();
  }

  #call<T>(method: Call<T>['method'], endpoint: string, { path, ...options }: RequestOptions<T>): Call<T> {
    const timeoutMs = options.timeoutMs ?? this.#parts.options.requestTimeoutMs;
    return { ...options, endpoint, method, id: path, timeoutMs };
  }

  async #retrying<T>(call: Call<T>): Promise<T> {
    const { endpoints, options } = this.#parts;
    const { clock, random = Math.random } = options;
    const endsAt = this.#run?.endsAt ?? clock.monotonic() + PATIENCE_MS;
    for (let attempt = 1; ; ) {
      try {
        return await this.#attempts.send(call, endsAt);
      } catch (error) {
        if (isRefusal(error)) {
          // It is no failed attempt: the pause of its endpoint is waited for, where there is time.
          if (clock.monotonic() + endpoints.pauseLeftMs(call.endpoint) > endsAt) throw error;
          continue;
        }
        if (attempt === MAX_ATTEMPTS || !mayBeRepeated(call, error)) throw error;
      }
      await clock.sleep(random() * BACKOFF_MS * 2 ** (attempt - 1), call.signal);
      attempt += 1;
    }
  }
}

const REPEATABLE: readonly string[] = ['server', 'network', 'timeout'];

const isRefusal = (error: unknown): boolean =>
  error instanceof ProviderError && error.kind === 'rate_limited';

const mayBeRepeated = ({ method }: Call<unknown>, error: unknown): boolean =>
  method === 'GET' && error instanceof ProviderError && REPEATABLE.includes(error.kind);

// Calls the provider's API over HTTP with keys, pace, timeouts and retries.

import { createHmac } from 'node:crypto';
import { SECOND } from '../lib/time.ts';
import { Pool } from '../lib/undici.ts';
import { Attempts } from './attempts.ts';
import { type ClientContext, guardedObserver, Keys, type ProviderClientOptions } from './client-options.ts';
import { Endpoints } from './endpoints.ts';
import { ProviderError } from './errors.ts';
import { type Pace, Pacer } from './pace.ts';
import type { Call, RequestOptions } from './request.ts';
import type { RunWaits } from './run-waits.ts';

/**
 * Both calls resolve to the JSON as the schema parses it, or to the JSON itself without a schema. They reject with
 * ProviderError or the signal's reason. After 429 they wait for the end of the pause, until the deadline of the run, or
 * for ten seconds outside runs. If the pause lasts longer, they reject at once.
 */
export interface ProviderClient extends AsyncDisposable {
  /** Makes up to 3 attempts if they fail with server errors, lost connections or timeouts. */
  get<T>(endpoint: string, options?: RequestOptions<T>): Promise<T>;
  /** Sends `body` as JSON with its secrets revealed. Repeats only after 429, because such a request did not run. */
  post<T>(endpoint: string, body: unknown, options?: RequestOptions<T>): Promise<T>;
  /**
   * Returns the client for one run, which ends at `endsAt` on the monotonic clock (ms). Its requests that wait for a pause
   * are in `waits`, by default in those of the run that this client is for.
   */
  forRun(endsAt: number, waits?: RunWaits): ProviderClient;
  /** Identifies the account's client; a client for a run returns the one that it was made from. */
  readonly root: object;
  readonly pace: Pace;
  readonly endpoints: Endpoints;
  /** Number of the current key pair; it rises when the key files hold other keys. */
  readonly keysVersion: number;
  /** Returns a hash of the text. Without the private key, no other text can be compared with it. It changes with the key. */
  keyedHash(text: string): string;
}

export const createProviderClient = (options: ProviderClientOptions): ProviderClient => {
  const { dispatcher, clock, random } = options;
  const base = new URL(options.baseUrl);
  const context = {
    base,
    options: { ...options, observer: guardedObserver(options.observer) },
    dispatcher: dispatcher ?? new Pool(base.origin, { connections: CONNECTIONS }),
    endpoints: options.endpoints ?? new Endpoints({ clock, random }),
    pacer: new Pacer(options),
    keys: new Keys(options.keys),
  };
  return new HttpProviderClient(context);
};

/** 96 bits. */
const HASH_CHARACTERS = 16;
const CONNECTIONS = 8;
const MAX_ATTEMPTS = 3;
const BACKOFF_MS = SECOND;
/** How long a request outside runs waits for the end of pauses. */
const MAX_WAIT_MS = 10 * SECOND;

interface ClientRun {
  readonly root: object;
  readonly endsAt: number;
  readonly waits: RunWaits | undefined;
}

class HttpProviderClient implements ProviderClient {
  readonly #context: ClientContext;
  readonly #run: ClientRun | undefined;
  readonly #attempts: Attempts;

  constructor(context: ClientContext, run?: ClientRun) {
    this.#context = context;
    this.#run = run;
    this.#attempts = new Attempts(context, run?.waits);
  }

  get root(): object {
    return this.#run?.root ?? this;
  }

  get pace(): Pace {
    return this.#context.pacer;
  }

  get endpoints(): Endpoints {
    return this.#context.endpoints;
  }

  get keysVersion(): number {
    return this.#context.keys.version;
  }

  keyedHash(text: string): string {
    const [, privateKey] = this.#context.keys.reveal();
    return createHmac('sha256', privateKey).update(text).digest('base64url').slice(0, HASH_CHARACTERS);
  }

  forRun(endsAt: number, waits = this.#run?.waits): ProviderClient {
    return new HttpProviderClient(this.#context, { root: this.root, endsAt, waits });
  }

  get<T>(endpoint: string, options: RequestOptions<T> = {}): Promise<T> {
    return this.#send(this.#call('GET', endpoint, options));
  }

  post<T>(endpoint: string, body: unknown, options: RequestOptions<T> = {}): Promise<T> {
    return this.#send({ ...this.#call('POST', endpoint, options), body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { dispatcher, options } = this.#context;
    if (!options.dispatcher && !this.#run) await dispatcher.destroy();
  }

  #call<T>(method: Call<T>['method'], endpoint: string, options: RequestOptions<T>): Call<T> {
    const timeoutMs = options.timeoutMs ?? this.#context.options.requestTimeoutMs;
    return { ...options, endpoint, method, timeoutMs };
  }

  async #send<T>(call: Call<T>): Promise<T> {
    try {
      return await this.#sendWithRetries(call);
    } finally {
      this.#run?.waits?.ended(call);
    }
  }

  async #sendWithRetries<T>(call: Call<T>): Promise<T> {
    const { endpoints, options } = this.#context;
    const { clock, random = Math.random } = options;
    const { isOptional = false } = call;
    const endsAt = isOptional ? clock.monotonic() : (this.#run?.endsAt ?? clock.monotonic() + MAX_WAIT_MS);
    for (let attempt = 1; ; ) {
      try {
        return await this.#attempts.send(call, endsAt);
      } catch (error) {
        // The reason of an aborted run may itself be a rate limit, which no further attempt ends.
        if (call.signal?.aborted) throw error;
        if (isRateLimited(error)) {
          // A 429 is not counted as a failed attempt: the request waits for the end of the pause if there is time.
          if (clock.monotonic() + endpoints.pauseLeftMs(call.endpoint) > endsAt) throw error;
          continue;
        }
        if (isOptional || attempt === MAX_ATTEMPTS || !canRetry(call, error)) throw error;
      }
      await clock.sleep(random() * BACKOFF_MS * 2 ** (attempt - 1), call.signal);
      attempt += 1;
    }
  }
}

const RETRYABLE: readonly string[] = ['server', 'network', 'timeout'];

const isRateLimited = (error: unknown): boolean =>
  error instanceof ProviderError && error.kind === 'rate_limited';

const canRetry = ({ method }: Call<unknown>, error: unknown): boolean =>
  method === 'GET' && error instanceof ProviderError && RETRYABLE.includes(error.kind);

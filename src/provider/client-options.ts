// Defines the options of a client: the keys, whose files may be replaced, and what it shares with clients of its runs.

import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import type { Secret } from '../lib/secret.ts';
import type { Endpoints } from './endpoints.ts';
import type { Pacer } from './pace.ts';
import type { ObservedAnswer } from './report/observed-answer.ts';
import type { KeyPair } from './request.ts';

interface KeySecrets {
  readonly publicKey: Secret;
  readonly privateKey: Secret;
}

export class Keys {
  readonly #secrets: KeySecrets;
  #current: KeyPair | undefined;
  #version = 0;

  constructor(secrets: KeySecrets) {
    this.#secrets = secrets;
  }

  /** Rises each time the keys change. */
  get version(): number {
    this.reveal();
    return this.#version;
  }

  reveal(): KeyPair {
    const { publicKey, privateKey } = this.#secrets;
    const keys: KeyPair = [publicKey.reveal(), privateKey.reveal()];
    if (!isSame(keys, this.#current)) this.#version += 1;
    this.#current = keys;
    return keys;
  }

  /** Reads the keys from their files again; undefined if the `sent` keys are the newest. */
  newerThan(sent: KeyPair): KeyPair | undefined {
    // The result of refresh() is not enough, because another request may have read the new value already.
    this.#secrets.publicKey.refresh();
    this.#secrets.privateKey.refresh();
    const newest = this.reveal();
    return isSame(newest, sent) ? undefined : newest;
  }
}

const isSame = (keys: KeyPair, others: KeyPair | undefined): boolean =>
  keys.every((key, index) => key === others?.[index]);

/** Is called for every attempt. A function that throws does not disturb the request. */
export interface ProviderObserver {
  /** `code` is the HTTP status, or `timeout`, `network` or `bad_response`. Aborted requests are not reported. */
  onResponse(response: { endpoint: string; code: string; durationMs: number }): void;
  /** `offsetMs` is the provider's clock minus the local clock, with a resolution of a second. */
  onServerDate(offsetMs: number): void;
  /** Is called with every complete answer, whatever its status, before it is decoded. */
  onAnswer?(answer: ObservedAnswer): void;
  /** Is called with the first error that one of the functions above throws. */
  onFailure?(error: unknown): void;
}

export interface ProviderClientOptions {
  /** Address of the API, with its version segment. */
  readonly baseUrl: string;
  readonly keys: KeySecrets;
  readonly requestsPerSecond: number;
  /** Limits one attempt; the wait for its turn is not included. */
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly observer: ProviderObserver;
  /** The state of the account's endpoints. Default: a new, empty one. */
  readonly endpoints?: Endpoints | undefined;
  /** The caller closes it. Default: a pool of 8 connections, which the client closes. */
  readonly dispatcher?: Dispatcher;
  /** Default: `proxywatch`. */
  readonly userAgent?: string;
  /** From 0 to below 1, for the jitter of retries. */
  readonly random?: () => number;
}

/** The objects that a client shares with the clients of its runs. */
export interface ClientContext {
  readonly base: URL;
  readonly options: ProviderClientOptions;
  readonly dispatcher: Dispatcher;
  readonly endpoints: Endpoints;
  readonly pacer: Pacer;
  readonly keys: Keys;
}

/** Returns an observer that never throws. It passes the first failure on, and ignores the others. */
export const guardedObserver = (observer: ProviderObserver): ProviderObserver => {
  let hasFailed = false;
  const guard =
    <A>(observe: (event: A) => void) =>
    (event: A): void => {
      try {
        observe(event);
      } catch (error) {
        if (!hasFailed) observer.onFailure?.(error);
        hasFailed = true;
      }
    };
  return {
    onResponse: guard((response) => observer.onResponse(response)),
    onServerDate: guard((offsetMs) => observer.onServerDate(offsetMs)),
    onAnswer: guard((answer) => observer.onAnswer?.(answer)),
  };
};

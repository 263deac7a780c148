// Defines the options of a client of the provider's API, and the objects that it shares with the clients of its runs.

import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import type { Endpoints } from './endpoints.ts';
import type { KeySecrets, Keys } from './keys.ts';
import type { Pacer } from './pace.ts';
import type { ObservedAnswer } from './report/observed-answer.ts';

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

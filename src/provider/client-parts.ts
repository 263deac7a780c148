// The options of a client of the provider's API, and what the client shares with the clients of its runs.

import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import type { Endpoints } from './endpoints.ts';
import type { KeySecrets, Keys } from './keys.ts';
import type { Pacer } from './pace.ts';

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
  readonly keys: KeySecrets;
  readonly requestsPerSecond: number;
  /** Bound on one attempt, without the wait for its turn. */
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly observer: ProviderObserver;
  /** What is known of the account's endpoints; nothing yet unless given. */
  readonly endpoints?: Endpoints | undefined;
  /** Stays the caller's to close. Default: a pool of 8 connections of the client's own. */
  readonly dispatcher?: Dispatcher;
  /** Default: `proxywatch`. */
  readonly userAgent?: string;
  /** From 0 to below 1, for the jitter of retries. */
  readonly random?: () => number;
}

/** What a client and those of its runs share. */
export interface ClientParts {
  readonly base: URL;
  readonly options: ProviderClientOptions;
  readonly dispatcher: Dispatcher;
  readonly endpoints: Endpoints;
  readonly pacer: Pacer;
  readonly keys: Keys;
}

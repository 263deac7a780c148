// Logs the state of an account's endpoints when it changes, and stores it so that it survives a restart.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { HOUR, SECOND } from '../lib/time.ts';
import {
  type EndpointObserver,
  Endpoints,
  type PolledEndpoints,
  type StoredEndpointSummary,
} from '../provider/endpoints.ts';
import type { Store } from '../store/store.ts';

interface Dependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shorter pauses are routine and are logged at debug level only. */
const LONG_PAUSE_MS = 10 * SECOND;

export class AccountEndpoints {
  readonly tracker: Endpoints;
  readonly #account: string;
  readonly #store: Store;
  /** Whether the store holds trouble that must be cleared once every endpoint works again. */
  #hasStoredTrouble = false;

  constructor(account: string, { store, clock, log }: Dependencies) {
    this.#account = account;
    this.#store = store;
    this.tracker = new Endpoints({ clock, observer: endpointLogger(log.child({ account }), clock) });
  }

  /** Restores the stored state of the polled endpoints. Throws StoreError. */
  async open(polled: PolledEndpoints): Promise<void> {
    const summary = await this.#store.endpoints.load(this.#account);
    this.#hasStoredTrouble = hasTrouble(summary);
    this.tracker.restore(summary, polled);
  }

  /** Writes nothing while every endpoint works: a restart may forget a success. Throws StoreError. */
  async save(): Promise<void> {
    const { summary } = this.tracker;
    const hasTroubleNow = hasTrouble(summary);
    if (!hasTroubleNow && !this.#hasStoredTrouble) return;
    await this.#store.endpoints.save(this.#account, summary);
    this.#hasStoredTrouble = hasTroubleNow;
  }
}

const hasTrouble = ({ endpoints, unreached }: StoredEndpointSummary): boolean =>
  unreached !== null ||
  endpoints.some(({ rejectedSince, refusedSince }) => rejectedSince !== null || refusedSince !== null);

/** Long pauses that come and go are logged at most this often. */
const REPEATED_AFTER_MS = HOUR;

/** Logs a long pause once, not each refusal that prolongs it, and then that the endpoint succeeds again. */
const endpointLogger = (log: Log, clock: Clock): EndpointObserver => {
  const logged = new Set<string>();
  /** On the monotonic clock (ms). */
  const loggedAt = new Map<string, number>();
  const isNew = (endpoint: string): boolean =>
    !logged.has(endpoint) &&
    clock.monotonic() - (loggedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) >= REPEATED_AFTER_MS;
  return {
    paused: ({ endpoint, durationMs, until }) => {
      const isNews = durationMs > LONG_PAUSE_MS && isNew(endpoint);
      if (isNews) logged.add(endpoint);
      if (isNews) loggedAt.set(endpoint, clock.monotonic());
      const fields = { endpoint, until: new Date(until).toISOString() };
      log[isNews ? 'warn' : 'debug'](
        fields,
        'the provider answered 429, so proxywatch pauses requests to this endpoint',
      );
    },
    resumed: (endpoint) => {
      const isNews = logged.delete(endpoint);
      log[isNews ? 'info' : 'debug']({ endpoint }, 'requests to this endpoint succeed again');
    },
  };
};

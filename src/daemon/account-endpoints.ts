// Logs the state of an account's endpoints when it changes, and stores it so that it survives a restart.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { HOUR, SECOND } from '../lib/time.ts';
import {
  type EndpointObserver,
  Endpoints,
  type Pause,
  type PolledEndpoints,
  type StoredEndpointSummary,
} from '../provider/endpoints.ts';
import type { Store } from '../store/store.ts';
import type { Services } from './services.ts';

/** Shorter pauses are routine and are logged at debug level only. */
const LONG_PAUSE_MS = 10 * SECOND;
/** Pauses that come and go are logged at most this often. */
const REPEATED_AFTER_MS = HOUR;

const PAUSED = 'the provider answered 429, so proxywatch pauses requests to this endpoint';
const SEVERAL_PAUSED =
  'the provider answered 429 at another endpoint too; proxywatch logs further pauses only at debug level until requests succeed again';
const RESUMED = 'requests to this endpoint succeed again';
const ALL_RESUMED = 'requests to all paused endpoints succeed again';

export class PauseLog implements EndpointObserver {
  readonly #log: Log;
  readonly #clock: Clock;
  /** The ends of the long pauses (ms) of endpoints that have not succeeded since. */
  readonly #paused = new Map<string, number>();
  /** The endpoint that was logged first; undefined while the log has no pause. */
  #first: string | undefined;
  #isSeveral = false;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  paused({ endpoint, durationMs, until }: Pause): void {
    const message = durationMs > LONG_PAUSE_MS ? this.#newsOf(endpoint) : undefined;
    if (durationMs > LONG_PAUSE_MS) this.#paused.set(endpoint, until);
    const fields = { endpoint, until: new Date(until).toISOString() };
    this.#log[message ? 'warn' : 'debug'](fields, message ?? PAUSED);
  }

  resumed(endpoint: string): void {
    this.#paused.delete(endpoint);
    const isSingle = !this.#isSeveral && endpoint === this.#first;
    // An endpoint that is requested once a day shows only then that it succeeds, so the end of its pause counts.
    const isLast = this.#isSeveral && [...this.#paused.values()].every((until) => until <= this.#clock.now());
    if (!isSingle) this.#log.debug({ endpoint }, RESUMED);
    if (isSingle) this.#log.info({ endpoint }, RESUMED);
    if (isLast) this.#log.info({}, ALL_RESUMED);
    if (isSingle || isLast) [this.#first, this.#isSeveral] = [undefined, false];
  }

  /** Returns what to say about a long pause; undefined if the log says it already. */
  #newsOf(endpoint: string): string | undefined {
    if (this.#first !== undefined) {
      if (endpoint === this.#first || this.#isSeveral) return undefined;
      this.#isSeveral = true;
      return SEVERAL_PAUSED;
    }
    const now = this.#clock.monotonic();
    if (now - this.#loggedAt < REPEATED_AFTER_MS) return undefined;
    [this.#first, this.#loggedAt] = [endpoint, now];
    return PAUSED;
  }
}

export class AccountEndpoints {
  readonly tracker: Endpoints;
  readonly #account: string;
  readonly #store: Store;
  /** Whether the store holds trouble that must be cleared once every endpoint works again. */
  #hasStoredTrouble = false;

  constructor(account: string, { store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>) {
    this.#account = account;
    this.#store = store;
    this.tracker = new Endpoints({ clock, observer: new PauseLog(log.child({ account }), clock) });
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

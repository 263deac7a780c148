// The state of an account's endpoints: logged when it changes, and stored so that it outlives a restart.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { type Asked, type EndpointObserver, Endpoints, type KeptStanding } from '../provider/endpoints.ts';
import type { Store } from '../store/store.ts';

interface Surroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shorter pauses are routine and are logged at debug level only. */
const LONG_PAUSE_MS = 10 * SECOND;

export class AccountEndpoints {
  readonly live: Endpoints;
  readonly #account: string;
  readonly #store: Store;
  /** Whether the store holds trouble that has to be cleared once everything works again. */
  #isNoted = false;

  constructor(account: string, { store, clock, log }: Surroundings) {
    this.#account = account;
    this.#store = store;
    this.live = new Endpoints({ clock, observer: endpointLogger(log.child({ account })) });
  }

  /** Restores the stored state of the `asked` endpoints. Throws StoreError. */
  async open(asked: Asked): Promise<void> {
    const standing = await this.#store.endpoints.standing(this.#account);
    this.#isNoted = isNotable(standing);
    this.live.restore(standing, asked);
  }

  /** Writes nothing while every endpoint works: a restart may forget a success. Throws StoreError. */
  async save(): Promise<void> {
    const { standing } = this.live;
    const isNotableNow = isNotable(standing);
    if (!isNotableNow && !this.#isNoted) return;
    await this.#store.endpoints.save(this.#account, standing);
    this.#isNoted = isNotableNow;
  }
}

const isNotable = ({ endpoints, unreached }: KeptStanding): boolean =>
  unreached !== null ||
  endpoints.some(({ rejectedSince, refusedSince }) => rejectedSince !== null || refusedSince !== null);

/** Logs a long pause once, not each refusal that prolongs it, until the endpoint succeeds again. */
const endpointLogger = (log: Log): EndpointObserver => {
  const logged = new Set<string>();
  return {
    paused: ({ endpoint, durationMs, until }) => {
      const isNews = durationMs > LONG_PAUSE_MS && !logged.has(endpoint);
      if (isNews) logged.add(endpoint);
      const fields = { endpoint, until: new Date(until).toISOString() };
      log[isNews ? 'warn' : 'debug'](
        fields,
        'the provider answered 429; proxywatch pauses requests to this endpoint',
      );
    },
    resumed: (endpoint) => {
      const isNews = logged.delete(endpoint);
      log[isNews ? 'info' : 'debug']({ endpoint }, 'requests to this endpoint succeed again');
    },
  };
};

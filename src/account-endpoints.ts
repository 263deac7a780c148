// What is known of an account's endpoints: told to the log, and kept over restarts.

import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { SECOND } from './lib/time.ts';
import { type Asked, type EndpointObserver, Endpoints, type KeptStanding } from './provider/endpoints.ts';
import type { Store } from './store/store.ts';

interface Surroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** A shorter pause is no news. */
const LONG_PAUSE_MS = 10 * SECOND;

export class AccountEndpoints {
  readonly live: Endpoints;
  readonly #account: string;
  readonly #store: Store;
  /** Whether the store has anything that is to be taken back when all is well. */
  #isNoted = false;

  constructor(account: string, { store, clock, log }: Surroundings) {
    this.#account = account;
    this.#store = store;
    this.live = new Endpoints({ clock, observer: tellingOf(log.child({ account })) });
  }

  /** Takes up what the store has of the endpoints that are asked. Throws StoreError. */
  async open(asked: Asked): Promise<void> {
    const standing = await this.#store.endpoints.standing(this.#account);
    this.#isNoted = isNotable(standing);
    this.live.restore(standing, asked);
  }

  /** While all is well nothing is written: a success alone is nothing that a restart must not forget. Throws StoreError. */
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

/** A long pause is told once, until the endpoint succeeds again: not each refusal that prolongs it. */
const tellingOf = (log: Log): EndpointObserver => {
  const told = new Set<string>();
  return {
    paused: ({ endpoint, durationMs, until }) => {
      const isNews = durationMs > LONG_PAUSE_MS && !told.has(endpoint);
      if (isNews) told.add(endpoint);
      const fields = { endpoint, until: new Date(until).toISOString() };
      log[isNews ? 'warn' : 'debug'](
        fields,
        'the provider refuses an endpoint, which is not asked until then',
      );
    },
    resumed: (endpoint) => {
      const isNews = told.delete(endpoint);
      log[isNews ? 'info' : 'debug']({ endpoint }, 'the provider answers at the endpoint again');
    },
  };
};

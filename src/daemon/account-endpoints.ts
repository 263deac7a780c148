// Logs the state of an account's endpoints when it changes, and stores it so that it survives a restart.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Endpoints, type PolledEndpoints, type StoredEndpointSummary } from '../provider/endpoints.ts';
import type { Store } from '../store/store.ts';
import { PauseLog } from './pause-log.ts';

interface Dependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export class AccountEndpoints {
  readonly tracker: Endpoints;
  readonly #account: string;
  readonly #store: Store;
  /** Whether the store holds trouble that must be cleared once every endpoint works again. */
  #hasStoredTrouble = false;

  constructor(account: string, { store, clock, log }: Dependencies) {
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

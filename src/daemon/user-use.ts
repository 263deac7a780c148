// Stores the use of each proxy user once an hour, after the first run of the users' collector that begins in a new hour.

import { describeFailure } from '../schedule/failure.ts';
import type { Job } from '../schedule/job.ts';
import type { Store } from '../store/store.ts';
import type { FailureLog } from './services.ts';

export interface UserUseOptions extends FailureLog {
  readonly store: Pick<Store, 'userUse'>;
  /** Returns the time zone of an account; undefined if it is no longer configured. */
  readonly zoneOf: (account: string) => string | undefined;
}

/** Stops between two slices when it is disposed of. The next process continues. */
export class UserUse implements Disposable {
  readonly #options: UserUseOptions;
  readonly #stop = new AbortController();

  constructor(options: UserUseOptions) {
    this.#options = options;
  }

  /** A failed pass is repeated after the next run, which also stores the use of the hour that it missed. */
  async afterRun({ account, collector }: Pick<Job, 'account' | 'collector'>): Promise<void> {
    const { store, log, isLogged, zoneOf } = this.#options;
    const zone = zoneOf(account);
    if (collector !== 'proxy_users' || zone === undefined) return;
    try {
      await store.userUse.store(account, zone, this.#stop.signal);
    } catch (error) {
      log[isLogged?.(error) ? 'debug' : 'error'](
        { account, ...describeFailure(error) },
        'the use of the proxy users could not be stored, so proxywatch tries again after the next run',
      );
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

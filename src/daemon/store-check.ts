// Checks the store's file for damage once a day, and soon after a sign of damage, and reports the modes of its files.

import { BackgroundTask } from '../lib/background-task.ts';
import type { Log } from '../lib/log.ts';
import { DAY, HOUR, MINUTE } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { RestrictedModes } from '../store/sqlite/file/modes.ts';
import type { Store } from '../store/store.ts';
import type { FailureLog, Services } from './services.ts';

/** The first check waits until the first catch-up and its memory are long over. */
const FIRST_DELAY_MS = 2 * HOUR;
/** A sign may come back after each check, for example if another program writes to the file again and again. */
const MIN_INTERVAL_MS = 10 * MINUTE;

export interface StoreCheckOptions extends FailureLog, Pick<Services, 'clock'> {
  readonly store: Pick<Store, 'needsCheck' | 'check'>;
}

export class StoreCheck implements AsyncDisposable {
  readonly #options: StoreCheckOptions;
  readonly #stop = new AbortController();
  readonly #checking = new BackgroundTask(() => this.#check());
  /** On the monotonic clock (ms). */
  #dueAt: number;
  #allowedAt = Number.NEGATIVE_INFINITY;

  constructor(options: StoreCheckOptions) {
    this.#options = options;
    this.#dueAt = options.clock.monotonic() + FIRST_DELAY_MS;
  }

  /** To be called every second or so. */
  tick(): void {
    const { store, clock } = this.#options;
    const now = clock.monotonic();
    if (now < this.#allowedAt || (now < this.#dueAt && !store.needsCheck())) return;
    this.#dueAt = now + DAY;
    this.#allowedAt = now + MIN_INTERVAL_MS;
    this.#checking.start();
  }

  /** Resolves when no check is in progress. */
  idle(): Promise<void> {
    return this.#checking.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#checking.idle();
  }

  async #check(): Promise<void> {
    const { store, clock, log, isLogged } = this.#options;
    const startedAt = clock.monotonic();
    try {
      await store.check(this.#stop.signal);
      const durationMs = Math.round(clock.monotonic() - startedAt);
      log.debug({ durationMs }, 'the store was checked, and no damage was found');
    } catch (error) {
      // It is the damage, or what prevented the check.
      if (!this.#stop.signal.aborted && !isLogged?.(error))
        log.error({ ...describeFailure(error) }, 'the store could not be checked for damage');
    }
  }
}

const RESTRICTED = "other users could read the store's files. proxywatch set the mode of these files to 0600";
const NOT_RESTRICTED =
  "other users can read the store's files, and proxywatch cannot set their mode to 0600. Let the user that runs proxywatch own the files";

/** Reports files of the store that other users could or can read. */
export const logRestrictedModes = ({ restricted, failed }: RestrictedModes, log: Log): void => {
  if (restricted.length > 0) log.info({ files: restricted }, RESTRICTED);
  if (failed.length > 0) log.warn({ files: failed }, NOT_RESTRICTED);
};

// Logs an outage of an account once for all its collectors, instead of once for each of them.

import type { Log } from '../lib/log.ts';
import { HOUR } from '../lib/time.ts';
import type { Failure } from './failure.ts';
import { isOutageKind } from './failure-news.ts';

const NO_ANSWERS =
  'the provider does not answer any request of this account; proxywatch retries, and logs further failed runs only at debug level until the provider answers';
const ANSWERS_AGAIN = 'the provider answers requests of this account again';

/** An outage that comes and goes is logged at most this often. */
const REPEATED_AFTER_MS = HOUR;

/** One account's outage: the time in which no request is answered. */
export class OutageLog {
  readonly #log: Log;
  /** The outage to which the last logged failure of a run belongs, known by its beginning. */
  #failedIn: number | undefined;
  /** The outage that was logged for the whole account. */
  #logged: { readonly since: number } | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Returns whether the failure of a run belongs to an outage that the log has already. `since` is the beginning of the
   * current outage; undefined if there is none. `now` is on the monotonic clock (ms).
   */
  explains(failure: Failure, since: number | undefined, now: number): boolean {
    if (since === undefined || !isOutageKind(failure.kind)) return false;
    if (since !== this.#failedIn) {
      this.#failedIn = since;
      return false;
    }
    if (!this.#logged && now - this.#loggedAt >= REPEATED_AFTER_MS) {
      this.#log.error({ ...failure }, NO_ANSWERS);
      [this.#logged, this.#loggedAt] = [{ since }, now];
    }
    return true;
  }

  /** To be called at the end of each run of the account. */
  runEnded(since: number | undefined, wallNow: number): void {
    if (!this.#logged || this.#logged.since === since) return;
    const seconds = Math.round((wallNow - this.#logged.since) / 1_000);
    this.#log.info({ since: new Date(this.#logged.since).toISOString(), seconds }, ANSWERS_AGAIN);
    this.#logged = undefined;
  }
}

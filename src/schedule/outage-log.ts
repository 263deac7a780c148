// Logs an outage of an account once for all its collectors, instead of once for each of them.

import type { Log } from '../lib/log.ts';
import { HOUR, SECOND } from '../lib/time.ts';
import { type Failure, isOutageKind } from './failure.ts';

/** Since when an account is in trouble (ms); undefined if it is not. */
export interface AccountTrouble {
  /** No request is answered. */
  readonly unansweredSince: number | undefined;
  /** Requests are refused with 429. */
  readonly refusedSince: number | undefined;
  /** The keys are rejected. */
  readonly rejectedSince: number | undefined;
}

const FURTHER = 'proxywatch retries, and logs further failed runs only at debug level';
const TEXTS = {
  unansweredSince: {
    begin: `the provider does not answer any request of this account; ${FURTHER}`,
    end: 'the provider answers requests of this account again',
  },
  refusedSince: {
    begin: `the provider limits the requests of this account (429), so runs of several collectors fail; ${FURTHER}`,
    end: 'the provider no longer limits the requests of this account',
  },
  rejectedSince: {
    begin: `the provider rejects the keys of this account. Check the keys, or run proxywatch doctor; ${FURTHER}`,
    end: 'the provider accepts the keys of this account',
  },
} as const;

const TROUBLES = Object.keys(TEXTS) as (keyof AccountTrouble)[];
/** The kinds of failures that each trouble causes. */
const CAUSES: Readonly<Record<keyof AccountTrouble, (kind: string) => boolean>> = {
  unansweredSince: isOutageKind,
  refusedSince: (kind) => kind === 'rate_limited',
  rejectedSince: (kind) => kind === 'auth' || kind === 'forbidden',
};

/** An outage that comes and goes is logged at most this often. */
const REPEATED_AFTER_MS = HOUR;

export class OutageLog {
  readonly #outages: readonly Outage[];

  constructor(log: Log) {
    this.#outages = TROUBLES.map((kind) => new Outage(kind, log));
  }

  /**
   * Returns whether the failure of a run belongs to an outage that the log has already. If it `isNew` for its collector,
   * the outage concerns several collectors, and is logged for the account. `now` is monotonic (ms).
   */
  explains(failure: Failure, trouble: AccountTrouble, now: number, isNew: boolean): boolean {
    return this.#outages.some((outage) => outage.explains(failure, trouble, now, isNew));
  }

  /** To be called at the end of each run of the account. */
  runEnded(trouble: AccountTrouble, wallNow: number): void {
    for (const outage of this.#outages) outage.runEnded(trouble, wallNow);
  }
}

class Outage {
  readonly #kind: keyof AccountTrouble;
  readonly #log: Log;
  /** The outage to which the first failure of a run belongs, known by its beginning. */
  #failedIn: number | undefined;
  /** The beginning of the outage that was logged for the whole account. */
  #logged: number | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(kind: keyof AccountTrouble, log: Log) {
    this.#kind = kind;
    this.#log = log;
  }

  explains(failure: Failure, trouble: AccountTrouble, now: number, isNew: boolean): boolean {
    const since = trouble[this.#kind];
    if (since === undefined || failure.isLocal || !CAUSES[this.#kind](failure.kind)) return false;
    if (since !== this.#failedIn) {
      this.#failedIn = since;
      return false;
    }
    if (isNew && this.#logged === undefined && now - this.#loggedAt >= REPEATED_AFTER_MS) {
      this.#log.error({ ...failure }, TEXTS[this.#kind].begin);
      [this.#logged, this.#loggedAt] = [since, now];
    }
    return true;
  }

  runEnded(trouble: AccountTrouble, wallNow: number): void {
    const since = this.#logged;
    if (since === undefined || since === trouble[this.#kind]) return;
    const seconds = Math.round((wallNow - since) / SECOND);
    this.#log.info({ since: new Date(since).toISOString(), seconds }, TEXTS[this.#kind].end);
    this.#logged = undefined;
  }
}

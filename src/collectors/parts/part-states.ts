// Keeps the states of a collector's parts: their order, their failures, and when a failed part is due again.

import type { Log } from '../../lib/log.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import type { ProviderError } from '../../provider/errors.ts';
import type { FailedPart } from '../collector.ts';

/** The waits after failures: the first one, which doubles with each failure, and the longest one. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}
/** If the schedule's interval is longer than the first wait, the next attempt is at its next slot. */
export const PART_BACKOFF: Backoff = { firstMs: MINUTE, longestMs: HOUR };
/** The backoff for old data, which takes long to read. */
export const OLD_DATA_BACKOFF: Backoff = { firstMs: HOUR, longestMs: 6 * HOUR };

/** Returns the time (ms) from the last of that many failures in a row to the next attempt. */
export const backoffMs = ({ firstMs, longestMs }: Backoff, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** (failures - 1));

interface Failure {
  /** When the newest attempt failed (ms). */
  readonly at: number;
  /** Failed attempts in a row. */
  readonly count: number;
  readonly error: ProviderError;
}

/** The states of the parts of one account and collector, in memory. After a restart all parts are tried at once. */
export class PartStates {
  readonly #lastAttempts = new Map<string, number>();
  readonly #failures = new Map<string, Failure>();
  #attempts = 0;

  /** Sorts parts by their last attempt. Parts without one come first. */
  byLastAttempt<T extends { readonly name: string }>(parts: readonly T[]): T[] {
    const lastAttemptOf = ({ name }: T): number => this.#lastAttempts.get(name) ?? 0;
    return parts.toSorted((a, b) => lastAttemptOf(a) - lastAttemptOf(b));
  }

  recordAttempt(part: string): void {
    this.#attempts += 1;
    this.#lastAttempts.set(part, this.#attempts);
  }

  /** Records a failure at `at` (ms). Logs the first failure, and each failure of another kind than the one before. */
  recordFailure(part: string, at: number, error: ProviderError, log: Log): void {
    const before = this.#failures.get(part);
    this.#failures.set(part, { at, count: (before?.count ?? 0) + 1, error });
    const { kind, message } = error;
    if (before?.error.kind !== kind) log.warn({ part, kind, message }, 'a part failed');
  }

  recordSuccess(part: string, log: Log): void {
    if (this.#failures.delete(part)) log.info({ part }, 'a part succeeds again');
  }

  /** Returns the newest failure of a part; undefined if its last attempt succeeded. */
  failureOf(part: string): Failure | undefined {
    return this.#failures.get(part);
  }

  /** Whether a failed part is not due yet. After the clock is set back, no part waits. */
  isWaiting(part: string, backoff: Backoff, now: number): boolean {
    const failure = this.#failures.get(part);
    return failure !== undefined && now >= failure.at && now < failure.at + backoffMs(backoff, failure.count);
  }

  failedParts(): FailedPart[] {
    return [...this.#failures].map(([part, { error }]) => ({ part, error, isLogged: true }));
  }

  /** Drops the states of all other parts, because these parts no longer exist. */
  retain(parts: Iterable<string>): void {
    const kept = new Set(parts);
    for (const states of [this.#lastAttempts, this.#failures])
      for (const part of states.keys()) if (!kept.has(part)) states.delete(part);
  }
}

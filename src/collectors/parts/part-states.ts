// The parts of a collector that can fail alone: their order, which of them fail, and when proxywatch tries those again.

import type { Log } from '../../lib/log.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import type { ProviderError } from '../../provider/errors.ts';
import type { FailedPart } from '../collector.ts';

/** Waits after a failure, in ms: the first one, and the longest when they double. */
export interface Waits {
  readonly first: number;
  readonly longest: number;
}
/** If the schedule's interval is longer than the first wait, the next attempt is at its next slot. */
export const PART_WAITS: Waits = { first: MINUTE, longest: HOUR };
/** For old data, which takes long to read. */
export const DEEP_WAITS: Waits = { first: HOUR, longest: 6 * HOUR };

/** How long (ms) after that many failures in a row the next attempt is due. */
export const waitMs = ({ first, longest }: Waits, failures: number): number =>
  Math.min(longest, first * 2 ** (failures - 1));

interface Failure {
  /** When the newest attempt failed (ms). */
  readonly at: number;
  /** Failed attempts in a row. */
  readonly count: number;
  readonly error: ProviderError;
}

/** Of one account and collector, in memory: after a restart everything is tried at once. */
export class PartStates {
  readonly #turns = new Map<string, number>();
  readonly #failures = new Map<string, Failure>();
  #turn = 0;

  /** Parts in the order of their last attempt; parts without one come first. */
  inTurn<T extends { readonly name: string }>(parts: readonly T[]): T[] {
    const turnOf = ({ name }: T): number => this.#turns.get(name) ?? 0;
    return parts.toSorted((a, b) => turnOf(a) - turnOf(b));
  }

  asked(part: string): void {
    this.#turn += 1;
    this.#turns.set(part, this.#turn);
  }

  /** Logs the first failure, and each one of another kind than the one before. */
  failed(part: string, at: number, error: ProviderError, log: Log): void {
    const before = this.#failures.get(part);
    this.#failures.set(part, { at, count: (before?.count ?? 0) + 1, error });
    const { kind, message } = error;
    if (before?.error.kind !== kind) log.warn({ part, kind, message }, 'a part failed');
  }

  succeeded(part: string, log: Log): void {
    if (this.#failures.delete(part)) log.info({ part }, 'a part succeeds again');
  }

  /** The newest failure of a part; undefined if its last attempt succeeded. */
  failure(part: string): Failure | undefined {
    return this.#failures.get(part);
  }

  /** Whether a part that failed has not waited long enough; a clock that was set back makes none wait. */
  isWaiting(part: string, waits: Waits, now: number): boolean {
    const failure = this.#failures.get(part);
    return failure !== undefined && now >= failure.at && now < failure.at + waitMs(waits, failure.count);
  }

  /** Every part that failed when it was last tried. */
  standing(): FailedPart[] {
    return [...this.#failures].map(([part, { error }]) => ({ part, error, isLogged: true }));
  }

  /** Forgets all other parts: they are no longer there. */
  retain(parts: Iterable<string>): void {
    const kept = new Set(parts);
    for (const states of [this.#turns, this.#failures])
      for (const part of states.keys()) if (!kept.has(part)) states.delete(part);
  }
}

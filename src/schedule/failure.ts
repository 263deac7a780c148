// Describes an error for the log, the store and the metrics, and decides which failures of a job are new.

import { ConfigError } from '../config/config-error.ts';
import { ClockError } from '../lib/clock.ts';
import { HOUR } from '../lib/time.ts';
import { ProviderError } from '../provider/errors.ts';
import { StoreError } from '../store/errors.ts';

export interface Failure {
  /** The kind of a ProviderError; `internal` for all other errors. */
  readonly kind: string;
  readonly message: string;
  /** Set if this machine is at fault, so the failure is not part of an outage of the provider. */
  readonly isLocal?: true;
  /** The stack of an unexpected error, for debugging. */
  readonly stack?: string;
}

/** Messages of proxywatch's own errors are meant for users. Any other error is a bug, so it comes with its stack. */
export const describeFailure = (error: unknown): Failure => {
  if (error instanceof ProviderError) {
    const { kind, message, isLocal } = error;
    return isLocal ? { kind, message, isLocal } : { kind, message };
  }
  if (error instanceof StoreError || error instanceof ConfigError || error instanceof ClockError)
    return { kind: 'internal', message: error.message };
  if (!(error instanceof Error)) return { kind: 'internal', message: String(error) };
  const { message, stack } = error;
  return stack === undefined ? { kind: 'internal', message } : { kind: 'internal', message, stack };
};

/** A failure that comes and goes is logged at most this often. */
const REPEATED_AFTER_MS = HOUR;
/** During an outage the kind of the failure changes from request to request. */
const OUTAGE_KINDS: readonly string[] = ['server', 'network', 'timeout'];

export const isOutageKind = (kind: string | null | undefined): boolean => OUTAGE_KINDS.includes(kind ?? '');

/** The failures of one part of a job, or of its whole runs. The log says each of them once, however long it lasts. */
export class FailureNews {
  /** What the log says that it is failing with; undefined if the log says that it succeeds. */
  #logged: string | undefined;
  /** When each class of failures was last logged, on the monotonic clock (ms). */
  readonly #loggedAt = new Map<string, number>();
  #failures = 0;

  get failures(): number {
    return this.#failures;
  }

  /** Records a failure, and returns whether it differs from what the log says already. */
  failed(failure: Failure, now: number): boolean {
    this.#failures += 1;
    const group = groupOf(failure);
    const isRecent = now - (this.#loggedAt.get(group) ?? Number.NEGATIVE_INFINITY) < REPEATED_AFTER_MS;
    return group !== this.#logged && !isRecent;
  }

  /** To be called when the failure is logged. */
  logged(failure: Failure, now: number): void {
    this.#logged = groupOf(failure);
    this.#loggedAt.set(this.#logged, now);
  }

  /** Records a success, and returns whether the log says that it fails. */
  succeeded(): boolean {
    const wasLogged = this.#logged !== undefined;
    this.#logged = undefined;
    this.#failures = 0;
    return wasLogged;
  }
}

/** An unexpected error of proxywatch itself is known by its message alone. */
const groupOf = ({ kind, message, isLocal }: Failure): string => {
  if (isLocal) return 'local';
  if (isOutageKind(kind)) return 'outage';
  return kind === 'internal' ? `internal ${message}` : kind;
};

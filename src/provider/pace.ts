// One pace for an account: whoever wants to send a request takes a turn, first come, first served.

import type { Clock } from '../lib/clock.ts';
import { MINUTE, SECOND } from '../lib/time.ts';

/** Number of a turn, counted from 1 in the order in which they were given. */
export type Turn = number;

/** How an account's requests are paced at present. */
export interface Pace {
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** Requests a second allowed now: the configured rate, less after the provider asked for less, 0 in a pause. */
  readonly limitPerSecond: number;
  readonly configuredPerSecond: number;
}

export interface PacerOptions {
  readonly requestsPerSecond: number;
  readonly clock: Clock;
}

/** Share of the configured rate below which no number of refusals brings the pace. */
const LOWEST_SHARE = 1 / 64;
/** Time in which the pace is raised from nothing to the configured rate: from half of it, half as long. */
const RAISE_MS = 10 * MINUTE;
/** What is to be left alone for longer is an endpoint, not an account. */
const LONGEST_PAUSE_MS = MINUTE;

/**
 * Spaces turns evenly, so that no second ever holds more than the rate. Slowing down halves the rate, which then rises
 * again in a straight line, and may pause everybody.
 */
export class Pacer implements Pace {
  readonly configuredPerSecond: number;
  readonly #clock: Clock;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #given: Turn = 0;
  #givenAt = Number.NEGATIVE_INFINITY;
  #resumeAt = Number.NEGATIVE_INFINITY;
  #cut = { limit: Number.POSITIVE_INFINITY, at: 0, turn: 0 };

  constructor({ requestsPerSecond, clock }: PacerOptions) {
    this.configuredPerSecond = requestsPerSecond;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get limitPerSecond(): number {
    return this.#clock.monotonic() < this.#resumeAt ? 0 : this.#rate;
  }

  /** Turns a second, pauses aside. */
  get #rate(): number {
    const raisedForMs = Math.max(0, this.#clock.monotonic() - this.#cut.at);
    return Math.min(
      this.configuredPerSecond,
      this.#cut.limit + (this.configuredPerSecond * raisedForMs) / RAISE_MS,
    );
  }

  /** Resolves when a request may be sent; rejects with the signal's reason as soon as it aborts. */
  async take(signal?: AbortSignal): Promise<Turn> {
    const turn = this.#tail.then(() => this.#give(signal));
    // Who gave up must not break the chain for those behind.
    this.#tail = turn.catch(() => undefined);
    this.#waiting += 1;
    try {
      return await unlessAborted(turn, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** The request of this turn was refused because the account asks for too much; nobody starts for `pauseMs`. */
  slowDown(turn: Turn, pauseMs = 0): void {
    const now = this.#clock.monotonic();
    this.#resumeAt = Math.max(this.#resumeAt, now + Math.min(pauseMs, LONGEST_PAUSE_MS));
    // Requests that were already on their way when the pace was cut tell nothing about the new pace.
    if (turn <= this.#cut.turn) return;
    const limit = Math.max(this.#rate / 2, this.configuredPerSecond * LOWEST_SHARE);
    this.#cut = { limit, at: Math.max(now, this.#resumeAt), turn: this.#given };
  }

  async #give(signal?: AbortSignal): Promise<Turn> {
    signal?.throwIfAborted();
    for (let waitMs = this.#dueInMs(); waitMs > 0; waitMs = this.#dueInMs()) {
      await this.#clock.sleep(Math.ceil(waitMs), signal);
    }
    this.#givenAt = this.#clock.monotonic();
    this.#given += 1;
    return this.#given;
  }

  #dueInMs(): number {
    const due = Math.max(this.#givenAt + SECOND / this.#rate, this.#resumeAt);
    return due - this.#clock.monotonic();
  }
}

const unlessAborted = async <T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> => {
  if (!signal) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

// Paces the requests of an account: each request takes a turn, first come, first served.

import type { Clock } from '../lib/clock.ts';
import { MINUTE, SECOND } from '../lib/time.ts';

/** Number of a turn, counted from 1 in the order in which turns are given. */
export type Turn = number;

export interface Pace {
  readonly waiting: number;
  /** Requests a second allowed now: the configured rate, less for some time after 429s, 0 in a pause. */
  readonly limitPerSecond: number;
  readonly configuredPerSecond: number;
}

/** The lowest share of the configured rate: more 429s do not reduce the pace further. */
const MIN_RATE_SHARE = 1 / 64;
/** Time in which the pace rises from 0 to the configured rate. From half of the rate it takes half as long. */
const RECOVERY_MS = 10 * MINUTE;
/** A longer pause concerns an endpoint, not the whole account. */
const LONGEST_PAUSE_MS = MINUTE;

/** Spaces turns evenly below the rate. `slowDown` halves the rate, which rises again in a line, and may pause all. */
export class Pacer implements Pace {
  readonly configuredPerSecond: number;
  readonly #clock: Clock;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #turnsGiven: Turn = 0;
  #lastTurnAt = Number.NEGATIVE_INFINITY;
  #resumeAt = Number.NEGATIVE_INFINITY;
  #slowdown = { limit: Number.POSITIVE_INFINITY, at: 0, turn: 0 };

  constructor({ requestsPerSecond, clock }: { readonly requestsPerSecond: number; readonly clock: Clock }) {
    this.configuredPerSecond = requestsPerSecond;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get limitPerSecond(): number {
    return this.#clock.monotonic() < this.#resumeAt ? 0 : this.#rate;
  }

  /** Turns a second outside pauses. */
  get #rate(): number {
    const recoveringForMs = Math.max(0, this.#clock.monotonic() - this.#slowdown.at);
    return Math.min(
      this.configuredPerSecond,
      this.#slowdown.limit + (this.configuredPerSecond * recoveringForMs) / RECOVERY_MS,
    );
  }

  /** Resolves when a request may be sent; rejects with the signal's reason as soon as it aborts. */
  async take(signal?: AbortSignal): Promise<Turn> {
    const turn = this.#queue.then(() => this.#nextTurn(signal));
    // An aborted request must not break the queue for the requests behind it.
    this.#queue = turn.catch(() => undefined);
    this.#waiting += 1;
    try {
      return await rejectOnAbort(turn, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Call this if the request of this turn got 429 because the account makes too many. No request starts for `pauseMs`. */
  slowDown(turn: Turn, pauseMs = 0): void {
    const now = this.#clock.monotonic();
    this.#resumeAt = Math.max(this.#resumeAt, now + Math.min(pauseMs, LONGEST_PAUSE_MS));
    // Requests that were already in flight when the pace was reduced say nothing about the new pace.
    if (turn <= this.#slowdown.turn) return;
    const limit = Math.max(this.#rate / 2, this.configuredPerSecond * MIN_RATE_SHARE);
    this.#slowdown = { limit, at: Math.max(now, this.#resumeAt), turn: this.#turnsGiven };
  }

  async #nextTurn(signal?: AbortSignal): Promise<Turn> {
    signal?.throwIfAborted();
    for (let waitMs = this.#dueInMs(); waitMs > 0; waitMs = this.#dueInMs()) {
      await this.#clock.sleep(Math.ceil(waitMs), signal);
    }
    this.#lastTurnAt = this.#clock.monotonic();
    this.#turnsGiven += 1;
    return this.#turnsGiven;
  }

  #dueInMs(): number {
    const due = Math.max(this.#lastTurnAt + SECOND / this.#rate, this.#resumeAt);
    return due - this.#clock.monotonic();
  }
}

const rejectOnAbort = async <T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> => {
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

// Limits how many pieces of work of one kind run at a time. Others wait in order for a bounded time.

import type { Clock } from './clock.ts';

/** Says that too many ask for the same work at a time. Its message is for the client. */
export class BusyError extends Error {}

export interface TurnLimits {
  readonly running: number;
  readonly waiting: number;
  /** How long each waits (ms). */
  readonly waitMs: number;
  /** The message of the error for the others. */
  readonly refusal: string;
}

interface Waiter {
  /** Whether nobody wants the result any more. */
  readonly isGone: () => boolean;
  begin(turn: Disposable): void;
  refuse(): void;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #clock: Clock;
  #running = 0;
  #waiting: Waiter[] = [];

  constructor(limits: TurnLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get areTaken(): boolean {
    return this.#running >= this.#limits.running;
  }

  /** Resolves to a turn, which the caller disposes of. Throws BusyError if too many wait, or if the wait was too long. */
  async take(isGone: () => boolean = () => false): Promise<Disposable> {
    if (!this.areTaken) return this.#begin();
    // Only a full queue is searched for clients that have gone, because the others do no harm.
    if (this.#waiting.length >= this.#limits.waiting) this.#refuseGone();
    if (this.#waiting.length >= this.#limits.waiting) throw new BusyError(this.#limits.refusal);
    return this.#wait(isGone);
  }

  async #wait(isGone: () => boolean): Promise<Disposable> {
    const { promise, resolve: begin, reject } = Promise.withResolvers<Disposable>();
    const refuse = (): void => reject(new BusyError(this.#limits.refusal));
    const waiter = { isGone, begin, refuse };
    this.#waiting.push(waiter);
    using _ = afterDelay(this.#clock, this.#limits.waitMs, () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      refuse();
    });
    return await promise;
  }

  #refuseGone(): void {
    const { gone = [], here = [] } = Object.groupBy(this.#waiting, (each) =>
      each.isGone() ? 'gone' : 'here',
    );
    this.#waiting = here;
    for (const waiter of gone) waiter.refuse();
  }

  #begin(): Disposable {
    this.#running += 1;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#running -= 1;
        this.#beginNext();
      },
    };
  }

  #beginNext(): void {
    const next = this.#waiting.shift();
    if (!next) return;
    if (next.isGone()) {
      next.refuse();
      this.#beginNext();
    } else {
      next.begin(this.#begin());
    }
  }
}

/** Calls `action` after `ms` unless it is disposed of before. */
export const afterDelay = (clock: Clock, ms: number, action: () => void): Disposable => {
  const disposed = new AbortController();
  clock.sleep(ms, disposed.signal).then(action, () => {});
  return { [Symbol.dispose]: () => disposed.abort() };
};

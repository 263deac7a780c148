// Reserves test runs of the day's budget for calls, records them as spent when a call is sent, and corrects them by its answer.

import type { ReadContext } from '../../context.ts';

export class RunBudget {
  readonly #context: ReadContext<unknown>;
  #left: number;
  #runsPerCall: number;
  /** Whether an answer in this round has shown the current price. Before that, several calls at once may cost too much. */
  isPriceKnown = false;

  /** `left` is the number of runs that the round may spend; `runsPerCall` is the price of a call so far. */
  constructor(context: ReadContext<unknown>, left: number, runsPerCall: number) {
    this.#context = context;
    this.#left = left;
    this.#runsPerCall = runsPerCall;
  }

  /** Reserves the price of a call so far; returns undefined if less is left. */
  reserve(): RunReservation | undefined {
    const runs = this.#runsPerCall;
    if (runs > this.#left) return undefined;
    this.#left -= runs;
    return new RunReservation(this.#context, runs, (runsMade) => {
      this.#left += runs - runsMade;
      if (runsMade === 0) return;
      this.#runsPerCall = Math.max(this.#runsPerCall, runsMade);
      this.isPriceKnown = true;
    });
  }
}

/** The runs reserved for one call. They count as spent from its sending, until it is certain that the call did not run. */
export class RunReservation {
  readonly #context: ReadContext<unknown>;
  readonly #runs: number;
  readonly #onSettled: (runsMade: number) => void;
  #chargedAt: number | undefined;
  /** Whether the call was sent, even if it did not run. */
  wasSent = false;

  constructor(context: ReadContext<unknown>, runs: number, onSettled: (runsMade: number) => void) {
    this.#context = context;
    this.#runs = runs;
    this.#onSettled = onSettled;
  }

  /** Whether the call may have run. */
  get isCharged(): boolean {
    return this.#chargedAt !== undefined;
  }

  /** Records the runs as spent, because the call is about to be sent. */
  async charge(): Promise<void> {
    const at = this.#context.clock.now();
    await this.#record(this.#runs, at);
    this.#chargedAt = at;
    this.wasSent = true;
  }

  /** Gives the runs back, because the attempt did not run. Another attempt is charged again. */
  async refund(): Promise<void> {
    if (this.#chargedAt !== undefined) await this.#record(-this.#runs, this.#chargedAt);
    this.#chargedAt = undefined;
  }

  /** Corrects the runs to those that the call made; 0 if it was never sent or did not run. */
  async settle(runsMade: number): Promise<void> {
    if (this.#chargedAt !== undefined && runsMade !== this.#runs)
      await this.#record(runsMade - this.#runs, this.#chargedAt);
    this.#onSettled(runsMade);
  }

  async #record(runs: number, at: number): Promise<void> {
    const { account, store } = this.#context;
    await store.tests.spend(account.name, runs, at);
  }
}

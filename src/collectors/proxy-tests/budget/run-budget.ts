// What a round may spend of the day's test runs: reserved for a call, counted when it is sent, set right by its answer.

import type { ReadContext } from '../../context.ts';

export class RunBudget {
  readonly #context: ReadContext<unknown>;
  #left: number;
  #runsPerCall: number;
  #isPriced = false;

  /** `left` are the runs that the round may spend; `runsPerCall` is what a call has cost so far. */
  constructor(context: ReadContext<unknown>, left: number, runsPerCall: number) {
    this.#context = context;
    this.#left = left;
    this.#runsPerCall = runsPerCall;
  }

  /** Whether a call of this round has told what one costs now: before that, several at once might cost too much. */
  get isPriced(): boolean {
    return this.#isPriced;
  }

  /** Sets aside what a call has cost so far; undefined when less is left. */
  reserve(): Payment | undefined {
    const runs = this.#runsPerCall;
    if (runs > this.#left) return undefined;
    this.#left -= runs;
    return new Payment(this.#context, runs, (made) => {
      this.#left += runs - made;
      if (made === 0) return;
      this.#runsPerCall = Math.max(this.#runsPerCall, made);
      this.#isPriced = true;
    });
  }
}

/** What one call spends. In the store it is spent from the moment it is sent until it is sure that it did not run. */
export class Payment {
  readonly #context: ReadContext<unknown>;
  readonly #runs: number;
  readonly #onSettled: (made: number) => void;
  #paidAt: number | undefined;
  #wasSent = false;

  constructor(context: ReadContext<unknown>, runs: number, onSettled: (made: number) => void) {
    this.#context = context;
    this.#runs = runs;
    this.#onSettled = onSettled;
  }

  /** Whether the call was sent at all, be it that it did not run. */
  get wasSent(): boolean {
    return this.#wasSent;
  }

  /** Whether the call may have run. */
  get isPaid(): boolean {
    return this.#paidAt !== undefined;
  }

  async pay(): Promise<void> {
    const at = this.#context.clock.now();
    await this.#spend(this.#runs, at);
    this.#paidAt = at;
    this.#wasSent = true;
  }

  /** The attempt that was paid for did not run; another one is paid anew. */
  async refund(): Promise<void> {
    if (this.#paidAt !== undefined) await this.#spend(-this.#runs, this.#paidAt);
    this.#paidAt = undefined;
  }

  /** The call made so many runs; 0 when it was never sent or did not run. */
  async settle(made: number): Promise<void> {
    if (this.#paidAt !== undefined && made !== this.#runs) await this.#spend(made - this.#runs, this.#paidAt);
    this.#onSettled(made);
  }

  async #spend(runs: number, at: number): Promise<void> {
    const { account, store } = this.#context;
    await store.tests.spend(account.name, runs, at);
  }
}

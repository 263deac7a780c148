// Lets rounds and probes on request share one byte budget: one at a time reads what is left, and reserves.

import type { ByteBudget, BytePrice } from './byte-budget.ts';

export class BudgetGate {
  #last: Promise<unknown> = Promise.resolve();
  #round: ByteBudget | undefined;

  /** Opens the budget of a round, which counts what was reserved before. */
  openRound(open: () => Promise<ByteBudget>): Promise<ByteBudget> {
    return this.#enter(async () => {
      this.#round = await open();
      return this.#round;
    });
  }

  closeRound(): void {
    this.#round = undefined;
  }

  /** Opens a budget for one probe and reserves its price; undefined if the day's budget does not allow it. */
  reserve(price: BytePrice, open: () => Promise<ByteBudget>): Promise<ByteBudget | undefined> {
    return this.#enter(async () => {
      // A round that runs knows more than the store, which it pays a little later.
      if (this.#round && !this.#round.exclude(price)) return undefined;
      const budget = await open();
      return (await budget.reserve(price)) ? budget : undefined;
    });
  }

  #enter<T>(work: () => Promise<T>): Promise<T> {
    const entered = this.#last.then(work);
    this.#last = entered.catch(() => {});
    return entered;
  }
}

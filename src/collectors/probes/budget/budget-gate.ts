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
      const budget = await open();
      if (!(await budget.reserve(price))) return undefined;
      // A round that runs has read what was left before this reservation.
      this.#round?.exclude(price);
      return budget;
    });
  }

  #enter<T>(work: () => Promise<T>): Promise<T> {
    const entered = this.#last.then(work);
    this.#last = entered.catch(() => {});
    return entered;
  }
}

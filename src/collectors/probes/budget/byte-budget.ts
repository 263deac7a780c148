// Reserves bytes of the day's budget for probes through metered proxies, and settles them with what the probes took.

import type { Clock } from '../../../lib/clock.ts';
import type { ProbeStore } from '../../../store/probe-store.ts';
import { SPENT_SLOT_MS } from '../../day-budget.ts';

interface ByteBudgetOptions {
  readonly account: string;
  readonly probes: Pick<ProbeStore, 'spend'>;
  readonly clock: Pick<Clock, 'now'>;
  /** What the budget of the day still allows. It is never exceeded. */
  readonly remaining: number;
  /** What spreading the budget over the day allows now. It is compared with estimates. */
  readonly allowed: number;
  /** How many pieces of work one write to the store pays for. */
  readonly piecesPerWrite: number;
}

/** The price of a piece of work. */
export interface BytePrice {
  /** The most bytes that it can take. */
  readonly most: number;
  readonly estimate: number;
}

/**
 * The store counts bytes as spent before a probe begins, at their upper bound, so a crash never makes the day too
 * expensive. To save writes, it counts them for several probes ahead. `close` returns what was not used.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  #used = 0;
  /** The upper bounds and estimates of the probes that run. */
  #runningMost = 0;
  #runningEstimate = 0;
  /** Bytes that the store counts as spent but that are not used yet, in the slot of `#leasedAt` (ms). */
  #lease = 0;
  #leasedAt = 0;
  /** The last write that extends the lease. */
  #extension: Promise<void> = Promise.resolve();
  /** What others have reserved since the budget was read. */
  #excluded: BytePrice = { most: 0, estimate: 0 };

  #settlement = Promise.withResolvers<void>();

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  /** Returns whether the bytes were reserved. Each reservation must be settled. Throws StoreError. */
  async reserve(price: BytePrice): Promise<boolean> {
    if (!this.canAfford(price)) return false;
    this.#runningMost += price.most;
    this.#runningEstimate += price.estimate;
    try {
      await this.#extendLease(price.most);
    } catch (error) {
      this.settle(price, 0);
      throw error;
    }
    return true;
  }

  /** Whether this price is too high only until probes that run now have ended with fewer bytes than their upper bound. */
  mustWait(price: BytePrice): boolean {
    return !this.canAfford(price) && this.#isExpected(price) && this.#used + price.most <= this.#remaining;
  }

  nextSettlement(): Promise<void> {
    return this.#settlement.promise;
  }

  /** Leaves this price to a probe that is not of this budget, unless it does not allow it. */
  exclude(price: BytePrice): boolean {
    if (!this.canAfford(price)) return false;
    const { most, estimate } = this.#excluded;
    this.#excluded = { most: most + price.most, estimate: estimate + price.estimate };
    return true;
  }

  canAfford(price: BytePrice): boolean {
    return this.#isExpected(price) && this.#used + this.#runningMost + price.most <= this.#remaining;
  }

  /** Whether even spreading allows this price now, by the estimates. */
  #isExpected({ estimate }: BytePrice): boolean {
    const allowed = this.#options.allowed - this.#excluded.estimate;
    return this.#used + this.#runningEstimate + estimate <= allowed;
  }

  /** Ends the reservation of this price with the bytes that were used. */
  settle({ most, estimate }: BytePrice, bytes: number): void {
    this.#runningMost -= most;
    this.#runningEstimate -= estimate;
    this.#used += bytes;
    this.#lease -= bytes;
    this.#settlement.resolve();
    this.#settlement = Promise.withResolvers();
  }

  /** Returns bytes that were not used to the budget of the day. Call it after the last settlement. */
  async close(): Promise<void> {
    if (this.#lease === 0) return;
    const returned = { at: this.#leasedAt, bytes: -this.#lease };
    this.#lease = 0;
    await this.#spend([returned]);
  }

  /** One write at a time, so that no probe begins before the write that counts its bytes. */
  #extendLease(most: number): Promise<void> {
    const extended = this.#extension.then(() => this.#writeLease(most));
    this.#extension = extended.catch(() => {});
    return extended;
  }

  /** Bytes flow after their slot has begun, so what is unused moves to the current slot. */
  async #writeLease(most: number): Promise<void> {
    const now = this.#options.clock.now();
    const isCurrent = slotOf(now) === slotOf(this.#leasedAt);
    if (isCurrent && this.#lease >= this.#runningMost) return;
    const ahead = this.#runningMost + (this.#options.piecesPerWrite - 1) * most;
    const lease = Math.max(this.#runningMost, Math.min(ahead, this.#remaining - this.#used));
    const before = this.#lease;
    const leased = { at: now, bytes: lease };
    await this.#spend(before === 0 ? [leased] : [{ at: this.#leasedAt, bytes: -before }, leased]);
    // A write that fails changes nothing. Probes that ended during the write have used bytes of the lease.
    this.#lease += lease - before;
    this.#leasedAt = now;
  }

  get #remaining(): number {
    return this.#options.remaining - this.#excluded.most;
  }

  #spend(amounts: Parameters<ProbeStore['spend']>[1]): Promise<void> {
    const { account, probes } = this.#options;
    return probes.spend(account, amounts);
  }
}

const slotOf = (at: number): number => Math.floor(at / SPENT_SLOT_MS);

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

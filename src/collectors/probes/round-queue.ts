// Hands out the proxies of a round in their order. Free proxies never wait behind metered ones that the budget lets wait.

import type { ByteBudget, BytePrice } from './budget/byte-budget.ts';
import type { ProbedProxy } from './probed-proxies.ts';
import type { LabelledTarget } from './targets.ts';

/** The probes of one proxy. */
export interface Turn {
  readonly proxy: ProbedProxy;
  /** The url of the check of the exit; undefined if it is not due. */
  readonly exitTarget: LabelledTarget | undefined;
}

/** A turn whose probes can begin. */
export interface ReadyTurn extends Turn {
  /** What is reserved for it; undefined if the proxy is free, and null if the budget does not allow the probes. */
  readonly price: BytePrice | undefined | null;
}

export interface RoundQueueOptions {
  readonly budget: ByteBudget;
  readonly proxies: Iterable<ProbedProxy>;
  readonly signal: AbortSignal;
  readonly turnOf: (proxy: ProbedProxy) => Promise<Turn>;
  readonly priceOf: (turn: Turn) => BytePrice;
}

export class RoundQueue {
  readonly #options: RoundQueueOptions;
  readonly #rest: Iterator<ProbedProxy>;
  /** Metered proxies whose turn it is, the longest untested first. */
  readonly #waiting: Turn[] = [];
  #isStopped = false;

  constructor(options: RoundQueueOptions) {
    this.#options = options;
    this.#rest = options.proxies[Symbol.iterator]();
  }

  /** Returns undefined at the end of the round. Throws StoreError. */
  async next(): Promise<ReadyTurn | undefined> {
    while (!this.#isStopped && !this.#options.signal.aborted) {
      const ready = this.#takeWaiting();
      if (ready) return await ready;
      const { value: proxy, done } = this.#rest.next();
      if (done) {
        if (this.#waiting.length === 0) return undefined;
        await this.#options.budget.nextSettlement();
      } else {
        const turn = await this.#options.turnOf(proxy);
        if (!proxy.isMetered) return { ...turn, price: undefined };
        this.#waiting.push(turn);
      }
    }
    return undefined;
  }

  /** Ends the round: nothing more is handed out. */
  stop(): void {
    this.#isStopped = true;
  }

  /** If the budget does not allow the check of the exit too, the proxy is probed without it. */
  #takeWaiting(): Promise<ReadyTurn> | undefined {
    const { budget, priceOf } = this.#options;
    const [first] = this.#waiting;
    if (!first) return undefined;
    for (const turn of first.exitTarget ? [first, { ...first, exitTarget: undefined }] : [first]) {
      const price = priceOf(turn);
      if (budget.mustWait(price)) return undefined;
      if (budget.canAfford(price)) return this.#reserve(turn, price);
    }
    this.#waiting.shift();
    return Promise.resolve({ ...first, price: null });
  }

  /** Nothing is awaited between the check and the reservation, so no other worker reserves the same bytes. */
  async #reserve(turn: Turn, price: BytePrice): Promise<ReadyTurn> {
    this.#waiting.shift();
    const isReserved = await this.#options.budget.reserve(price);
    return { ...turn, price: isReserved ? price : null };
  }
}

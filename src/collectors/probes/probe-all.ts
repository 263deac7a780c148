// Probes the proxies of a round, several at a time, and pays for those that are metered.

import { forEachLimited } from '../../lib/parallel.ts';
import type { RunContext } from '../context.ts';
import type { ByteBudget, BytePrice } from './budget/byte-budget.ts';
import { bytesOf, priceOf } from './budget/byte-prices.ts';
import type { LineState } from './line-state.ts';
import type { ProbedProxy } from './probed-proxies.ts';
import { probeProxy, type Round, type Turn } from './round.ts';
import type { VantageOptions } from './vantage.ts';

type Context = RunContext<VantageOptions>;

/** The proxies of a round in its stages. The next stage is asked for when the results of the last one are stored. */
interface RoundStages {
  readonly stages: Iterable<readonly ProbedProxy[]>;
  readonly total: number;
}

/** Returns the number of metered proxies that the budget left out. The end of the run ends it without an error. */
export const probeAll = async (
  context: Context,
  round: Round,
  { stages, total }: RoundStages,
): Promise<number> => {
  const count = { done: 0, leftOut: 0, total };
  try {
    for (const proxies of stages) await probeStage(context, round, proxies, count);
  } finally {
    await round.budget.close();
  }
  return count.leftOut;
};

const probeStage = async (
  context: Context,
  round: Round,
  proxies: readonly ProbedProxy[],
  count: TurnCount,
): Promise<void> => {
  const { budget, batch } = round;
  const queue = new RoundQueue({
    ...{ budget, proxies, signal: context.signal },
    turnOf: async (proxy) => ({ proxy, exitTarget: await round.exits.targetFor(proxy) }),
    priceOf: ({ exitTarget }) =>
      priceOf([...round.targets, ...(exitTarget ? [exitTarget] : [])], round.estimates),
  });
  try {
    const workers = Math.min(context.options.parallel, proxies.length);
    await forEachLimited(Array(workers).keys(), workers, () => takeTurns(context, round, queue, count));
  } finally {
    await batch.flush();
  }
};

interface TurnCount {
  done: number;
  leftOut: number;
  readonly total: number;
}

const takeTurns = async (
  context: Context,
  round: Round,
  queue: RoundQueue,
  count: TurnCount,
): Promise<void> => {
  try {
    for (let turn = await queue.next(); turn; turn = await queue.next()) {
      if (turn.price === null) count.leftOut += 1;
      else await takeTurn(context, round, turn, turn.price);
      count.done += 1;
      context.progress({ done: count.done, total: count.total, unit: 'proxies' });
    }
  } catch (error) {
    queue.stop();
    throw error;
  }
};

const takeTurn = async (
  context: Context,
  round: Round,
  turn: Turn,
  price: BytePrice | undefined,
): Promise<void> => {
  let bytes = price?.most ?? 0;
  try {
    const probed = await probeProxy(context, round, turn);
    bytes = bytesOf([
      ...probed.results.map(({ result }) => result.bytes),
      ...probed.others.map((other) => other.bytes),
    ]);
    await round.batch.add(probed);
  } finally {
    if (price) round.budget.settle(price, bytes);
  }
};

/** While the line seems down, free proxies come first, then one metered proxy, and the others once one passes. */
export function* stagesOf(
  proxies: readonly ProbedProxy[],
  line: Pick<LineState, 'isDown'>,
): Generator<readonly ProbedProxy[]> {
  if (!line.isDown) return yield proxies;
  yield proxies.filter(({ isMetered }) => !isMetered);
  const metered = proxies.filter(({ isMetered }) => isMetered);
  if (line.isDown) yield metered.splice(0, 1);
  if (!line.isDown) yield metered;
}

interface ReadyTurn extends Turn {
  /** What is reserved for it; undefined if the proxy is free, and null if the budget does not allow the probes. */
  readonly price: BytePrice | undefined | null;
}

interface RoundQueueOptions {
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

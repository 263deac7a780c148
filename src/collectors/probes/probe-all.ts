// Probes the proxies of a round, several at a time, and pays for those that are metered.

import { forEachLimited } from '../../lib/parallel.ts';
import type { RunContext } from '../context.ts';
import type { BytePrice } from './budget/byte-budget.ts';
import type { ProbedProxy } from './probed-proxies.ts';
import { bytesOf, priceOf, probeProxy, type Round } from './round.ts';
import { RoundQueue, type Turn } from './round-queue.ts';
import type { VantageOptions } from './vantage.ts';

type Context = RunContext<VantageOptions>;

/** The proxies of a round in its stages. The next stage is asked for when the results of the last one are stored. */
export interface RoundStages {
  readonly stages: Iterable<readonly ProbedProxy[]>;
  /** The number of all proxies. */
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

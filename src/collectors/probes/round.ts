// Probes the proxies of a round: each proxy at one url after another, several proxies at a time.

import { forEachLimited } from '../../lib/parallel.ts';
import type { ProbeResult, TlsSessions } from '../../prober/probe.ts';
import type { OnRequestContext, RunContext } from '../context.ts';
import type { ProbedUrls, ResultBatch } from './batch.ts';
import { MOST_BYTES } from './budget/byte-bounds.ts';
import type { ByteBudget, BytePrice } from './budget/byte-budget.ts';
import type { ByteEstimates } from './budget/byte-estimates.ts';
import type { ExitCheck } from './exit/exit-check.ts';
import type { ProbedProxy } from './probed-proxies.ts';
import { RoundQueue, type Turn } from './round-queue.ts';
import { safeProbe } from './safe-probe.ts';
import type { LabelledTarget } from './targets.ts';
import { timeoutsOf } from './timeouts.ts';
import type { VantageOptions } from './vantage.ts';

export interface Round {
  readonly targets: readonly LabelledTarget[];
  readonly budget: ByteBudget;
  readonly estimates: ByteEstimates;
  readonly sessions: TlsSessions;
  readonly batch: ResultBatch;
  readonly exits: ExitCheck;
}

type Context = RunContext<VantageOptions>;

/** Returns the number of metered proxies that the budget left out. The end of the run ends it without an error. */
export const probeAll = async (
  context: Context,
  round: Round,
  proxies: readonly ProbedProxy[],
): Promise<number> => {
  const { budget, batch } = round;
  const queue = new RoundQueue({
    ...{ budget, proxies, signal: context.signal },
    turnOf: async (proxy) => ({ proxy, exitTarget: await round.exits.targetFor(proxy) }),
    priceOf: ({ exitTarget }) =>
      priceOf([...round.targets, ...(exitTarget ? [exitTarget] : [])], round.estimates),
  });
  const count = { done: 0, leftOut: 0, total: proxies.length };
  try {
    const workers = Math.min(context.options.parallel, proxies.length);
    await forEachLimited(Array(workers).keys(), workers, () => takeTurns(context, round, queue, count));
  } finally {
    await batch.flush();
    await budget.close();
  }
  return count.leftOut;
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
      else await takeTurn(context, round, { ...turn, price: turn.price });
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
  { proxy, exitTarget, price }: Turn & { readonly price: BytePrice | undefined },
): Promise<void> => {
  const probed = await probePaid(context, round, proxy, exitTarget, price);
  if (probed.results.length > 0) await round.batch.add(probed);
};

const probePaid = async (
  context: Context,
  round: Round,
  proxy: ProbedProxy,
  exitTarget: LabelledTarget | undefined,
  price: BytePrice | undefined,
): Promise<ProbedUrls> => {
  if (!price) return probeProxy(context, round, proxy, exitTarget);
  let bytes = price.most;
  try {
    const probed = await probeProxy(context, round, proxy, exitTarget);
    // What a probe used that the end of the run cut off is unknown.
    if (!probed.isCutOff) bytes = bytesOfAll(probed);
    return probed;
  } finally {
    round.budget.settle(price, bytes);
  }
};

/** Probes one url after another, so that a proxy never has two connections at a time. */
const probeProxy = async (
  context: Context,
  round: Round,
  proxy: ProbedProxy,
  exitTarget: LabelledTarget | undefined,
): Promise<ProbedUrls> => {
  const results: { label: string; result: ProbeResult }[] = [];
  for (const each of round.targets) {
    const result = await probeUrl(context, round, proxy, each);
    if (!result) return { proxy, results, isCutOff: true };
    results.push({ label: each.label, result });
  }
  if (!exitTarget) return { proxy, results, isCutOff: false };
  const echoed = await probeUrl(context, round, proxy, exitTarget);
  if (!echoed) return { proxy, results, isCutOff: true };
  const exit = await round.exits.resultOf(proxy, echoed.body);
  return { proxy, results, isCutOff: false, exit, exitBytes: { url: exitTarget.label, ...echoed.bytes } };
};

/** Returns undefined if the run ended first. */
export const probeUrl = async (
  { options, probe, signal }: OnRequestContext<VantageOptions>,
  { sessions, estimates }: Pick<Round, 'sessions' | 'estimates'>,
  proxy: ProbedProxy,
  { label, target }: LabelledTarget,
): Promise<ProbeResult | undefined> => {
  const result = await safeProbe(probe, {
    ...{ proxy: proxy.access, target, timeouts: timeoutsOf(options), signal },
    // The exit of a gateway changes. One session of several exits would show the target that they are one client.
    sessions: proxy.isMetered ? undefined : { cache: sessions, key: `${proxy.id} ${label}` },
  });
  // A probe through a static proxy resumes a session, so it says nothing of what a metered one takes.
  if (result && proxy.isMetered)
    estimates.observe(label, target.depth, result.bytes.sent + result.bytes.received);
  return result;
};

export const priceOf = (targets: readonly LabelledTarget[], estimates: ByteEstimates): BytePrice => ({
  most: targets.reduce((sum, { target }) => sum + MOST_BYTES[target.depth], 0),
  estimate: targets.reduce((sum, { label, target }) => sum + estimates.of(label, target.depth), 0),
});

const bytesOfAll = ({ results, exitBytes }: ProbedUrls): number =>
  bytesOf([...(exitBytes ? [exitBytes] : []), ...results.map(({ result }) => result.bytes)]);

export const bytesOf = (bytes: readonly ProbeResult['bytes'][]): number =>
  bytes.reduce((sum, { sent, received }) => sum + sent + received, 0);

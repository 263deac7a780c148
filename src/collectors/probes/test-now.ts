// Makes the probes that a user asks for: of one proxy, or of several that show whether a target or this machine's line works.
//
// They are probes on request: paid and counted, but no round, so no control and no check of an exit belongs to them.

import { forEachLimited } from '../../lib/parallel.ts';
import { MAX_PROXIES_PER_RUN } from '../../provider/resources/proxy-tests.ts';
import type { TestNow } from '../collector.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import type { TrackedSource } from '../proxy-sources/tracked-source.ts';
import { NO_PROXY } from '../proxy-tests/test-now.ts';
import type { BytePrice } from './budget/byte-budget.ts';
import { priceOf } from './budget/byte-prices.ts';
import type { ReadBudget } from './budget/read-budget.ts';
import { NO_BUDGET, type ProbesOnRequest } from './on-request.ts';
import type { ProbeOptions } from './options.ts';
import { readProbedProxies } from './probed-proxies.ts';
import { type RoundState, readBudget } from './run-round.ts';
import { labelsOf, targetsOf } from './targets.ts';
import { vantageContext } from './vantage.ts';

const NO_MORE = 'max_bytes_per_day allows no more residential and mobile proxies now';

interface State extends RoundState {
  readonly sources: readonly TrackedSource[];
  readonly onRequest: Pick<ProbesOnRequest, 'probe'>;
}

/** Only residential and mobile proxies are paid. The budget leaves out those that it does not allow. */
export const planProbes: TestNow<ProbeOptions, State>['plan'] = async (context, state, { kind, id }) => {
  const vantage = vantageContext(context);
  const { options } = vantage;
  const isProbed = {
    proxy: async () => (await readTestedProxies(vantage)).some((proxy) => proxy.id === id),
    target: () => labelsOf(options).includes(id),
    tester: () => options.vantage === id,
  };
  if (!(await isProbed[kind]())) return undefined;
  const found = state.sources.flatMap((source) => source.proxies);
  const known = await readProbedProxies(vantage, found);
  const sample = known.filter((proxy) => kind !== 'proxy' || proxy.id === id).slice(0, MAX_PROXIES_PER_RUN);
  const price = priceOf(targetsOf(options), state.estimates);
  const budget = await readBudget(vantage, state, Number.POSITIVE_INFINITY);
  const metered = sample.filter(({ isMetered }) => isMetered);
  const paid = new Set(metered.slice(0, affordable(budget, price)));
  const proxies = sample.filter((proxy) => !proxy.isMetered || paid.has(proxy));
  return {
    proxies: proxies.map((proxy) => proxy.id),
    leftOut: leftOut(metered.length - paid.size, sample.length, NO_MORE),
    testsPerProxy: targetsOf(options).length,
    price:
      paid.size === 0 ? null : { unit: 'bytes', amount: paid.size * price.estimate, left: budget.remaining },
    refusal: sample.length === 0 ? NO_PROXY : proxies.length === 0 ? NO_BUDGET : null,
  };
};

/** Returns how many metered proxies the budget allows if they are probed one after another. */
const affordable = ({ remaining, allowed }: ReadBudget, { most, estimate }: BytePrice): number =>
  remaining < most
    ? 0
    : Math.max(0, Math.floor(Math.min(allowed / estimate, 1 + (remaining - most) / estimate)));

const leftOut = (count: number, all: number, reason: string): string | null =>
  count === 0 ? null : `${count} of ${all} proxies are left out: ${reason}`;

interface Turn {
  readonly proxy: string;
  /** The labels of the urls that are not probed yet. */
  readonly urls: string[];
  refusal: string;
}

/** Throws StoreError, and at the deadline ProviderError. */
export const probeNow: TestNow<ProbeOptions, State>['run'] = async (context, { onRequest }, request) => {
  const { proxies, onResults } = request;
  const { options, signal } = context;
  const { vantage: tester } = vantageContext(context).options;
  const turns = proxies.map((proxy): Turn => ({ proxy, urls: labelsOf(options), refusal: '' }));
  const probe = async (turn: Turn): Promise<void> => {
    const { proxy, urls } = turn;
    for (let [url] = urls; url !== undefined; [url] = urls) {
      const made = await onRequest.probe(context, { proxy, url });
      signal.throwIfAborted();
      if (!('result' in made)) {
        turn.refusal = 'refusal' in made ? made.refusal : made.mistake;
        return;
      }
      const { failure } = made.result;
      onResults([{ proxy, url, tester, isSuccessful: failure === null, error: failure?.message ?? null }]);
      urls.shift();
    }
  };
  await forEachLimited(turns, options.parallel, probe);
  const isLeft = ({ urls }: Turn): boolean => urls.length > 0;
  // Each probe reserves the most that it can take, so those at the same time can leave nothing to another for a moment.
  await forEachLimited(turns.filter(isLeft), 1, probe);
  const byRefusal = Map.groupBy(turns.filter(isLeft), ({ refusal }) => refusal);
  return [...byRefusal].flatMap(([refusal, left]) => leftOut(left.length, turns.length, refusal) ?? []);
};

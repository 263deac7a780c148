// How the tested proxies stand, for metrics and alerts alike: who is to blame, and when each was last tested.

import { setImmediate } from 'node:timers/promises';
import type { Fault } from '../../store/test-store.ts';
import type { ReadContext } from '../collector.ts';
import type { ProxyTestOptions } from './options.ts';
import { isTestedBy, urlsOf } from './targets.ts';
import { type TestedProxy, testedProxies } from './tested-proxies.ts';

type Context = ReadContext<ProxyTestOptions>;

/** The proxies of one product type. */
export interface FleetOfType {
  readonly productType: string;
  /** Those with a result. */
  readonly tested: number;
  /** Those of them that are to blame for their failures themselves. */
  readonly atFault: number;
}

const PAGE = 200;

/** Faults of what is tested still: the store learns only from new results that something is tested no more. */
export const standingFaults = async (
  { account, options, store }: Context,
  proxies: readonly TestedProxy[],
): Promise<Fault[]> => {
  const ids = new Set(proxies.map(({ id }) => id));
  const urls = new Set(urlsOf(options).map(({ label }) => label));
  const testers = new Set(options.tester_servers);
  const isTested = {
    provider: () => proxies.length > 0,
    proxy: (id: string) => ids.has(id),
    target: (url: string) => urls.has(url),
    tester: (tester: string) => testers.size === 0 || testers.has(tester),
  };
  return (await store.tests.faults(account.name)).filter(({ kind, subject }) => isTested[kind](subject));
};

/** When each proxy last had a result (ms), by id; those without one are left out. Lets the event loop breathe. */
export const newestResults = async (
  { account, options, store }: Context,
  proxies: readonly TestedProxy[],
): Promise<Map<string, number>> => {
  const newest = new Map<string, number>();
  const isTested = isTestedBy(options);
  const ids = proxies.map(({ id }) => id);
  for (let first = 0; first < ids.length; first += PAGE) {
    const cells = await store.tests.cells(account.name, ids.slice(first, first + PAGE));
    for (const [id, at] of newestOf(cells.filter(isTested))) newest.set(id, at);
    await setImmediate();
  }
  return newest;
};

export const newestOf = (
  cells: Iterable<{ readonly proxy: string; readonly at: number }>,
): Map<string, number> => {
  const newest = new Map<string, number>();
  for (const { proxy, at } of cells) newest.set(proxy, Math.max(at, newest.get(proxy) ?? 0));
  return newest;
};

export const fleetByType = (
  proxies: readonly TestedProxy[],
  newest: ReadonlyMap<string, number>,
  faults: readonly Fault[],
): FleetOfType[] => {
  const blamed = new Set(faults.filter(({ kind }) => kind === 'proxy').map(({ subject }) => subject));
  return [...Map.groupBy(proxies, ({ productType }) => productType)].map(([productType, own]) => {
    const tested = own.filter(({ id }) => newest.has(id));
    return {
      productType,
      tested: tested.length,
      atFault: tested.filter(({ id }) => blamed.has(id)).length,
    };
  });
};

/** The same by type, read from the store. */
export const readFleet = async (context: Context): Promise<FleetOfType[]> => {
  const proxies = await testedProxies(context);
  return fleetByType(proxies, await newestResults(context, proxies), await standingFaults(context, proxies));
};

// How the tested proxies stand, for metrics and alerts alike: who is to blame, and when each was last tested.

import { setImmediate } from 'node:timers/promises';
import { TESTED } from '../../store/target-store.ts';
import type { Fault, TestCell } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyTestOptions } from './options.ts';
import { type TestedProxy, testedProxies } from './sources/tested-proxies.ts';
import { isTestedBy, urlsOf } from './targets.ts';

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

/** Urls that are tested still at which nothing tells why proxies fail, and how many those are. */
export const readInconclusive = async ({
  account,
  options,
  store,
}: Context): Promise<Map<string, number>> => {
  const found = await store.tests.inconclusive(account.name);
  const proxies = new Map(found.map((each) => [each.url, each.proxies]));
  return new Map(urlsOf(options).map(({ label }) => [label, proxies.get(label) ?? 0]));
};

/** When each proxy last had a result of what is tested (ms), by id; those without one are left out. */
export const newestResults = (
  context: Context,
  proxies: readonly TestedProxy[],
): Promise<Map<string, number>> => newestAmong(context, proxies, isTestedBy(context.options));

/**
 * Since when each proxy without a result of what is tested waits for one (ms), by id: since it is known, or since it had
 * its last result at what is tested no more. `newest` has those that don't wait.
 */
export const waitingSince = async (
  context: Context,
  proxies: readonly TestedProxy[],
  newest: ReadonlyMap<string, number>,
): Promise<Map<string, number>> => {
  const waiting = proxies.filter(({ id }) => !newest.has(id));
  if (waiting.length === 0) return new Map();
  const { account, store, clock } = context;
  const known = await store.targets.since(account.name, TESTED);
  const before = await newestAmong(context, waiting, () => true);
  const sinceOf = (id: string): number => Math.max(known.get(id) ?? clock.now(), before.get(id) ?? 0);
  return new Map(waiting.map(({ id }) => [id, sinceOf(id)]));
};

/** Lets the event loop breathe. */
const newestAmong = async (
  { account, store }: Context,
  proxies: readonly TestedProxy[],
  isMeant: (cell: TestCell) => boolean,
): Promise<Map<string, number>> => {
  const newest = new Map<string, number>();
  const ids = proxies.map(({ id }) => id);
  for (let first = 0; first < ids.length; first += PAGE) {
    const cells = await store.tests.cells(account.name, ids.slice(first, first + PAGE));
    for (const [id, at] of newestOf(cells.filter(isMeant))) newest.set(id, at);
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

// Reads the state of the fleet, which is all tested proxies of an account, for metrics and alerts: faults and test times.

import { TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import type { Fault, TestCell } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { isOfOneProxy } from '../faults/attribution.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { readCurrentFaults, readCurrentInconclusive } from './current-findings.ts';
import type { ProxyTestOptions } from './options.ts';
import { cellSlices, configuredCellFilter, urlsOf } from './targets.ts';

type Context = ReadContext<ProxyTestOptions>;

export interface FleetCounts {
  readonly productType: string;
  readonly tested: number;
  /** Tested proxies that are themselves at fault for their failures. */
  readonly atFault: number;
}

/** By configured url: the number of proxies that fail there for an unknown cause. */
export const readInconclusive = async (context: Context): Promise<Map<string, number>> => {
  const found = await readCurrentInconclusive(context);
  const proxies = new Map(found.map((each) => [each.url, each.proxies]));
  return new Map(urlsOf(context.options).map(({ label }) => [label, proxies.get(label) ?? 0]));
};

/** By proxy id: when the proxy last had a result from a configured url and tester (ms). Proxies without one are left out. */
export const readNewestResultTimes = (
  context: Context,
  proxies: readonly TestedProxy[],
): Promise<Map<string, number>> => readNewestTimes(context, proxies, configuredCellFilter(context.options));

/**
 * By id of each proxy that has no result from the configured urls and testers: since when it has waited for one (ms).
 * It has waited since it was first known, or since its last result from a url or tester that is no longer configured.
 * `newest` contains the proxies that do not wait.
 */
export const readWaitingSince = async (
  context: Context,
  proxies: readonly TestedProxy[],
  newest: ReadonlyMap<string, number>,
): Promise<Map<string, number>> => {
  const waiting = proxies.filter(({ id }) => !newest.has(id));
  if (waiting.length === 0) return new Map();
  const { account, store, clock } = context;
  const known = await store.sourceProxies.since(account.name, TESTED_PROXIES);
  const before = await readNewestTimes(context, waiting, () => true);
  const sinceOf = (id: string): number => Math.max(known.get(id) ?? clock.now(), before.get(id) ?? 0);
  return new Map(waiting.map(({ id }) => [id, sinceOf(id)]));
};

const readNewestTimes = async (
  context: Context,
  proxies: readonly TestedProxy[],
  isIncluded: (cell: TestCell) => boolean,
): Promise<Map<string, number>> => {
  const newest = new Map<string, number>();
  for await (const cells of cellSlices(context, proxies))
    for (const [id, at] of newestTimes(cells.filter(isIncluded))) newest.set(id, at);
  return newest;
};

/** By proxy: the time (ms) of its newest cell. */
export const newestTimes = (
  cells: Iterable<{ readonly proxy: string; readonly at: number }>,
): Map<string, number> => {
  const newest = new Map<string, number>();
  for (const { proxy, at } of cells) newest.set(proxy, Math.max(at, newest.get(proxy) ?? 0));
  return newest;
};

export const countFleetByType = (
  proxies: readonly TestedProxy[],
  newest: ReadonlyMap<string, number>,
  faults: readonly Fault[],
): FleetCounts[] => {
  const faultyIds = new Set(faults.filter(isOfOneProxy).map(({ subject }) => subject));
  return [...Map.groupBy(proxies, ({ productType }) => productType)].map(([productType, ofType]) => {
    const tested = ofType.filter(({ id }) => newest.has(id));
    return {
      productType,
      tested: tested.length,
      atFault: tested.filter(({ id }) => faultyIds.has(id)).length,
    };
  });
};

/** Reads the counts by product type from the store. */
export const readFleetCounts = async (context: Context): Promise<FleetCounts[]> => {
  const proxies = await readTestedProxies(context);
  return countFleetByType(
    proxies,
    await readNewestResultTimes(context, proxies),
    await readCurrentFaults(context, proxies),
  );
};

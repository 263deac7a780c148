// Reads the newest results of the probes, and those of the provider's testers for the same proxies.

import { setImmediate } from 'node:timers/promises';
import { DAY } from '../../lib/time.ts';
import type { TestCell } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import type { ProbeOptions } from './options.ts';
import { labelsOf } from './targets.ts';
import { type VantageOptions, vantageContext } from './vantage.ts';

/** A cell with the type and protocol of its proxy. */
export type ProbeCell = TestCell & Pick<TestedProxy, 'productType' | 'protocol'>;

/** Of how many proxies the results are read before other work runs. */
const SLICE_SIZE = 200;

/** Reads the cells of proxies, urls and the vantage that are configured. */
export const readProbeCells = async (context: ReadContext<VantageOptions>): Promise<ProbeCell[]> => {
  const { options } = context;
  const labels = new Set(labelsOf(options));
  const cells = await readCells(context, await readTestedProxies(context));
  return cells.filter(({ url, tester }) => labels.has(url) && tester === options.vantage);
};

/**
 * Reads the results of the provider's testers of the last 24 hours, or of two cycles of the tests (`intervalMs`) if these are
 * longer. Empty if there are no tests by the provider.
 */
export const readProviderCells = async (
  context: ReadContext<ProbeOptions>,
  intervalMs: number,
): Promise<ProbeCell[]> => {
  const { account, clock } = context;
  if (!account.proxy_tests) return [];
  const proxies = await readTestedProxies(vantageContext(context));
  const since = clock.now() - Math.max(DAY, 2 * intervalMs);
  return (await readCells(context, proxies)).filter(({ url, at }) => url !== '' && at >= since);
};

const readCells = async (
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  proxies: readonly TestedProxy[],
): Promise<ProbeCell[]> => {
  const cells: ProbeCell[] = [];
  await setImmediate();
  for (let from = 0; from < proxies.length; from += SLICE_SIZE) {
    const slice = new Map(proxies.slice(from, from + SLICE_SIZE).map((proxy) => [proxy.id, proxy]));
    for (const cell of await store.tests.cells(account.name, [...slice.keys()])) {
      const proxy = slice.get(cell.proxy);
      if (proxy) cells.push({ ...cell, productType: proxy.productType, protocol: proxy.protocol });
    }
    await setImmediate();
  }
  return cells;
};

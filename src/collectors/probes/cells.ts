// Reads the newest results of the probes, and those of the provider's testers for the same proxies.

import { DAY } from '../../lib/time.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { type MatrixCell, readCells } from '../proxy-tests/targets.ts';
import type { ProbeOptions } from './options.ts';
import { labelsOf } from './targets.ts';
import { type VantageOptions, vantageContext } from './vantage.ts';

/** Reads the cells of proxies, urls and the vantage that are configured. */
export const readProbeCells = async (context: ReadContext<VantageOptions>): Promise<MatrixCell[]> => {
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
): Promise<MatrixCell[]> => {
  const { account, clock } = context;
  if (!account.proxy_tests) return [];
  const proxies = await readTestedProxies(vantageContext(context));
  const since = clock.now() - Math.max(DAY, 2 * intervalMs);
  return (await readCells(context, proxies)).filter(({ url, at }) => url !== '' && at >= since);
};

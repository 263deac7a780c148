// Reads the newest results of the probes and of the provider's testers for the same proxies, and what the probes found about subjects that are still probed.

import { DAY } from '../../lib/time.ts';
import type { ProbeExit } from '../../store/probe-store.ts';
import type { Fault } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { readCurrentFaults, readCurrentInconclusive } from '../proxy-tests/current-findings.ts';
import { type MatrixCell, readCells } from '../proxy-tests/targets.ts';
import { readControls } from './controls.ts';
import type { ProbeOptions } from './options.ts';
import { labelsOf } from './targets.ts';
import { asMatrix, type VantageOptions, vantageContext } from './vantage.ts';

/** Reads the cells of proxies, urls and the vantage that are configured. */
export const readProbeCells = async (context: ReadContext<VantageOptions>): Promise<MatrixCell[]> => {
  const { options } = context;
  const labels = new Set(labelsOf(options));
  const cells = await readCells(context, await readTestedProxies(context));
  return cells.filter(({ url, tester }) => labels.has(url) && tester === options.vantage);
};

/** Reads the testers' results of the last 24 hours, or of two cycles (`intervalMs`) if longer. Empty without such tests. */
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

type Context = ReadContext<VantageOptions>;

export const readProbeFaults = async (context: Context, proxies?: readonly TestedProxy[]): Promise<Fault[]> =>
  readCurrentFaults(asMatrix(context), proxies ?? (await readTestedProxies(context)));

/**
 * By url: the number of proxies that fail there for an unknown cause. While the control of a url fails, one round shows
 * little, and so do few proxies, so these do not count.
 */
export const readInconclusive = async (
  context: Context,
  proxies?: readonly TestedProxy[],
): Promise<Map<string, number>> => {
  const { options } = context;
  const probed = (proxies ?? (await readTestedProxies(context))).length;
  const controls = new Map((await readControls(context)).map((control) => [control.url, control]));
  const counts = (url: string, failing: number): boolean => {
    const control = controls.get(url);
    if (!control || control.isSuccessful) return true;
    return control.failingRounds >= options.fault_after && 2 * failing >= probed;
  };
  const found = await readCurrentInconclusive(asMatrix(context));
  const failing = new Map(found.map((each) => [each.url, counts(each.url, each.proxies) ? each.proxies : 0]));
  return new Map(labelsOf(options).map((label) => [label, failing.get(label) ?? 0]));
};

/** Returns the checked exits; none while the check of exits is off. */
export const readExits = async (context: Context, proxies?: readonly TestedProxy[]): Promise<ProbeExit[]> => {
  const { account, options, store } = context;
  if (!options.exit) return [];
  const ids = new Set((proxies ?? (await readTestedProxies(context))).map(({ id }) => id));
  return (await store.probes.exits(account.name)).filter(({ proxy }) => ids.has(proxy));
};

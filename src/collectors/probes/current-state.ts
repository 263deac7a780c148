// Reads what the probes found about subjects that are still probed: faults, failures without a known cause, and exits.

import type { ProbeExit } from '../../store/probe-store.ts';
import type { Fault } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { readCurrentFaults, readCurrentInconclusive } from '../proxy-tests/current-findings.ts';
import { readControls } from './controls.ts';
import { labelsOf } from './targets.ts';
import { asMatrix, type VantageOptions } from './vantage.ts';

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

// Reads what the probes found about subjects that are still probed: faults, failures without a known cause, and exits.

import type { ProbeExit } from '../../store/probe-store.ts';
import type { Fault } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { readControls } from './control-state.ts';
import { labelsOf } from './targets.ts';
import type { VantageOptions } from './vantage.ts';

type Context = ReadContext<VantageOptions>;

/** The store keeps the faults of subjects that are no longer probed until new results come. */
export const readProbeFaults = async (
  context: Context,
  proxies?: readonly TestedProxy[],
): Promise<Fault[]> => {
  const { account, options, store } = context;
  const ids = new Set((proxies ?? (await readTestedProxies(context))).map(({ id }) => id));
  const labels = new Set(labelsOf(options));
  const isProbed = {
    provider: () => ids.size > 0,
    proxy: (id: string) => ids.has(id),
    access: (id: string) => ids.has(id),
    target: (url: string) => labels.has(url),
    // The line of the vantage is at fault if no control gets an answer. It is no fault of its own.
    tester: () => false,
  };
  return (await store.tests.faults(account.name)).filter(({ kind, subject }) => isProbed[kind](subject));
};

/**
 * By url: the number of proxies that fail there for an unknown cause. While the control of a url fails, one round shows
 * little, and so do few proxies, so these do not count.
 */
export const readInconclusive = async (
  context: Context,
  proxies?: readonly TestedProxy[],
): Promise<Map<string, number>> => {
  const { account, options, store } = context;
  const probed = (proxies ?? (await readTestedProxies(context))).length;
  const controls = new Map((await readControls(context)).map((control) => [control.url, control]));
  const counts = (url: string, failing: number): boolean => {
    const control = controls.get(url);
    if (!control || control.isSuccessful) return true;
    return control.failingRounds >= options.fault_after && 2 * failing >= probed;
  };
  const found = await store.tests.inconclusiveFailures(account.name);
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

// Reads the faults and exits that the probes found, of subjects that are still probed.

import type { ProbeExit } from '../../store/probe-store.ts';
import type { Fault } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
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

/** Returns the checked exits; none while the check of exits is off. */
export const readExits = async (context: Context, proxies?: readonly TestedProxy[]): Promise<ProbeExit[]> => {
  const { account, options, store } = context;
  if (!options.exit) return [];
  const ids = new Set((proxies ?? (await readTestedProxies(context))).map(({ id }) => id));
  return (await store.probes.exits(account.name)).filter(({ proxy }) => ids.has(proxy));
};

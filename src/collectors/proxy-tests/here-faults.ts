// Reads which proxies the probes cannot use, for the tests of the same proxies.

import type { ReadContext } from '../context.ts';
import type { Attribution } from '../faults/attribution.ts';
import { probesAccount } from '../probes-account.ts';
import type { HereFault } from './attribute-tests.ts';
import type { ProxyTestOptions } from './options.ts';
import { plannedCycleMs } from './planner.ts';
import { readPlannerInput } from './planner-input.ts';

/**
 * A probe from before the rounds of tests that a fault takes shows nothing about what they failed for. So its fault counts
 * only if the tests had it already. Empty without probes.
 */
export const readHereFaults = async (
  context: ReadContext<ProxyTestOptions>,
  previous: Attribution,
): Promise<readonly HereFault[]> => {
  const { account, options, store, clock } = context;
  if (!account.probes) return [];
  const vantage = probesAccount(account.name);
  const faults = (await store.tests.faults(vantage)).filter(({ kind }) => kind === 'access');
  if (faults.length === 0) return [];
  const { proxies, budget } = await readPlannerInput(context);
  const since = clock.now() - (options.fault_after - 0.5) * plannedCycleMs(proxies, budget);
  const subjects = faults.map(({ subject }) => subject);
  const cells = await store.tests.cells(vantage, subjects);
  const recent = new Set(cells.filter(({ at }) => at >= since).map(({ proxy }) => proxy));
  const known = new Set(previous.faults.flatMap(({ kind, subject }) => (kind === 'access' ? [subject] : [])));
  return faults.filter(({ subject }) => known.has(subject) || recent.has(subject));
};

// Reads the stored faults and failures of unknown cause, of what is still configured only.

import type { Fault, InconclusiveFailures } from '../../store/test-store.ts';
import { probesAccount, type ReadContext } from '../context.ts';
import type { Attribution } from '../faults/attribution.ts';
import { type NamedUrl, urlLabel } from '../url-label.ts';
import type { HereFault } from './attribute-tests.ts';
import type { ProxyTestOptions } from './options.ts';
import { plannedCycleMs } from './planner.ts';
import { readPlannerInput } from './planner-input.ts';

type Context = ReadContext<{
  readonly urls: readonly NamedUrl[];
  /** Empty includes all testers. */
  readonly tester_servers: readonly string[];
}>;

/** `proxies` are the proxies that are still tested, or the only one whose faults matter. */
export const readCurrentFaults = async (
  { account, options, store }: Context,
  proxies: readonly { readonly id: string }[],
): Promise<Fault[]> => {
  const ids = new Set(proxies.map(({ id }) => id));
  const urls = new Set(options.urls.map(urlLabel));
  const testers = new Set(options.tester_servers);
  const isTested: Readonly<Record<Fault['kind'], (subject: string) => boolean>> = {
    provider: () => ids.size > 0,
    proxy: (id) => ids.has(id),
    access: (id) => ids.has(id),
    target: (url) => urls.has(url),
    tester: (tester) => testers.size === 0 || testers.has(tester),
  };
  return (await store.tests.faults(account.name)).filter(({ kind, subject }) => isTested[kind](subject));
};

export const readCurrentInconclusive = async ({
  account,
  options,
  store,
}: Context): Promise<InconclusiveFailures[]> => {
  const urls = new Set(options.urls.map(urlLabel));
  return (await store.tests.inconclusiveFailures(account.name)).filter(({ url }) => urls.has(url));
};

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

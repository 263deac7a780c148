// Reads the stored faults, and failures of unknown cause, of what is still configured. The store keeps those of other
// subjects until new results come.

import type { Fault, InconclusiveFailures } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { type NamedUrl, urlLabel } from '../url-label.ts';

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

// What of the proxy tests the configuration names, so that the store forgets none of it however old it is.

import type { ProxyTestOptions } from './options.ts';
import { configuredProxies } from './sources/tested-proxies.ts';
import { urlsOf } from './targets.ts';

/** Labels of proxies, urls and testers; not of proxies that sources find, which the store knows itself. */
export const configuredNames = (options: ProxyTestOptions): Set<string> =>
  new Set([
    ...configuredProxies(options).map(({ target }) => target.id),
    ...urlsOf(options).map(({ label }) => label),
    ...options.tester_servers,
  ]);

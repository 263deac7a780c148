// Collects the names of proxies, urls and testers in the configuration, which the store keeps however old they are.

import { configuredProxies } from '../proxy-sources/tested-proxies.ts';
import type { ProxyTestOptions } from './options.ts';
import { urlsOf } from './targets.ts';

/** The labels of configured proxies, urls and testers. Proxies that sources find are left out: the store knows them itself. */
export const configuredNames = (options: ProxyTestOptions): Set<string> =>
  new Set([
    ...configuredProxies(options).map(({ proxy }) => proxy.id),
    ...urlsOf(options).map(({ label }) => label),
    ...options.tester_servers,
  ]);

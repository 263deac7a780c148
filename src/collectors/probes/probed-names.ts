// Collects the names of proxies, urls and the vantage in the configuration, which the store keeps however old they are.

import type { OtherSettings } from '../collector.ts';
import { configuredProxies } from '../proxy-sources/tested-proxies.ts';
import type { ProbeOptions } from './options.ts';
import { labelsOf } from './targets.ts';
import { vantageOptions } from './vantage.ts';

/** Proxies that sources find are left out: the store knows them itself. */
export const probedNames = (options: ProbeOptions, settings: OtherSettings): Set<string> =>
  new Set([
    ...configuredProxies(vantageOptions(options, settings)).map(({ proxy }) => proxy.id),
    ...labelsOf(options),
    options.vantage,
  ]);

// What the price of a call is the price of: the provider says it afterwards alone, and other calls cost something else.

import { hash } from 'node:crypto';
import { MAX_PROXIES_PER_RUN } from '../../provider/proxy-tests.ts';
import type { ProxyTestOptions } from './options.ts';
import { urlsOf } from './targets.ts';

/** The same for calls to the same targets from the same testers with as many proxies. */
export const priceKeyOf = (options: ProxyTestOptions): string => {
  const urls = urlsOf(options).map(({ label }) => label);
  return hash('sha1', JSON.stringify([urls.sort(), options.tester_servers.toSorted(), MAX_PROXIES_PER_RUN]));
};

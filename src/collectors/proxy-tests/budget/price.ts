// Makes the key that calls of equal price share. A price is known only after a call, and depends on targets and testers.

import { hash } from 'node:crypto';
import { MAX_PROXIES_PER_RUN } from '../../../provider/resources/proxy-tests.ts';
import type { ProxyTestOptions } from '../options.ts';
import { urlsOf } from '../targets.ts';

/** The key is equal for calls with the same targets, testers and batch size. */
export const priceKeyOf = (options: ProxyTestOptions): string => {
  const urls = urlsOf(options).map(({ label }) => label);
  return hash('sha1', JSON.stringify([urls.sort(), options.tester_servers.toSorted(), MAX_PROXIES_PER_RUN]));
};

// Makes the key that calls of equal price share. A price is known only after a call, and depends on targets and testers.

import { hash } from 'node:crypto';
import { MAX_PROXIES_PER_RUN } from '../../../provider/resources/proxy-tests.ts';
import type { ComparedTests } from '../../context.ts';
import { urlLabel } from '../../url-label.ts';

/** The key is equal for calls with the same targets, testers and batch size. */
export const priceKeyOf = (options: Pick<ComparedTests, 'urls' | 'tester_servers'>): string => {
  const urls = options.urls.map(urlLabel);
  return hash('sha1', JSON.stringify([urls.sort(), options.tester_servers.toSorted(), MAX_PROXIES_PER_RUN]));
};

// Reads the account's proxies that match a filter, from proxy/search.

import { type AccountProxy, readProxies } from '../../provider/resources/proxies.ts';
import { readListing } from '../listings/listing.ts';
import { isInUse } from '../proxy-status.ts';
import { toSourceList } from './account-proxy.ts';
import type { SearchEntry } from './entries.ts';
import { readLogin } from './login.ts';
import { type ProxySource, UNKNOWN_PREVIEW } from './source.ts';

const LISTING = { endpoint: 'proxy/search', unit: 'proxies' };

export const searchSource = ({ search, protocol, proxy_user_id }: SearchEntry): ProxySource => ({
  name: `${protocol} proxies of ${describe(search)}${proxy_user_id ? ` as ${proxy_user_id}` : ''}`,
  isFromProvider: true,
  endpoint: LISTING.endpoint,
  productType: typeof search.proxy_type === 'string' ? search.proxy_type : undefined,
  preview: () => UNKNOWN_PREVIEW,
  list: async (context) => {
    const { client, signal } = context;
    const login = await readLogin(context, proxy_user_id);
    const items = new Map<string, AccountProxy>();
    const read = () => readProxies(client, { filter: search, signal });
    const { skippedIds, isComplete, outcome } = await readListing(context, LISTING, read, async (page) => {
      for (const proxy of page) items.set(proxy.id, proxy);
    });
    const listed = [...items.values()].filter((proxy) => isWanted(proxy, search));
    const isUndecoded = (id: string): boolean => skippedIds.has(id) && !items.has(id);
    const isRemoved = (id: string): boolean => isComplete && !isUndecoded(id);
    return {
      ...toSourceList(listed, { protocol, login }, { skipped: outcome.skipped, isRemoved: isRemoved }),
      isSuspicious: listed.length === 0,
      failure: outcome.failedParts[0],
    };
  },
});

/** A search for a status returns proxies of that status; any other search returns those in use. */
const isWanted = (proxy: AccountProxy, search: SearchEntry['search']): boolean =>
  'proxy_status' in search || isInUse(proxy.status);

const describe = (search: SearchEntry['search']): string => {
  const fields = Object.entries(search).map(([field, value]) => `${field} ${value}`);
  return fields.length === 0 ? 'the account' : fields.sort().join(', ');
};

// The proxies of the account that match a filter, from proxy/search.

import { type AccountProxy, readProxies } from '../../../provider/proxies.ts';
import { readListing } from '../../listing.ts';
import { accountList, isInUse, type Protocol } from './account-proxy.ts';
import { type ProxySource, UNKNOWN } from './source.ts';

export interface SearchSourceOptions {
  /** Fields of a proxy, by the provider's names, and the values wanted. */
  readonly search: Readonly<Record<string, string | number | boolean>>;
  readonly protocol: Protocol;
}

const ENDPOINTS = { endpoints: ['proxy/search'] };

export const searchSource = ({ search, protocol }: SearchSourceOptions): ProxySource => ({
  name: `${protocol} proxies of ${describe(search)}`,
  asksProvider: true,
  preview: () => UNKNOWN,
  list: async (context) => {
    const { client, signal } = context;
    const items = new Map<string, AccountProxy>();
    const read = () => readProxies(client, { filter: search, signal });
    const { seen, isComplete, skipped } = await readListing(context, ENDPOINTS, read, async (page) => {
      for (const proxy of page) items.set(proxy.id, proxy);
    });
    // A listing that moved is read again: what only its first reading had is not there.
    const listed = [...items.values()].filter((proxy) => seen.has(proxy.id) && isWanted(proxy, search));
    const isUndecoded = (id: string): boolean => seen.has(id) && !items.has(id);
    return accountList(listed, protocol, { skipped, isGone: (id) => isComplete && !isUndecoded(id) });
  },
});

/** Who searches for a status gets the proxies of that status, and everybody else those in use. */
const isWanted = (proxy: AccountProxy, search: SearchSourceOptions['search']): boolean =>
  'proxy_status' in search || isInUse(proxy);

const describe = (search: SearchSourceOptions['search']): string => {
  const fields = Object.entries(search).map(([field, value]) => `${field} ${value}`);
  return fields.length === 0 ? 'the account' : fields.sort().join(', ');
};

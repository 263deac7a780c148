// Finds the proxy of the inventory that a tested proxy is, and the other way around.

import type { InventoryProxy, ProxyEndpoint } from '../../../store/inventory-store.ts';
import { type SourceProxy, TESTED_PROXIES } from '../../../store/source-proxy-store.ts';
import type { Store } from '../../../store/store.ts';

type Stores = Pick<Store, 'inventory' | 'sourceProxies'>;

/**
 * The provider's id identifies a proxy, and so does an id that is the provider's. A tested proxy without one is identified
 * by protocol, host and port, if no other proxy has the same ones. A gateway has many proxies behind one port, so its
 * address does not say which of them is tested.
 */
export const findInventoryProxy = async (
  stores: Stores,
  account: string,
  tested: Pick<SourceProxy, 'id' | 'providerId'> & ProxyEndpoint,
): Promise<InventoryProxy | undefined> => {
  const found = await stores.inventory.find(account, tested.providerId ?? tested.id);
  if (found || tested.providerId !== null) return found;
  return (await isOnlyTested(stores, account, tested)) ? onlyAt(stores, account, tested) : undefined;
};

/** Returns the id of the tested proxy that a proxy of the inventory is. */
export const findTestedId = async (
  stores: Stores,
  account: string,
  inventoryId: string,
): Promise<string | undefined> => {
  const [named, ...others] = await stores.sourceProxies.withProviderId(account, TESTED_PROXIES, inventoryId);
  if (named) return others.length === 0 ? named.id : undefined;
  const found = await stores.inventory.find(account, inventoryId);
  for (const endpoint of found ? endpointsOf(found) : []) {
    const [tested] = await stores.sourceProxies.at(account, TESTED_PROXIES, endpoint);
    const match = tested && (await findInventoryProxy(stores, account, tested));
    if (match?.id === inventoryId) return tested?.id;
  }
  return undefined;
};

const endpointsOf = ({ address, httpPort, socks5Port }: InventoryProxy): ProxyEndpoint[] =>
  [
    { protocol: 'http', port: httpPort },
    { protocol: 'socks5', port: socks5Port },
  ].flatMap(({ protocol, port }) =>
    address === null || port === null ? [] : { protocol, host: address.toLowerCase(), port },
  );

const isOnlyTested = async (stores: Stores, account: string, endpoint: ProxyEndpoint): Promise<boolean> =>
  (await stores.sourceProxies.at(account, TESTED_PROXIES, endpoint)).length === 1;

const onlyAt = async (
  stores: Stores,
  account: string,
  endpoint: ProxyEndpoint,
): Promise<InventoryProxy | undefined> => {
  const found = await stores.inventory.at(account, endpoint);
  return found.length === 1 ? found[0] : undefined;
};

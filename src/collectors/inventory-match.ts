// Finds the proxy of the inventory that a tested proxy is, and the other way around.

import { setImmediate } from 'node:timers/promises';
import type { InventoryProxy, PlacedProxy, ProxyEndpoint } from '../store/inventory-store.ts';
import { type SourceProxy, TESTED_PROXIES } from '../store/source-proxy-store.ts';
import type { Store } from '../store/store.ts';
import { testedAccounts } from './context.ts';

type Stores = Pick<Store, 'inventory' | 'sourceProxies'>;
type Tested = Pick<SourceProxy, 'id' | 'providerId'> & ProxyEndpoint;

/**
 * The provider's id identifies a proxy, and so does an id that is the provider's. A tested proxy without one is identified
 * by protocol, host and port, if no other proxy has the same ones. A gateway has many proxies behind one port, so its
 * address does not say which of them is tested.
 */
const findListed = async (
  stores: Stores,
  account: string,
  tested: Tested,
): Promise<PlacedProxy | undefined> => {
  const found = await stores.inventory.find(account, tested.providerId ?? tested.id);
  if (found || tested.providerId !== null) return found;
  return (await isOnlyTested(stores, account, tested)) ? onlyAt(stores, account, tested) : undefined;
};

/** Returns undefined if the inventory never had the proxy. */
export const matchInventory = async (
  stores: Stores,
  account: string,
  tested: Tested & { readonly inventoryId: string | null },
) => {
  const listed = await findListed(stores, account, tested);
  const id = listed?.id ?? tested.inventoryId;
  if (id === null) return undefined;
  // The inventory does not have the proxy any more. This is the last id by which it knew it.
  return { id, proxy: listed ?? (await stores.inventory.find(account, id)) };
};

/** Returns the id of the tested proxy that a proxy of the inventory is, or was before the inventory changed. */
export const findTestedId = async (
  stores: Stores,
  account: string,
  inventoryId: string,
): Promise<string | undefined> => {
  for (const testedAccount of testedAccounts(account)) {
    const { withInventoryId, find, at } = stores.sourceProxies;
    const known = await withInventoryId(testedAccount, TESTED_PROXIES, inventoryId);
    // Several proxies with the id of the provider are one proxy that is tested as several users.
    if (known.filter(({ providerId }) => providerId !== null).length > 1) return undefined;
    const listed = await stores.inventory.find(account, inventoryId);
    for (const endpoint of listed ? endpointsOf(listed) : []) {
      const [first] = await at(testedAccount, TESTED_PROXIES, endpoint);
      const tested = first && (await find(testedAccount, TESTED_PROXIES, first.id));
      if (tested) known.push(tested);
    }
    for (const tested of known)
      if ((await matchInventory(stores, account, tested))?.id === inventoryId) return tested.id;
  }
  return undefined;
};

/**
 * Stores the ids by which the inventory knows the account's tested proxies. Called before each listing is stored, it keeps
 * the ids of those that the listing lacks or shows at another address.
 */
export const rememberInventoryIds = async (stores: Stores, account: string): Promise<void> => {
  for (const testedAccount of testedAccounts(account)) {
    const ids = new Map<string, string>();
    for (const tested of await stores.sourceProxies.of(testedAccount, TESTED_PROXIES)) {
      if (tested.providerId !== null) continue;
      const listed = await findListed(stores, account, tested);
      if (listed) ids.set(tested.id, listed.id);
      await setImmediate();
    }
    await stores.sourceProxies.saveInventoryIds(testedAccount, TESTED_PROXIES, ids);
  }
};

const endpointsOf = ({ address, httpPort, socks5Port }: InventoryProxy): ProxyEndpoint[] =>
  [
    { protocol: 'http', port: httpPort },
    { protocol: 'socks5', port: socks5Port },
  ].flatMap(({ protocol, port }) =>
    address === null || port === null ? [] : { protocol, host: address.toLowerCase(), port },
  );

/** The probes can test the same proxy as the provider's testers, which is then still the only one. */
const isOnlyTested = async (stores: Stores, account: string, endpoint: ProxyEndpoint): Promise<boolean> => {
  for (const testedAccount of testedAccounts(account)) {
    if ((await stores.sourceProxies.at(testedAccount, TESTED_PROXIES, endpoint)).length > 1) return false;
  }
  return true;
};

const onlyAt = async (
  stores: Stores,
  account: string,
  endpoint: ProxyEndpoint,
): Promise<PlacedProxy | undefined> => {
  const found = await stores.inventory.at(account, endpoint);
  return found.length === 1 ? found[0] : undefined;
};

/** Knows which of the account's proxies are tested, by id or by host and port, so that each proxy is shown once. */
export class TestedProxies {
  readonly #remaining: Map<string, SourceProxy>;
  readonly #byEndpoint: ReadonlyMap<string, readonly SourceProxy[]>;

  constructor(testedProxies: readonly SourceProxy[]) {
    this.#remaining = new Map(testedProxies.map((testedProxy) => [testedProxy.id, testedProxy]));
    // The provider's id identifies a proxy. A tested proxy without one is identified by host and port.
    const withoutId = testedProxies.filter(({ providerId }) => providerId === null);
    this.#byEndpoint = Map.groupBy(withoutId, ({ protocol, host, port }) => `${protocol} ${host}:${port}`);
  }

  /** Removes and returns the tested proxies that are this proxy. There are several if it is tested as several users. */
  take({ id, address, httpPort, socks5Port }: InventoryProxy): SourceProxy[] {
    const endpoints = [`http ${address}:${httpPort}`, `socks5 ${address}:${socks5Port}`];
    const ids = [
      id,
      ...endpoints.flatMap((key) => this.#byEndpoint.get(key) ?? []).map((testedProxy) => testedProxy.id),
    ];
    return [...new Set(ids)].flatMap((testedId) => {
      const testedProxy = this.#remaining.get(testedId);
      this.#remaining.delete(testedId);
      return testedProxy ?? [];
    });
  }

  /** Returns the tested proxies that are no known proxies of the account. */
  remaining(): Iterable<SourceProxy> {
    return this.#remaining.values();
  }
}

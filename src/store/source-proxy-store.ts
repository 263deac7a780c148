// Defines the store of proxies that the configured sources found for testing, without their passwords.

import type { ProxyEndpoint } from './inventory-store.ts';

/** What the provider says about a proxy. Unknown values are empty. */
export interface ProxyFacts {
  readonly status: string;
  readonly address: string;
  readonly countryId: string;
  readonly cityName: string;
  readonly asnId: string;
  readonly asnName: string;
  readonly subnetId: string;
  readonly serviceId: string;
}

export interface SourceProxy extends ProxyEndpoint {
  /** The proxy's label `proxy_id`. */
  readonly id: string;
  /** Empty if the proxy has none. */
  readonly name: string;
  /** The provider's id of the proxy, if it is known. */
  readonly providerId: string | null;
  /** Empty if it is unknown. */
  readonly productType: string;
  /** The user name for the proxy, which distinguishes proxies that share host and port. */
  readonly username: string;
  /** Null if only the configuration describes the proxy. */
  readonly facts: ProxyFacts | null;
}

export interface StoredSourceProxy extends SourceProxy {
  /** Since when the source has the proxy (ms). */
  readonly since: number;
  /**
   * The id by which the inventory last knew the proxy. It stays if the inventory loses the proxy or gives it another
   * address. Null if it is not known for the proxy's present endpoint.
   */
  readonly inventoryId: string | null;
}

/** Used as the name of a source: all proxies that are tested, whatever their sources, each once. */
export const TESTED_PROXIES = '';

export interface SourceProxyStore {
  /** Returns the proxies that a source found, ordered by id. */
  of(account: string, source: string): Promise<SourceProxy[]>;
  find(account: string, source: string, id: string): Promise<StoredSourceProxy | undefined>;
  /** Returns the first two proxies at this endpoint, which is enough to know whether there is only one. */
  at(account: string, source: string, endpoint: ProxyEndpoint): Promise<SourceProxy[]>;
  /** Returns the first two proxies that the inventory last knew by this id. */
  withInventoryId(account: string, source: string, inventoryId: string): Promise<StoredSourceProxy[]>;
  /** Stores the ids by which the inventory knows proxies, by the ids of the proxies, in slices. */
  saveInventoryIds(account: string, source: string, inventoryIds: ReadonlyMap<string, string>): Promise<void>;
  /** Returns by id since when the source has the proxy (ms). */
  since(account: string, source: string): Promise<Map<string, number>>;
  /** Stores new and changed proxies of a source and deletes removed ones, in slices. */
  save(
    account: string,
    source: string,
    changed: readonly SourceProxy[],
    removedIds: readonly string[],
    now: number,
  ): Promise<void>;
  /** Deletes the proxies of all other sources. Those of TESTED_PROXIES stay. */
  retain(account: string, sources: readonly string[]): Promise<void>;
}

// Defines the store of the account's inventory: its proxies by the last complete listing, and their changes.

import type { IdSet } from '../lib/sorted.ts';
import type { Counter } from './counter.ts';
import type { Listing } from './listing.ts';

/** Values are null if the provider has given none yet. */
export interface InventoryProxy {
  /** The id stays the same when the address is replaced. */
  readonly id: string;
  readonly productType: string | null;
  /** Such as `ipv4`. */
  readonly protocol: string | null;
  readonly status: string | null;
  readonly address: string | null;
  readonly httpPort: number | null;
  readonly socks5Port: number | null;
  readonly subnetId: string | null;
  readonly asnId: number | null;
  readonly asnName: string | null;
  readonly cityId: number | null;
  readonly cityName: string | null;
  readonly countryId: string | null;
  readonly serviceId: string | null;
  /** The IPv6 address, which `address` may contain too. */
  readonly addressV6: string | null;
  readonly addressIdV4: string | null;
  readonly addressIdV6: string | null;
  readonly subnetIdV6: string | null;
  /** The line item of its service. */
  readonly lineItemId: string | null;
  /** Time by the provider's clock (ms). */
  readonly updatedAt: number | null;
  /** How many proxy users may use it, and the ids of the first MAX_USER_IDS of them. */
  readonly users: number | null;
  readonly userIds: readonly string[] | null;
  /** Degrees, north and east above 0. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly examplePostcode: string | null;
  readonly timeZone: string | null;
  readonly countryName: string | null;
  readonly subdivisionId: string | null;
  readonly subdivisionName: string | null;
}

/** A proxy with where others than the provider place its address. Null until the provider has answered. */
export interface PlacedProxy extends InventoryProxy {
  /** When the provider was last asked, and when it last answered (ms). */
  readonly askedAt: number | null;
  readonly placedAt: number | null;
  /** Two lowercase letters; null also if others place it nowhere. */
  readonly placedIn: string | null;
}

/** The number of ids is limited, because a proxy may be open to every user of an account. */
export const MAX_USER_IDS = 10;

/** Ways in which a proxy can differ from one complete listing to the next. */
export const INVENTORY_CHANGES = ['appeared', 'gone', 'address', 'asn', 'city'] as const;
export type InventoryChangeKind = (typeof INVENTORY_CHANGES)[number];

export interface InventoryChange {
  /** Rises with each change; numbers may be left out. */
  readonly number: number;
  /** When the listing that showed the change began (ms). */
  readonly at: number;
  readonly change: InventoryChangeKind;
  readonly proxyId: string;
  /** Addresses, or ids of networks or cities; null if there is none or none was given. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface NamedChange extends InventoryChange {
  /** The present address of the proxy; null if it has none, or was removed. */
  readonly address: string | null;
  /** The names of networks and cities, as far as the inventory has them. */
  readonly beforeName: string | null;
  readonly afterName: string | null;
  /** Why the proxy was replaced, by the adjustment of its service; null if none is known. */
  readonly reason: string | null;
}

/** Kinds of changes that say where a proxy is, or that it is nowhere. The newest one of a proxy counts. */
export const PLACE_CHANGES = [
  'appeared',
  'gone',
  'address',
] as const satisfies readonly InventoryChangeKind[];

export interface TestedProxyChange extends Omit<InventoryChange, 'number' | 'proxyId'> {
  /** The id of the tested proxy, and the host with which it is tested. */
  readonly id: string;
  readonly host: string;
}

export interface ProxyEndpoint {
  /** http or socks5. */
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
}

/** Which changes are read. Times are from `from` to before `to` (ms). */
export interface ChangeFilter {
  readonly proxyId?: string | undefined;
  readonly change?: InventoryChangeKind | undefined;
  /** A part of the proxy's id, or of the value before or after, in upper or lower case. */
  readonly text?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only changes that come after this one in the order of the page. */
  readonly before?: Pick<InventoryChange, 'at' | 'number'> | undefined;
}

/** A listing that saw all proxies, or all but those that came and went meanwhile. */
export interface InventoryListing {
  /** Those of its proxies that `filterChanged` returned. */
  readonly changed: readonly InventoryProxy[];
  /** Ids of all proxies that were listed. */
  readonly seenIds: IdSet;
  readonly startedAt: number;
  readonly now: number;
  /** Whether proxies that it lacks count as missing. */
  readonly isComplete: boolean;
}

export interface InventoryStore {
  /** Creates the counters of changes at 0, unless they exist. */
  open(account: string, now: number): Promise<void>;
  /** Returns those of the proxies that differ from the stored ones. After the first listing these are very few. */
  filterChanged(account: string, proxies: readonly InventoryProxy[]): Promise<InventoryProxy[]>;
  /**
   * Stores a listing and the changes it shows. The first complete listing is the baseline. A proxy that is missing from
   * two complete ones in a row is removed. It takes several transactions: after a crash the next listing adds the rest.
   */
  saveListing(account: string, listing: InventoryListing): Promise<void>;
  listing(account: string): Promise<Listing>;
  counters(account: string): Promise<Record<InventoryChangeKind, Counter>>;
  /** Returns up to `limit` proxies after the id `after`, ordered by id. */
  page(account: string, after: string, limit: number): Promise<PlacedProxy[]>;
  find(account: string, id: string): Promise<PlacedProxy | undefined>;
  /** Returns the first two proxies at this endpoint, which is enough to know whether there is only one. */
  at(account: string, endpoint: ProxyEndpoint): Promise<PlacedProxy[]>;
  /** Stores that the provider was asked, and its answer if `placedAt` is not null. Rows of removed proxies expire. */
  place(
    account: string,
    address: string,
    placed: Pick<PlacedProxy, 'askedAt' | 'placedAt' | 'placedIn'>,
  ): Promise<void>;
  /** Returns when addresses were last asked for after `since` (ms). */
  askedSince(account: string, since: number): Promise<{ readonly at: number; readonly amount: number }[]>;
  /** Returns up to `limit` changes, the newest first, and of the same time the one with the highest number first. */
  newestChanges(account: string, limit: number, filter?: ChangeFilter): Promise<InventoryChange[]>;
  /** Adds the names that the inventory has. */
  nameChanges(account: string, changes: readonly InventoryChange[]): Promise<NamedChange[]>;
  /** Returns the newest of PLACE_CHANGES since `since` (ms) by proxy. `testedAccount` is that of their tested proxies. */
  changesOfTested(account: string, testedAccount: string, since: number): Promise<TestedProxyChange[]>;
  /** Counts all changes that the filter matches. Its `text` and `before` do not count. */
  countChanges(account: string, filter: ChangeFilter): Promise<number>;
  /** Returns up to `limit` changes after the number `after`, the oldest first. The newest 100,000 are kept. */
  changes(account: string, after: number, limit: number): Promise<InventoryChange[]>;
}

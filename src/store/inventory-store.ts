// The account's inventory as the store keeps it: its proxies by the last complete listing, and what has changed.

import type { Counter } from './counter.ts';
import type { Listing } from './listing.ts';

/** Null where the provider has given no value yet. */
export interface InventoryProxy {
  /** Stays the same when the address is replaced. */
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
  /** The IPv6 address, also where it stands in `address`. */
  readonly addressV6: string | null;
  readonly addressIdV4: string | null;
  readonly addressIdV6: string | null;
  readonly subnetIdV6: string | null;
  /** Of its service. */
  readonly lineItemId: string | null;
  /** By the provider's clock (ms). */
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

/** A proxy may be open to every user of an account. */
export const MAX_USER_IDS = 10;

/** What can be other about a proxy from one complete listing to the next. */
export const INVENTORY_CHANGES = ['appeared', 'gone', 'address', 'asn', 'city'] as const;
export type InventoryChangeKind = (typeof INVENTORY_CHANGES)[number];

export interface InventoryChange {
  /** Rises from change to change, with gaps. */
  readonly number: number;
  /** When the listing began that showed it (ms). */
  readonly at: number;
  readonly change: InventoryChangeKind;
  readonly proxyId: string;
  /** Addresses, or the ids of networks and cities; null where there is none, or it was not given. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A listing that saw all proxies, or all but what came and went meanwhile. */
export interface InventoryListing {
  /** What `changed` told of its proxies. */
  readonly changed: readonly InventoryProxy[];
  /** Ids of all that were there. */
  readonly seen: ReadonlySet<string>;
  readonly startedAt: number;
  readonly now: number;
  /** Whether what it lacks may be gone. */
  readonly isComplete: boolean;
}

export interface InventoryStore {
  /** Makes the counters of changes exist, at 0. */
  open(account: string, now: number): Promise<void>;
  /** Those of the proxies that are not stored as they are: after the first listing next to none. */
  changed(account: string, proxies: readonly InventoryProxy[]): Promise<InventoryProxy[]>;
  /**
   * Stores a listing and what it changed. The first complete one is the baseline, and a proxy is gone that two of those
   * in a row do not have. In several transactions, each whole: after a crash the next listing brings the rest.
   */
  saveListing(account: string, listing: InventoryListing): Promise<void>;
  listing(account: string): Promise<Listing>;
  counters(account: string): Promise<Record<InventoryChangeKind, Counter>>;
  /** Up to `limit` proxies after `after`, by id. */
  page(account: string, after: string, limit: number): Promise<InventoryProxy[]>;
  find(account: string, id: string): Promise<InventoryProxy | undefined>;
  /** Up to `limit` of the newest changes that come before the one with the number `before`, the newest first. */
  newestChanges(account: string, before: number, limit: number): Promise<InventoryChange[]>;
  /** Up to `limit` changes after the one with the number `after`, the oldest first; the newest 100,000 are kept. */
  changes(account: string, after: number, limit: number): Promise<InventoryChange[]>;
}

// The exact state of the simulated account at any instant, before any fault: what a watcher should have seen.

import type { MeteredType } from '../lib/product-types.ts';
import type { Interval, LocalTime } from './local-time.ts';
import { type Bucket, bucketsOf } from './resources/graph.ts';
import type { LedgerRow } from './resources/ledger.ts';
import type { Inventory, InventoryProxy } from './resources/proxies.ts';
import type { ProxyUsers } from './resources/proxy-users.ts';
import type { Traffic } from './traffic/minutes.ts';
import type { TrafficFilter } from './traffic/slices.ts';
import type { TrafficBook } from './traffic/traffic.ts';

/** Instants are milliseconds; `at`, now unless given, is the instant at which the values were published. */
export interface Truth {
  /** Sums over the minutes that start in [from, to), those older than the provider answers for too. */
  traffic(filter: TrafficFilter, from: number, to: number, at?: number): Traffic;
  /** `start` is an instant. */
  buckets(
    filter: TrafficFilter,
    interval: Interval,
    from: number,
    to: number,
    at?: number,
  ): (Traffic & { start: number })[];
  ledger(at?: number): readonly LedgerRow[];
  proxies(at?: number): readonly InventoryProxy[];
  /** Used bytes by user id and product type. */
  users(at?: number): Map<string, Readonly<Record<MeteredType, number>>>;
}

interface Account {
  readonly traffic: TrafficBook;
  readonly local: LocalTime;
  readonly ledger: (at: number) => readonly LedgerRow[];
  readonly inventory: Inventory;
  readonly users: ProxyUsers;
}

export const truthOf = ({ traffic, local, ledger, inventory, users }: Account, now: () => number): Truth => ({
  traffic: (filter, from, to, at = now()) => {
    const { peakRequests: _, changedAt: __, ...sums } = traffic.sum(traffic.of(filter), from, to, at);
    return sums;
  },
  buckets: (filter, interval, from, to, at = now()) =>
    bucketsOf(traffic, local, filter, { interval, from, to }, at).map(bare),
  ledger: (at = now()) => ledger(at),
  proxies: (at = now()) => inventory.rows(at),
  users: (at = now()) => new Map(users.rows().map((row) => [row.fixed.proxy_user_id, users.used(row, at)])),
});

const bare = ({ peakRequests: _, changedAt: __, ...bucket }: Bucket): Traffic & { start: number } => bucket;

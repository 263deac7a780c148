// Returns the exact state of the simulated account at any time, without faults, to compare with what a daemon observed.

import type { MeteredType } from '../lib/product-types.ts';
import type { Interval, LocalTime } from './local-time.ts';
import { type Bucket, bucketsOf } from './resources/graph.ts';
import type { LedgerRow } from './resources/ledger.ts';
import type { Inventory, InventoryProxy } from './resources/proxies.ts';
import type { ProxyUsers } from './resources/proxy-users.ts';
import type { Traffic } from './traffic/minutes.ts';
import type { PublishedTraffic } from './traffic/published-traffic.ts';
import type { TrafficFilter } from './traffic/slices.ts';

/** Times are in milliseconds. `at` is the time as of which values are returned as published; its default is now. */
export interface Truth {
  /** Sums over the minutes that start in [from, to), including those that the provider does not return any more. */
  traffic(filter: TrafficFilter, from: number, to: number, at?: number): Traffic;
  /** `start` is a time in ms. */
  buckets(
    filter: TrafficFilter,
    interval: Interval,
    from: number,
    to: number,
    at?: number,
  ): (Traffic & { start: number })[];
  ledger(at?: number): readonly LedgerRow[];
  proxies(at?: number): readonly InventoryProxy[];
  /** Returns the used bytes by user id and product type. */
  users(at?: number): Map<string, Readonly<Record<MeteredType, number>>>;
}

interface TruthSources {
  readonly traffic: PublishedTraffic;
  readonly local: LocalTime;
  readonly ledger: (at: number) => readonly LedgerRow[];
  readonly inventory: Inventory;
  readonly users: ProxyUsers;
}

export const truthOf = (
  { traffic, local, ledger, inventory, users }: TruthSources,
  now: () => number,
): Truth => ({
  traffic: (filter, from, to, at = now()) => {
    const { peakRequests: _, lastChangeAt: __, ...sums } = traffic.sum(traffic.select(filter), from, to, at);
    return sums;
  },
  buckets: (filter, interval, from, to, at = now()) =>
    bucketsOf(traffic, local, filter, { interval, from, to }, at).map(withoutSumFields),
  ledger: (at = now()) => ledger(at),
  proxies: (at = now()) => inventory.rows(at),
  users: (at = now()) => new Map(users.rows(at).map((row) => [row.fixed.proxy_user_id, users.used(row, at)])),
});

const withoutSumFields = ({
  peakRequests: _,
  lastChangeAt: __,
  ...bucket
}: Bucket): Traffic & { start: number } => bucket;

// Defines what the HTTP server reads of the state of the daemon: its accounts and collectors, shards, receivers of remote
// write, maintenance and store.

import type { Freshness } from '../collectors/freshness.ts';
import type { Progress } from '../lib/progress.ts';
import type { RunResult } from '../store/account-store.ts';
import type { ReceiverCounts } from '../store/publication-store.ts';

/** Times are milliseconds since the epoch. */
export interface Status {
  readonly version: string;
  readonly startedAt: number;
  readonly maintenance: MaintenanceStatus;
  readonly accounts: readonly AccountStatus[];
  /** In the order of the configuration. */
  readonly remoteWrite: readonly RemoteWriteStatus[];
}

/** Which shard this daemon is, and which shard runs which account. Without shards, the daemon is shard 0 of 1. */
export interface ShardsStatus {
  readonly index: number;
  readonly count: number;
  /** Addresses of the status pages by shard; empty if they are not configured. */
  readonly urls: readonly string[];
  /** All accounts of the configuration. */
  readonly owners: readonly {
    readonly account: string;
    readonly shard: number;
    readonly isPinned: boolean;
  }[];
}

/** A receiver of remote write. */
export interface RemoteWriteStatus {
  readonly name: string;
  /** Host and port of its url, without credentials. */
  readonly host: string;
  /** 0 if it has everything; null before the first look. */
  readonly lagMs: number | null;
  /** Since when it has taken nothing although history waits; null if it has everything, and before the first look. */
  readonly waitingSince: number | null;
  /** Null if it has accepted no samples since the start of the daemon. */
  readonly lastSuccessAt: number | null;
  /** Why it did not take the last request, without secrets; null if it took it. */
  readonly lastError: string | null;
  /** Samples since the receiver was added, by what became of them; null before they are known. */
  readonly samples: Pick<ReceiverCounts, 'accepted' | 'refused' | 'expired'> | null;
}

/** The store's maintenance. */
export interface MaintenanceStatus {
  readonly nextAt: number;
  /** Null while no maintenance is running. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
}

export interface AccountStatus {
  readonly name: string;
  /** The provider's customer that the account belongs to; null before it is known. */
  readonly customerId: number | null;
  /** The zone of the account's days. */
  readonly timeZone: string;
  /** The currency of the account's amounts of money, as a code of ISO 4217. */
  readonly currency: string;
  readonly collectors: readonly CollectorStatus[];
}

export interface CollectorStatus {
  readonly name: string;
  readonly data: Pick<Freshness, 'state' | 'asOf'>;
  /** The result of the last run that ended; null before the first. */
  readonly result: RunResult | null;
  readonly lastAttemptAt: number | null;
  readonly lastDurationMs: number | null;
  readonly lastSuccessAt: number | null;
  /** The first error of the last run, without secrets. */
  readonly error: { readonly kind: string; readonly message: string } | null;
  readonly failuresInARow: number;
  readonly intervalMs: number;
  readonly nextAt: number;
  /** Null while no run is in progress. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
  /** Until when the current run waits because the provider answered 429; null if it does not wait. */
  readonly waitsUntil: number | null;
}

export interface StoreStatus {
  readonly bytes: number;
  readonly walBytes: number;
  /** When the counters of the provider's data began at 0 (ms); null if unknown. */
  readonly epochBeganAt: number | null;
}

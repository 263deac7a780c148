// Defines the state of the daemon that the HTTP server reads, and its JSON.

import { z } from 'zod';
import { DATA_STATES } from '../collectors/freshness.ts';
import type { Progress } from '../lib/progress.ts';
import {
  account,
  amount,
  count,
  currency,
  flag,
  jsonOf,
  orNull,
  type Stored,
  text,
  time,
} from './api/item.ts';

export const dataState = z
  .enum(DATA_STATES)
  .describe(
    '`current`: the last success is recent. `stale`: no run has succeeded for 3 intervals plus the duration of a whole listing. `no_data`: no run has read all data yet, so a list can be incomplete. `not_monitored`: the collector is off',
  );

const progress = z.strictObject({ done: count, total: orNull.count, unit: text }).nullable();

export const maintenance = z
  .strictObject({ next_run_at: time, running_since: orNull.time, progress })
  .describe('Hourly maintenance of the store');

export interface MaintenanceStatus {
  readonly nextAt: number;
  /** Null while no maintenance is running. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
}

export const maintenanceJson = ({ nextAt, ...rest }: MaintenanceStatus) =>
  jsonOf(maintenance)({ nextRunAt: nextAt, ...rest });

export const collector = z
  .strictObject({
    name: text,
    data_state: dataState,
    data_as_of: orNull.time.describe('Time of the last success, or null while there is no data'),
    result: z
      .enum(['ok', 'partial', 'failed'])
      .nullable()
      .describe('Result of the last run that ended, or null before the end of the first run'),
    last_attempt_at: orNull.time,
    last_duration_seconds: orNull.amount,
    last_success_at: orNull.time,
    error: z.strictObject({ kind: text, message: text }).nullable().describe('First error of the last run'),
    failures_in_a_row: count,
    interval_seconds: amount,
    next_run_at: time.describe('Time at which the next run is due: a slot of the schedule, plus a delay'),
    running_since: orNull.time,
    progress,
    waits_until: orNull.time.describe(
      'Time until which the current run waits because the provider answered 429, or null',
    ),
  })
  .meta({ id: 'CollectorStatus' });
export const collectorJson = jsonOf(collector);

/** Times are milliseconds since the epoch. */
export type CollectorStatus = Stored<typeof collector>;

/** What the status shows of an account besides its collectors and alerts. */
export const accountStatus = z.strictObject({
  name: text,
  customer_id: orNull.count,
  time_zone: text.describe('Time zone of the account’s days'),
  currency,
});

/** The customer is null before it is known. */
export interface AccountStatus extends Stored<typeof accountStatus> {
  readonly collectors: readonly CollectorStatus[];
}

const shard = count.describe('Number of a shard, from 0');

export const shards = z
  .strictObject({
    shard: shard.describe('Number of this shard, from 0'),
    shards: count.describe('Number of shards, 1 if the daemon runs all accounts'),
    urls: z
      .array(text)
      .describe('Addresses of the status pages by shard, or empty if they are not configured'),
    accounts: z
      .array(
        z.strictObject({
          account,
          shard: shard.describe('Number of the shard that runs the account'),
          is_pinned: flag.describe('Whether the setting shard of the account chose the shard'),
        }),
      )
      .describe('All accounts of the configuration, also those of other shards'),
  })
  .describe('Which shard this daemon is, and which shard runs which account');

/** Without shards, the daemon is shard 0 of 1. */
export interface ShardsStatus {
  readonly index: number;
  readonly count: number;
  readonly urls: readonly string[];
  readonly owners: Stored<typeof shards>['accounts'];
}

export const shardsJson = ({ index, count, urls, owners }: ShardsStatus) =>
  jsonOf(shards)({ shard: index, shards: count, urls, accounts: owners });

export const remoteWriteReceiver = z
  .strictObject({
    name: text,
    host: text.describe('Host and port of the receiver’s url'),
    lag_seconds: orNull.amount.describe(
      'Time since `waiting_since`, 0 if the receiver has everything, or null before the first look',
    ),
    waiting_since: orNull.time.describe(
      'Time since which the receiver has taken nothing although settled history waits',
    ),
    last_success_at: orNull.time.describe(
      'Time at which the receiver last accepted samples, or null if it has not since the daemon started',
    ),
    last_error: orNull.text.describe(
      'Why the receiver did not take the last request, or does not take some samples yet, or null',
    ),
    samples: z
      .strictObject({ accepted: count, refused: count, expired: count })
      .nullable()
      .describe('Numbers of samples since the receiver was added, or null before the first look'),
  })
  .meta({ id: 'RemoteWriteReceiver' });
export const remoteWriteJson = jsonOf(remoteWriteReceiver);

/** The error and the host have no secrets. */
export type RemoteWriteStatus = Stored<typeof remoteWriteReceiver>;

/** Times are milliseconds since the epoch. */
export interface Status {
  readonly version: string;
  readonly startedAt: number;
  readonly maintenance: MaintenanceStatus;
  readonly accounts: readonly AccountStatus[];
  /** In the order of the configuration. */
  readonly remoteWrite: readonly RemoteWriteStatus[];
}

export const store = z.strictObject({
  size_bytes: count,
  wal_size_bytes: count,
  epoch_began_at: orNull.time.describe(
    'Start of the present epoch. At this time, the counters of provider data began at 0',
  ),
});

export interface StoreStatus {
  readonly bytes: number;
  readonly walBytes: number;
  /** ms; null if unknown. */
  readonly epochBeganAt: number | null;
}

export const storeJson = ({ bytes, walBytes, epochBeganAt }: StoreStatus) =>
  jsonOf(store)({ sizeBytes: bytes, walSizeBytes: walBytes, epochBeganAt });

// What a collector is: its slice of the configuration, its families, what it collects and how that reads.

import type { z } from 'zod';
import type { ConfigError } from '../config/config-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Family, SampleSink } from '../lib/family.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { ProviderError } from '../provider/errors.ts';
import type { Contradiction } from '../provider/graph-totals.ts';
import type { Store } from '../store/store.ts';
import type { Cost } from './cost.ts';
import type { HistoryFamily } from './history.ts';

export const COLLECTOR_NAMES = [
  'traffic',
  'residential_ledger',
  'proxy_users',
  'proxy_tests',
  'catalog',
  'quotes',
  'geography',
  'inventory',
  'services',
  'reconciliation',
] as const;
export type CollectorName = (typeof COLLECTOR_NAMES)[number];

/** The account's settings that every collector may need. */
export interface AccountSettings {
  readonly name: string;
  /** Zone of the provider's datetimes. */
  readonly time_zone: string;
  /** Zone of the schedules. */
  readonly schedule_time_zone: string;
  readonly response_time_unit: 'milliseconds' | 'seconds';
  /** Those that are on; a collector may ask for those that it `shows` alone. */
  readonly collectors: readonly CollectorName[];
  readonly parameters: { readonly product_type: string; readonly concurrency: string };
  /** What conditions of alerts are compared with, by the alert's name; none of one that is turned off. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** How other collectors are set, for one that names them in `compares`; false or absent where they are off. */
  readonly traffic?:
    | false
    | {
        readonly graphs: readonly ComparedGraph[];
        /** ms. */
        readonly deep_reread: { readonly span: number };
      };
  readonly residential_ledger?: false | { readonly usage_reasons: readonly string[] };
  readonly proxy_users?: false | object;
}

/** A configured slice of the account's traffic, and what it filters by. */
export interface ComparedGraph {
  readonly name: string;
  readonly product_type?: string | undefined;
  readonly proxy_user_id?: string | undefined;
  readonly service_id?: string | undefined;
  readonly hostname?: string | undefined;
}

/** What a reading of the store has at hand. */
export interface ReadContext<O> {
  readonly account: AccountSettings;
  readonly options: O;
  readonly store: Store;
  readonly clock: Clock;
}

/** What a run has at hand besides. */
export interface RunContext<O> extends ReadContext<O> {
  readonly client: ProviderClient;
  readonly log: Log;
  /** Aborts at the run's deadline and when the daemon stops. */
  readonly signal: AbortSignal;
  /** Tells how far long work has come. */
  progress(progress: Progress): void;
  /** Counts an answer of the endpoint that contradicts itself in this way and was taken all the same. */
  inconsistent(endpoint: string, what: Contradiction): void;
}

/** How a run that ended went; one that could not go on throws ProviderError or StoreError instead. */
export interface Outcome {
  /** Items that did not decode. */
  readonly skipped: number;
  /** Parts that failed alone, such as a graph whose filter the provider rejects. */
  readonly failedParts: readonly FailedPart[];
  /** Whether all that the collector is there for was read although parts failed: the run is a success then. */
  readonly isCurrent?: boolean;
  /** How long reading all of a listing takes, over all its runs: measured when it is done, estimated before (ms). */
  readonly pass?: { readonly ms: number; readonly isWhole: boolean };
}

export interface FailedPart {
  readonly part: string;
  /** ConfigError is that of a file beside the configuration. */
  readonly error: ProviderError | ConfigError;
  /** Whether the collector has said so in the log itself, once and not at every run. */
  readonly isLogged?: boolean;
}

/** A mistake in the options; the path starts at the collector's section. */
export interface Conflict {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Options that every collector has. */
export interface CommonOptions {
  readonly schedule: string;
}

/** `S` is what the runs of one account keep in memory. */
export interface Collector<O extends CommonOptions = CommonOptions, S = unknown> {
  readonly name: CollectorName;
  /** Endpoints it calls, as the label `endpoint` names them. */
  readonly endpoints: readonly string[];
  readonly families: readonly Family[];
  /** Other collectors whose settings it goes by. */
  readonly compares?: readonly CollectorName[];
  readonly options: z.ZodType<O>;
  /** Collectors that a run waits for when they run as well, for it asks after what they store. */
  readonly after?: readonly CollectorName[];
  /** Collectors on which hangs what this one shows: it is shown anew after their runs, or when one is turned on or off. */
  readonly shows?: readonly CollectorName[];
  /** Schedules of parts of it beside its own; the collector runs when any has a slot. */
  schedules?(options: O): readonly string[];
  /** What of the options can't be, told by the options alone. */
  mistakes?(options: O): readonly Conflict[];
  /** What of the options can't go with what is stored already. */
  conflicts?(context: ReadContext<O>): Promise<readonly Conflict[]>;
  /** What the options will cost in the day after `now` (ms). */
  cost(options: O, zone: string, now: number): Cost;
  /**
   * Makes what the store must hold before the first run, such as counters at 0. What it returns goes along with every
   * run, until the account is closed.
   */
  open?(context: ReadContext<O>): Promise<S>;
  collect(context: RunContext<O>, state: S): Promise<Outcome>;
  /** Whether the store has anything to show, for a collector whose run can be a success without having read anything. */
  hasData?(account: AccountSettings, store: Store): Promise<boolean>;
  /** Writes what the store says; never calls the provider. */
  expose(context: ReadContext<O>, sink: SampleSink): Promise<void>;
  /** What the store says of the past. */
  readonly history?: readonly HistoryFamily<O>[];
}

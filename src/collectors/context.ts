// What a collector is given: the account's settings, and what a reading of the store or a run has at hand.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Contradiction } from '../provider/resources/graph-totals.ts';
import type { Store } from '../store/store.ts';

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

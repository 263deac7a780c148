// Defines what a collector gets: the account's settings, and the context of a run or of a reading of the store.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import type { Probe } from '../prober/probe.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Contradiction } from '../provider/resources/graph-totals.ts';
import type { Store } from '../store/store.ts';
import type { PriceOptions } from './prices/options.ts';
import type { SourceOptions } from './proxy-sources/entries.ts';
import type { NamedUrl } from './url-label.ts';

export const COLLECTOR_NAMES = [
  'traffic',
  'residential_ledger',
  'mobile_ledger',
  'customer',
  'usage',
  'prices',
  'adjustments',
  'request_log',
  'proxy_users',
  'proxy_tests',
  'probes',
  'catalog',
  'quotes',
  'geography',
  'inventory',
  'services',
  'reconciliation',
] as const;
export type CollectorName = (typeof COLLECTOR_NAMES)[number];

export interface AccountSettings {
  readonly name: string;
  /** The time zone of the provider's datetimes. */
  readonly time_zone: string;
  readonly schedule_time_zone: string;
  readonly response_time_unit: 'milliseconds' | 'seconds';
  /** The currency of all amounts of money, which are in cents, as a code of ISO 4217. */
  readonly currency: string;
  /** The collectors that are on. A collector may only look for those in its `showsDataOf`. */
  readonly collectors: readonly CollectorName[];
  readonly parameters: { readonly product_type: string; readonly concurrency: string };
  /** The thresholds of alert conditions, by the alert's name. An alert that is turned off has none. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** The settings of other collectors, for a collector that names them in `usesSettingsOf`; false or absent if off. */
  readonly traffic?:
    | false
    | {
        readonly graphs: readonly ComparedGraph[];
        /** `span` is in ms. */
        readonly deep_reread: { readonly span: number };
      };
  readonly residential_ledger?: false | LedgerSettings;
  readonly mobile_ledger?: false | LedgerSettings;
  readonly proxy_users?: false | object;
  readonly customer?: false | object;
  readonly usage?: false | object;
  readonly prices?: false | PriceOptions;
  readonly proxy_tests?: false | ComparedTests;
  readonly request_log?: false | { readonly client_addresses?: object | undefined };
  /** Of the probes, the name of their vantage. */
  readonly probes?: false | { readonly vantage: string };
}

/** The settings of a ledger, which say which of its rows are use. */
export interface LedgerSettings {
  readonly usage_reasons: readonly string[];
}

/** The settings of the provider's tests that probes use. */
export interface ComparedTests extends SourceOptions {
  readonly urls: readonly NamedUrl[];
  readonly tester_servers: readonly string[];
  readonly schedule: string;
  readonly max_runs_per_day: number;
}

/** A configured slice of the account's traffic, and its filters. */
export interface ComparedGraph {
  readonly name: string;
  readonly product_type?: string | undefined;
  readonly proxy_user_id?: string | undefined;
  readonly service_id?: string | undefined;
  readonly hostname?: string | undefined;
}

export interface ReadContext<O> {
  readonly account: AccountSettings;
  readonly options: O;
  readonly store: Store;
  readonly clock: Clock;
}

export interface OnRequestContext<O> extends ReadContext<O> {
  readonly probe: Probe;
  /** The signal that aborts when the daemon stops. */
  readonly signal: AbortSignal;
}

export interface RunContext<O> extends ReadContext<O> {
  readonly client: ProviderClient;
  readonly log: Log;
  /** The signal that aborts at the run's deadline and when the daemon stops. */
  readonly signal: AbortSignal;
  /** Makes a connection through a proxy, or without one. */
  readonly probe: Probe;
  /** Reports the progress of long work. */
  progress(progress: Progress): void;
  /** Counts an answer of the endpoint that contradicts itself in this way but was stored. */
  countContradiction(endpoint: string, what: Contradiction): void;
}

/** The store's name of an account whose tests are probes. Accounts of the configuration never contain a slash. */
export const probesAccount = (account: string): string => `probes/${account}`;

/** The store's accounts with the proxies that the provider's testers and the probes test. */
export const testedAccounts = (account: string): readonly string[] => [account, probesAccount(account)];

// What the daemon tells the HTTP server: all that this room asks of the house.

import type { Readable } from 'node:stream';
import type { AccountSettings } from '../collectors/context.ts';
import type { Freshness } from '../collectors/freshness.ts';
import type {
  Listed,
  ProxyReading,
  SubjectReading,
  TesterReading,
} from '../collectors/proxy-tests/reading.ts';
import type { StripKind, StripReading } from '../collectors/proxy-tests/uptime-history.ts';
import type { ProxyUserOptions } from '../collectors/proxy-users/options.ts';
import type { Mistake } from '../config/config-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Progress } from '../lib/progress.ts';
import type { RunResult } from '../store/run-store.ts';
import type { Store, StorePart } from '../store/store.ts';
import type { Fault, RecentFailure } from '../store/test-store.ts';

export interface View {
  readonly version: string;
  /** Names that a scrape may select by. */
  accounts(): readonly string[];
  collectors(): readonly string[];
  scrape(request: ScrapeRequest): Promise<ScrapeAnswer>;
  status(): Promise<Status>;
  /** Why the daemon is not ready, a sentence each; empty when it is. Writes nothing. */
  notReady(): Promise<readonly string[]>;
  /** What is known of an account; undefined where there is none of that name. */
  account(name: string): AccountView | undefined;
  /**
   * Another one whenever what is read of these parts of the store may differ from before, or the configuration does,
   * or, with `spanMs`, when the next span of that length has begun.
   */
  revision(parts: readonly StorePart[], spanMs?: number): string;
  storeStatus(): StoreStatus;
  readonly tests: TestView;
  readonly alerts: AlertView;
}

export interface AlertCount {
  readonly firing: number;
  readonly pending: number;
  /** Of those that fire. */
  readonly worstSeverity: ActiveAlert['severity'] | null;
}

/** Alerts that are pending or firing. Their texts are written one by one, because there may be many. */
export interface AlertView {
  /** Whether the daemon evaluates alerts itself. */
  readonly isEvaluated: boolean;
  /** When the daemon last evaluated them (ms); null before the first evaluation since its start. */
  readonly evaluatedAt: number | null;
  /** Those of one account ('' for the daemon's own), or all. */
  count(account?: string): AlertCount;
  /** The first of those that fire. */
  firing(limit: number): readonly ActiveAlert[];
  /** Up to `limit` of the account's behind the one with the id `after`, in the order of ids; those of the daemon itself are of none. */
  list(account: string, after: string | null, limit: number): readonly Listed<ActiveAlert>[];
}

/** Times are milliseconds since the epoch. */
export interface ActiveAlert {
  readonly alert: string;
  readonly severity: string;
  /** With `account`, unless it is about the daemon itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** Since when its condition holds. */
  readonly since: number;
  /** Null while it is pending. */
  readonly firingSince: number | null;
  /** Null where it is no number. */
  readonly value: number | null;
  readonly summary: string;
  /** Where the documentation has it. */
  readonly runbook: string;
}

/** An account as readings of the store need it. */
export interface AccountView {
  readonly settings: AccountSettings;
  readonly store: Store;
  readonly clock: Clock;
  /** How quotas are read; the defaults where the users are not polled. */
  readonly userOptions: ProxyUserOptions;
  /** Names of the orders whose price is asked for. */
  readonly orders: readonly string[];
}

export interface StoreStatus {
  readonly bytes: number;
  readonly walBytes: number;
  /** When the counters of the provider's data began at 0 (ms); null where that is not known. */
  readonly epochBeganAt: number | null;
}

/** The proxy tests of a known account: nothing of one that makes none. */
export interface TestView {
  /** Another one whenever answers about any account's tests may differ from those before. */
  revision(): Promise<string>;
  proxies(account: string): Promise<readonly Listed<ProxyReading>[]>;
  testers(account: string): Promise<readonly Listed<TesterReading>[]>;
  targets(account: string): Promise<readonly Listed<SubjectReading>[]>;
  strips(account: string, kind: StripKind): Promise<readonly Listed<StripReading>[]>;
  faults(account: string): Promise<readonly Fault[]>;
  /** The newest first. */
  failures(account: string, limit: number): Promise<readonly RecentFailure[]>;
}

export interface ScrapeRequest {
  /** The headers as they came. */
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  /** Known names, see View; none given means all. */
  readonly accounts: readonly string[];
  readonly collectors: readonly string[];
}

export interface ScrapeAnswer {
  readonly contentType: string;
  readonly contentEncoding?: 'gzip';
  /** Bytes of the body. */
  readonly contentLength: number;
  /** Destroyed when the client leaves early, and when it asked for the headers alone. */
  readonly body: Readable;
}

/** Times are milliseconds since the epoch. */
export interface Status {
  readonly version: string;
  readonly startedAt: number;
  readonly maintenance: MaintenanceStatus;
  readonly accounts: readonly AccountStatus[];
}

/** Of the store. */
export interface MaintenanceStatus {
  readonly nextAt: number;
  /** Null while none is going. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
}

export interface AccountStatus {
  readonly name: string;
  /** The provider's customer behind the account; null before it is known. */
  readonly customerId: number | null;
  readonly collectors: readonly CollectorStatus[];
}

export interface CollectorStatus {
  readonly name: string;
  readonly data: Pick<Freshness, 'state' | 'asOf'>;
  /** Of the last run that ended; null before the first. */
  readonly result: RunResult | null;
  readonly lastAttemptAt: number | null;
  readonly lastDurationMs: number | null;
  readonly lastSuccessAt: number | null;
  /** What the last run met first; free of secrets. */
  readonly error: { readonly kind: string; readonly message: string } | null;
  readonly failuresInARow: number;
  readonly intervalMs: number;
  readonly nextAt: number;
  /** Null while none runs. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
}

/** What came of a reload; unless it is `reloaded`, all is as it was. */
export type ReloadAnswer =
  | {
      readonly result: 'reloaded';
      /** Accounts (`main`) and collectors of accounts (`main/traffic`). */
      readonly added: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
      /** Paths of changed settings that are read at the start alone. */
      readonly needsRestart: readonly string[];
    }
  | { readonly result: 'mistakes'; readonly mistakes: readonly Mistake[] }
  | { readonly result: 'failed'; readonly error: string }
  /** There is no file to load, as in the demo. */
  | { readonly result: 'no_file' };

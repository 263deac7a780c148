// Defines the interface through which the HTTP server reads the daemon.

import type { Readable } from 'node:stream';
import type { AccountSettings } from '../collectors/context.ts';
import type { Freshness } from '../collectors/freshness.ts';
import type { ListedProxy } from '../collectors/proxy-tests/listed-proxies.ts';
import type {
  ProxyDetails,
  TargetDetails,
  TesterDetails,
} from '../collectors/proxy-tests/subject-details.ts';
import type { HistoryPoint, HistoryRange } from '../collectors/proxy-tests/subject-history.ts';
import type { LazyItem, SubjectSummary, TesterSummary } from '../collectors/proxy-tests/summaries.ts';
import type { UptimeHistory, UptimeKind } from '../collectors/proxy-tests/uptime-history.ts';
import type { ProxyUserOptions } from '../collectors/proxy-users/options.ts';
import type { Mistake } from '../config/config-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Progress } from '../lib/progress.ts';
import type { RunResult } from '../store/account-store.ts';
import type { AlertHistoryStore } from '../store/alert-history-store.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { ProbeFailureDetails } from '../store/probe-store.ts';
import type { ReceiverCounts } from '../store/remote-write-store.ts';
import type { Silence, SilenceRequest } from '../store/silence-store.ts';
import type { Store, StorePart } from '../store/store.ts';
import type { FailureFilter, RecentFailure } from '../store/test-history-store.ts';
import type { Fault } from '../store/test-store.ts';
import type { ActiveAlert } from './active-alert.ts';
import type { NoticeView } from './notice-view.ts';
import type { ProbeView } from './probe-view.ts';
import type { ProviderReport } from './provider-report.ts';

export type { ActiveAlert, SilenceSource } from './active-alert.ts';

export interface DaemonView {
  readonly version: string;
  /** Names by which a scrape may select. */
  accounts(): readonly string[];
  shards(): ShardsStatus;
  collectors(): readonly string[];
  /** The names of all alerts of this version. */
  alertNames(): readonly string[];
  /** Throws BusyError if too many clients want plain text. `isGone` says whether the client has disconnected. */
  scrape(request: ScrapeRequest, isGone: () => boolean): Promise<ScrapeAnswer>;
  status(): Promise<Status>;
  /** The reasons why the daemon is not ready, one sentence each; empty if it is ready. Writes nothing. */
  notReadyReasons(): Promise<readonly string[]>;
  /** Undefined if no account with this name is configured. */
  account(name: string): AccountView | undefined;
  /** Changes with each start of the daemon and whenever its configuration changes. */
  configurationRevision(): string;
  /**
   * Changes whenever readings of these parts of the store may differ from before, or the configuration changes, or, with
   * `spanMs`, the next span of that length begins.
   */
  revision(parts: readonly StorePart[], spanMs?: number): string;
  storeStatus(): StoreStatus;
  readonly tests: TestView;
  readonly alerts: AlertView;
  readonly alertHistory: AlertHistoryStore;
  readonly silences: SilenceView;
  readonly notices: NoticeView;
  readonly probes: ProbeView;
  /** What the provider's answers did differently from their documentation since the start, without any of their values. */
  providerReport(): ProviderReport;
}

export interface AlertCount {
  /** Without silenced ones. */
  readonly firing: number;
  readonly silenced: number;
  readonly pending: number;
  /** The worst severity of the firing alerts. */
  readonly worstSeverity: ActiveAlert['severity'] | null;
}

/** The pending and firing alerts. Their texts are formatted one by one, because there may be many. */
export interface AlertView {
  /** Whether the daemon evaluates alerts itself. */
  readonly isEvaluated: boolean;
  /** When the daemon last evaluated them (ms); null before the first evaluation since its start. */
  readonly evaluatedAt: number | null;
  /** Counts the alerts of one account ('' for the daemon's own), or all. */
  count(account?: string): AlertCount;
  /** The first `limit` firing alerts. */
  firing(limit: number): readonly ActiveAlert[];
  /** Rises whenever the alerts change. */
  readonly revision: number;
  /** The alerts of the account ('' for the daemon's own), without their texts. */
  items(account: string): Iterable<ListedAlert>;
  /** Returns the alert with this id of the list, with its texts; undefined if it has ended. */
  find(account: string, id: string): ActiveAlert | undefined;
  /** Until when silences and maintenance windows silence the alert (ms); null if none matches it now. */
  silencedUntil(account: string, id: string): number | null;
}

export interface ListedAlert
  extends Pick<StoredAlert, 'account' | 'alert' | 'labels' | 'severity' | 'since' | 'firingSince'> {
  readonly id: string;
  readonly isFiring: boolean;
}

/** Silences and maintenance windows. */
export interface SilenceView {
  /** All silences, in the order in which they begin. */
  list(): readonly SilenceStatus[];
  windows(): readonly WindowStatus[];
  /** Returns the stored silence, or why it is refused. Throws StoreError. */
  add(request: SilenceRequest): Promise<AddedSilence | SilenceRefusal>;
  /** Returns whether there was a silence with this id. Throws StoreError. */
  remove(id: string): Promise<boolean>;
}

export interface SilenceStatus extends Silence {
  readonly state: 'pending' | 'active' | 'expired';
}

export interface AddedSilence extends SilenceStatus {
  /** How many pending and firing alerts it matches now. */
  readonly matchingAlerts: number;
  /** Names of the receivers that get its alerts nevertheless, because an Alertmanager has silences of its own. */
  readonly unsilencedReceivers: readonly string[];
}

/** Says what is wrong with a request, or that silences have no effect. */
export interface SilenceRefusal {
  readonly refusal: string;
}

/** A maintenance window. Times are milliseconds since the epoch. */
export interface WindowStatus {
  readonly name: string;
  /** Null is every day. */
  readonly days: readonly string[] | null;
  /** ms since midnight. */
  readonly hours: { readonly from: number; readonly to: number };
  readonly timeZone: string;
  /** Null is all accounts, and the daemon itself. */
  readonly accounts: readonly string[] | null;
  /** Null is all alerts. */
  readonly alerts: readonly string[] | null;
  /** Null while it is not in effect; a month ahead if it never ends. */
  readonly activeUntil: number | null;
  /** Null while it is in effect. */
  readonly nextStartAt: number | null;
}

/** What is needed to read an account's data from the store. */
export interface AccountView {
  readonly settings: AccountSettings;
  readonly store: Store;
  readonly clock: Clock;
  /** How quotas are interpreted; the defaults if the users are not polled. */
  readonly userOptions: ProxyUserOptions;
  /** Names of the orders whose price is requested. */
  readonly orders: readonly string[];
}

export interface StoreStatus {
  readonly bytes: number;
  readonly walBytes: number;
  /** When the counters of the provider's data began at 0 (ms); null if unknown. */
  readonly epochBeganAt: number | null;
}

/** The results of proxy tests. An account without tests has none. */
export interface TestView {
  /** Changes whenever answers about the tests of this account, or of any account, may differ from before. */
  revision(account?: string): Promise<string>;
  proxies(account: string): Promise<readonly ListedProxy[]>;
  testers(account: string): Promise<readonly LazyItem<TesterSummary>[]>;
  targets(account: string): Promise<readonly LazyItem<SubjectSummary>[]>;
  uptimeHistories(account: string, kind: UptimeKind): Promise<readonly LazyItem<UptimeHistory>[]>;
  faults(account: string): Promise<readonly Fault[]>;
  /** Returns undefined for a subject that is not tested, as do `target`, `tester` and `history`. */
  proxy(account: string, id: string): Promise<ProxyDetails | undefined>;
  target(account: string, id: string): Promise<TargetDetails | undefined>;
  tester(account: string, id: string): Promise<TesterDetails | undefined>;
  history(
    account: string,
    kind: UptimeKind,
    id: string,
    range: HistoryRange,
  ): Promise<readonly HistoryPoint[] | undefined>;
  /** The sources of an account's failures: its tests and its probes, as far as they are on. */
  failureSources(account: string): readonly string[];
  /** The newest failures come first. Each source numbers its failures itself. */
  failures(source: string, limit: number, filter: FailureFilter): Promise<readonly ListedFailure[]>;
  countFailures(source: string, filter: FailureFilter): Promise<number>;
}

/** A failure; that of a probe with the answer of the proxy, unless the probe has failed again since. */
export type ListedFailure = RecentFailure & { readonly details?: ProbeFailureDetails | null };

export interface ScrapeRequest {
  /** The headers as received. */
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  /** Known names, see DaemonView; an empty list means all. */
  readonly accounts: readonly string[];
  readonly collectors: readonly string[];
}

export interface ScrapeAnswer {
  readonly contentType: string;
  readonly contentEncoding?: 'gzip';
  /** Size of the body (bytes). */
  readonly contentLength: number;
  /** Is destroyed if the client disconnects early or requested only the headers. */
  readonly body: Readable;
}

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

/** The result of a reload. Unless it is `reloaded`, nothing has changed. */
export type ReloadAnswer =
  | {
      readonly result: 'reloaded';
      /** Accounts (`main`) and collectors of accounts (`main/traffic`). */
      readonly added: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
      /** Paths of changed settings that are read only at the start. */
      readonly needsRestart: readonly string[];
    }
  | { readonly result: 'mistakes'; readonly mistakes: readonly Mistake[] }
  | { readonly result: 'failed'; readonly error: string }
  /** The daemon has no configuration file, as in the demo. */
  | { readonly result: 'no_file' };

// Defines the interface through which the HTTP server reads the daemon.

import type { Readable } from 'node:stream';
import type { TestNowResult, TestPlan, TestSubject } from '../collectors/collector.ts';
import type { AccountSettings, CollectorName } from '../collectors/context.ts';
import type { ListedProxy } from '../collectors/proxy-tests/listed-proxies.ts';
import type {
  ProxyDetails,
  TargetDetails,
  TesterDetails,
} from '../collectors/proxy-tests/subject-details.ts';
import type { LazyItem, SubjectSummary, TesterSummary } from '../collectors/proxy-tests/summaries.ts';
import type {
  HistoryPoint,
  HistoryRange,
  ProxyHours,
  UptimeHistory,
  UptimeKind,
} from '../collectors/proxy-tests/uptime-history.ts';
import type { ProxyUserOptions } from '../collectors/proxy-users/options.ts';
import type { ServiceOptions } from '../collectors/services/selection.ts';
import type { Mistake } from '../config/config-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { AlertHistoryStore } from '../store/alert-history-store.ts';
import type { ProbeFailureDetails } from '../store/probe-store.ts';
import type { Store, StorePart } from '../store/store.ts';
import type { FailureFilter, RecentFailure } from '../store/test-history-store.ts';
import type { Fault } from '../store/test-store.ts';
import type { AlertView, NoticeView, Refusal, SilenceView } from './alert-view.ts';
import type { ProviderReport } from './provider-report.ts';
import type { ShardsStatus, Status, StoreStatus } from './status-view.ts';

export interface DaemonView {
  readonly version: string;
  /** Names by which a scrape may select. */
  accounts(): readonly string[];
  shards(): ShardsStatus;
  collectors(): readonly string[];
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
  /** Changes when readings of these parts may differ, the configuration changes, or the next span of `spanMs` begins. */
  revision(parts: readonly StorePart[], spanMs?: number): string;
  storeStatus(): StoreStatus;
  readonly tests: TestView;
  readonly alerts: AlertView;
  readonly alertHistory: AlertHistoryStore;
  readonly silences: SilenceView;
  readonly notices: NoticeView;
  readonly probes: ProbeView;
  readonly testsNow: TestNowView;
  /** What the provider's answers did differently from their documentation since the start, without any of their values. */
  providerReport(): ProviderReport;
}

export interface AccountView {
  readonly settings: AccountSettings;
  readonly store: Store;
  readonly clock: Clock;
  /** How quotas are interpreted; the defaults if the users are not polled. */
  readonly userOptions: ProxyUserOptions;
  /** Which services are shown, and their labels; the defaults if they are not polled. */
  readonly serviceOptions: ServiceOptions;
  /** Names of the orders whose price is requested. */
  readonly orders: readonly string[];
  /** How long history by day and past events are kept (ms). */
  readonly keptMs: number;
}

/** Tests that users ask for, one at a time for each account. */
export interface TestNowView {
  /** Returns what a test would make, by collector; empty if the account does not test the subject. Throws StoreError. */
  plan(account: string, subject: TestSubject): Promise<readonly PlannedTest[]>;
  /** Begins a test. Returns it, or why it cannot begin; undefined if the account does not test the subject. Throws StoreError. */
  start(account: string, subject: TestSubject): Promise<RequestedTest | Refusal | undefined>;
  /** The test in progress, or the last one since the start of the daemon. */
  last(account: string): RequestedTest | undefined;
  /** When the next round of the schedule begins (ms); null if the account makes no tests. */
  nextRoundAt(account: string): number | null;
}

export interface PlannedTest extends TestPlan {
  readonly collector: CollectorName;
}

/** Times are in ms. */
export interface RequestedTest {
  readonly subject: TestSubject;
  readonly requestedAt: number;
  /** Null while it waits for the end of a round of the schedule. */
  readonly startedAt: number | null;
  /** Null while it is in progress. */
  readonly finishedAt: number | null;
  /** The planned number of tests; null if the testers are not known yet. */
  readonly total: number | null;
  /** They stay as they are when the test has ended. */
  readonly results: readonly (TestNowResult & Pick<PlannedTest, 'collector'>)[];
  /** Why some or all tests have no result. */
  readonly errors: readonly string[];
}

/** The results of proxy tests. An account without tests has none. */
export interface TestView {
  /** Changes whenever answers about the tests of this account, or of any account, may differ from before. */
  revision(account?: string): Promise<string>;
  proxies(account: string): Promise<readonly ListedProxy[]>;
  testers(account: string): Promise<readonly LazyItem<TesterSummary>[]>;
  targets(account: string): Promise<readonly LazyItem<SubjectSummary>[]>;
  uptimeHistories(account: string, kind: UptimeKind): Promise<readonly LazyItem<UptimeHistory>[]>;
  /** Returns the uptime of these proxies in the last 24 hours by hour. Proxies without results are left out. */
  proxyHours(account: string, ids: readonly string[]): Promise<ProxyHours>;
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

export interface ProbeView {
  /** Probes a configured proxy at a configured target now, or answers with the result of the last 30 seconds. */
  probe(request: ProbeOnRequest): Promise<ProbeAnswer>;
}

export interface ProbeOnRequest {
  /** Undefined if the request names no account, which is enough if only one account has probes. */
  readonly account: string | undefined;
  /** The label `proxy_id` of the proxy. */
  readonly proxy: string;
  /** The label `url` of the target. */
  readonly url: string;
  /** How long the client waits for the answer (ms); undefined if it does not say. */
  readonly waitsMs?: number | undefined;
}

export type ProbeAnswer = ProbeText | ProbeMistake | ProbeRefusal;

/** The result in the text format of Prometheus, also if the probe failed. */
export interface ProbeText {
  readonly contentType: string;
  readonly text: string;
}

/** The account, proxy or target is not configured. */
export interface ProbeMistake {
  readonly mistake: string;
}

/** Too many probes run, or the byte budget is used up. */
export interface ProbeRefusal {
  readonly refusal: string;
  readonly retryAfterS: number;
}

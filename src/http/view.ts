// What the daemon tells the HTTP server: all that this room asks of the house.

import type { Readable } from 'node:stream';
import type { Progress } from '../collectors/collector.ts';
import type { Listed, ProxyReading, SubjectReading } from '../collectors/proxy-tests/reading.ts';
import type { Mistake } from '../config/config-error.ts';
import type { RunResult } from '../store/run-store.ts';
import type { RecentFailure } from '../store/test-store.ts';

export interface View {
  /** Names that a scrape may select by. */
  accounts(): readonly string[];
  collectors(): readonly string[];
  scrape(request: ScrapeRequest): Promise<ScrapeAnswer>;
  status(): Promise<Status>;
  /** Why the daemon is not ready, a sentence each; empty when it is. */
  notReady(): Promise<readonly string[]>;
  readonly tests: TestView;
}

/** The proxy tests of a known account: nothing of one that makes none. */
export interface TestView {
  /** Another one whenever answers about any account's tests may differ from those before. */
  revision(): Promise<string>;
  proxies(account: string): Promise<readonly Listed<ProxyReading>[]>;
  testers(account: string): Promise<readonly Listed<SubjectReading>[]>;
  targets(account: string): Promise<readonly Listed<SubjectReading>[]>;
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
  readonly accounts: readonly AccountStatus[];
}

export interface AccountStatus {
  readonly name: string;
  /** The provider's customer behind the account; null before it is known. */
  readonly customerId: number | null;
  readonly collectors: readonly CollectorStatus[];
}

export interface CollectorStatus {
  readonly name: string;
  /** Of the last run that ended; null before the first. */
  readonly result: RunResult | null;
  readonly lastAttemptAt: number | null;
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

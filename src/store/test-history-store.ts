// Defines what the store keeps of proxy tests over time: sums by hour and by day, and the newest failures.

import type { Range } from '../lib/time.ts';

/** A result of the provider's test of one proxy against one url from one tester. */
export interface ProxyTestResult {
  /** The proxy's label `proxy_id`. */
  readonly proxy: string;
  /** The url's label, without secrets. */
  readonly url: string;
  readonly tester: string;
  readonly isSuccessful: boolean;
  readonly errorSource: string | null;
  readonly errorCode: string | null;
  readonly responseTimeMs: number | null;
}

export type TestSubject = { readonly proxy: string } | { readonly url: string } | { readonly tester: string };

export interface Uptime {
  readonly results: number;
  readonly successes: number;
  /** Sum of the response times of successful results (ms). */
  readonly sumMs: number;
  /** Failures by faults of the subject and of others; the rest have no known fault. Null if an early version stored some. */
  readonly ownFailures: number | null;
  readonly otherFailures: number | null;
}

/** A failed result. It is kept for 7 days, and only the newest 10,000 of an account are kept. */
export interface RecentFailure
  extends Pick<ProxyTestResult, 'proxy' | 'url' | 'tester' | 'errorSource' | 'errorCode'> {
  readonly at: number;
  /** Rises with each failure of the account. */
  readonly number: number;
}

/** Which failures are read. Times are from `from` to before `to` (ms). */
export interface FailureFilter {
  readonly proxy?: string | undefined;
  readonly url?: string | undefined;
  readonly tester?: string | undefined;
  readonly errorSource?: string | undefined;
  /** A part of the proxy, url, tester, error source or error code, in upper or lower case. */
  readonly text?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only failures with a lower number. */
  readonly before?: number | undefined;
}

export interface TestHistoryStore {
  /** Returns sums over the whole hours that begin in [from, to) (ms). They are kept for 31 days, whole days for 90. */
  uptime(account: string, subject: TestSubject, from: number, to: number): Promise<Uptime>;
  /** Returns the same for several periods. It costs less if they overlap. */
  uptimes(account: string, subject: TestSubject, periods: readonly Range[]): Promise<Uptime[]>;
  /** Returns the uptime in [from, to) in steps of an hour or a day (UTC). `from` is a boundary; the last ends at `to`. */
  uptimeHistory(
    account: string,
    subject: TestSubject,
    from: number,
    to: number,
    stepMs: number,
  ): Promise<Uptime[]>;
  /** Returns the same for several proxies by hour: those with results in these whole hours. It is one query. */
  proxyHours(
    account: string,
    proxies: readonly string[],
    from: number,
    to: number,
  ): Promise<ReadonlyMap<string, readonly Uptime[]>>;
  /** Returns up to `limit` failed results, the newest first. */
  recentFailures(account: string, limit: number, filter?: FailureFilter): Promise<RecentFailure[]>;
  countFailures(account: string, filter: FailureFilter): Promise<number>;
}

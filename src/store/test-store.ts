// Proxy tests as the store keeps them: the last result of each proxy × url × tester, and totals.

import type { Counter } from './counter.ts';

/** A result of the provider's test of one proxy against one url from one tester. */
export interface ProxyTestResult {
  /** The proxy's label `proxy_id`. */
  readonly proxy: string;
  /** The url's label, free of secrets. */
  readonly url: string;
  readonly tester: string;
  readonly isSuccessful: boolean;
  readonly errorSource: string | null;
  readonly errorCode: string | null;
  readonly responseTimeMs: number | null;
}

/** One cell of the matrix: the newest result and the sums over all. */
export interface TestCell extends ProxyTestResult {
  /** When the newest result was stored (ms). */
  readonly at: number;
  /** Counters. */
  readonly results: number;
  readonly successes: number;
  readonly heldUntil: number;
  /** Outcomes of the last rounds: bit 0 the newest, 1 a failure; `rounds` of them, 8 at most. */
  readonly history: number;
  readonly rounds: number;
  /** What the errors of these rounds named as their source: two bits a round, a `NAMED_SOURCES`, the newest lowest. */
  readonly sources: number;
}

/** Error sources that say whose fault a failure is; any other, of an open set, is 0. */
export const NAMED_SOURCES = { proxy: 1, target: 2 } as const;

export interface TestedProxy {
  readonly proxy: string;
  readonly lastTestedAt: number;
  /** Rounds in a row in which some test of the proxy failed. */
  readonly failingRounds: number;
}

/** Where a tester stands; null where the provider gave no value. */
export interface TesterPlace {
  readonly cityId: number | null;
  readonly cityName: string | null;
  readonly countryId: string | null;
}

/** What a result says of its proxy, as the tester saw it, and of itself; null where it says nothing. */
export interface ProxyObservation {
  readonly resultId: string | null;
  /** Of the proxy within its test run. */
  readonly testerProxyId: string | null;
  /** By the provider's clock (ms). */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly address: string | null;
  readonly countryId: string | null;
  readonly cityId: number | null;
  readonly cityName: string | null;
  readonly asnId: number | null;
  readonly asnName: string | null;
}

/** What one call of the provider's test brought. */
export interface TestBatch {
  /** How the call ended; `ok` when it isn't told. */
  readonly call?: CallResult;
  readonly results: readonly ProxyTestResult[];
  /** Proxies of the batch, also those without a result: they had their turn, which says nothing of them. */
  readonly proxies: readonly string[];
  /** By proxy, as one of its results has it, and by tester. */
  readonly sightings?: ReadonlyMap<string, ProxyObservation>;
  readonly places?: ReadonlyMap<string, TesterPlace>;
  /** Test runs that the call made; 1 when it isn't told. */
  readonly runs?: number;
  /** What the runs of an answered call are the price of; other targets and testers cost something else. */
  readonly priceKey?: string;
  readonly now: number;
  /** When the run began (ms); the present time when it is not given. */
  readonly startedAt?: number;
}

export interface FailureCount {
  readonly proxy: string;
  readonly errorSource: string;
  readonly count: number;
  readonly heldUntil: number;
}

export interface ErrorCount {
  readonly url: string;
  readonly tester: string;
  readonly errorSource: string;
  readonly errorCode: string;
  readonly count: number;
  readonly heldUntil: number;
}

export interface ResponseTimes {
  readonly url: string;
  readonly tester: string;
  /** Successful results by upper bound, cumulative, in the order of RESPONSE_TIME_BOUNDS_MS. */
  readonly counts: readonly number[];
  readonly sumMs: number;
  readonly count: number;
  readonly heldUntil: number;
}

/** What a reading of the hours is about. */
export type TestSubject = { readonly proxy: string } | { readonly url: string } | { readonly tester: string };

export interface Uptime {
  readonly results: number;
  readonly successes: number;
  /** Response times of the successful results, summed. */
  readonly sumMs: number;
}

/** A failed result, kept for 7 days, and the newest 10,000 of an account. */
export interface RecentFailure
  extends Pick<ProxyTestResult, 'proxy' | 'url' | 'tester' | 'errorSource' | 'errorCode'> {
  readonly at: number;
}

export interface Fault {
  readonly kind: 'proxy' | 'target' | 'tester' | 'provider';
  /** proxy_id, url or tester_server; empty for the provider. */
  readonly subject: string;
  /** Since when it stands (ms). */
  readonly since: number;
  /** Why, in words, as of the last round; empty where none has said so yet. */
  readonly reason: string;
}

/** Proxies that fail at a url while nothing tells whose fault it is. */
export interface Inconclusive {
  readonly url: string;
  readonly proxies: number;
  /** In words. */
  readonly reason: string;
}

/** A time (ms) of which the store knows nothing, since an older file of it took its place. */
export interface LostTime {
  readonly from: number;
  readonly to: number;
}

/** Test runs spent in the slot that starts at `at` (ms). */
export interface SpentRuns {
  readonly at: number;
  readonly runs: number;
}

/** What may be forgotten of an account's tests. */
export interface TestRetention {
  /** Proxies, urls and testers that were not tested since (ms). */
  readonly before: number;
  /** Names of those that stay however old they are, since the configuration has them: their counters would fall. */
  readonly kept: ReadonlySet<string>;
}

/** Upper bounds of the response time histogram (ms). */
export const RESPONSE_TIME_BOUNDS_MS = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 30_000, 60_000,
];

export const CALL_RESULTS = ['ok', 'failed'] as const;
export type CallResult = (typeof CALL_RESULTS)[number];

export interface TestStore {
  /** Makes the account's counters of calls exist, at 0. */
  open(account: string, now: number): Promise<void>;
  /** Counts a call and stores its answer, in one transaction. */
  saveBatch(account: string, batch: TestBatch): Promise<void>;
  /** Counts runs against the day's budget, in the slot of `now`; runs below 0 are given back to it. */
  spend(account: string, runs: number, now: number): Promise<void>;
  /** Runs spent by slot since `from` (ms). */
  spent(account: string, from: number): Promise<SpentRuns[]>;
  /** Times within 2 days before the newest restore of an older file in which runs may have been spent. */
  lostTimes(): Promise<LostTime[]>;
  /** Most runs that a call of this key has made on the last 3 days with calls; at least 1. */
  priceOf(account: string, priceKey: string): Promise<number>;
  calls(account: string): Promise<Record<CallResult, Counter>>;
  /** When a batch or the outcome of a call was last stored (ms). */
  storedAt(account: string): Promise<number | null>;
  proxies(account: string): Promise<TestedProxy[]>;
  /** What the newest result said of a proxy. */
  sighting(account: string, proxy: string): Promise<ProxyObservation | null>;
  /** By tester, as it was last given. */
  testerPlaces(account: string): Promise<Map<string, TesterPlace>>;
  /** The cells of these proxies, in their order. What forgotten urls and testers counted is in cells with neither name. */
  cells(account: string, proxies: readonly string[]): Promise<TestCell[]>;
  failures(account: string): Promise<FailureCount[]>;
  errors(account: string): Promise<ErrorCount[]>;
  responseTimes(account: string): Promise<ResponseTimes[]>;
  /** Sums over the whole hours that begin in [from, to) (ms); they reach back 31 days. */
  uptime(account: string, subject: TestSubject, from: number, to: number): Promise<Uptime>;
  /**
   * The same in steps of whole hours (UTC), each as long as `stepMs`, the last one as far as [from, to) goes: an hour,
   * or a day, whose boundaries `from` has to be on.
   */
  uptimes(account: string, subject: TestSubject, from: number, to: number, stepMs: number): Promise<Uptime[]>;
  /** Up to `limit` of the newest failed results, the newest first. */
  recentFailures(account: string, limit: number): Promise<RecentFailure[]>;
  faults(account: string): Promise<Fault[]>;
  /** What nothing was blamed for when the faults were last saved. */
  inconclusive(account: string): Promise<Inconclusive[]>;
  /** Replaces the standing faults, of which those that stood already keep their `since`, and what is inconclusive. */
  saveFaults(
    account: string,
    faults: readonly Omit<Fault, 'since'>[],
    now: number,
    inconclusive?: readonly Inconclusive[],
  ): Promise<void>;
  /**
   * Forgets up to `limit` proxies, urls and testers with all that is kept of them, in one transaction; how many it
   * were: 0 when none are left to forget. Proxies that a source has found stay. So does what was tested within 31 days
   * before the newest result, since uptimes reach back so far: nothing is forgotten while nothing is tested.
   */
  prune(account: string, retention: TestRetention, limit: number): Promise<number>;
}

// Defines the store of proxy tests: the last result of each proxy × url × tester, and totals.

import type { Range } from '../lib/time.ts';
import type { Counter } from './counter.ts';
import type { ProxyTestResult, TestHistoryStore } from './test-history-store.ts';

/** One cell of the matrix: the newest result and the totals of all results. */
export interface TestCell extends ProxyTestResult {
  /** When the newest result was stored (ms). */
  readonly at: number;
  /** Counters of all results, and of the successful ones. */
  readonly results: number;
  readonly successes: number;
  readonly heldUntil: number;
  /** Outcomes of the last rounds as bits: bit 0 is the newest, 1 is a failure. It has `rounds` bits, at most 8. */
  readonly history: number;
  readonly rounds: number;
  /** Error sources of these rounds: two bits each, from ERROR_SOURCE_CODES, the newest round in the lowest bits. */
  readonly sources: number;
}

/**
 * Codes of the error sources that attribute a failure. The set of sources is open; any other source has the code 0.
 * Failures with the code 3 say nothing about proxy, target and provider: a used-up quota, and a fault of this machine or
 * its line (`here`). Only probes give these two sources.
 */
export const ERROR_SOURCE_CODES = { proxy: 1, target: 2, quota: 3, here: 3 } as const;

export interface TestedProxy {
  readonly proxy: string;
  readonly lastTestedAt: number;
  /** Rounds in a row in which some test of the proxy failed. */
  readonly failingRounds: number;
}

/** The location of a tester; null if the provider gave no value. */
export type TesterPlace = Pick<ProxyObservation, 'cityId' | 'cityName' | 'countryId'>;

/** What a result says about its proxy and about itself; null if the provider gave no value. */
export interface ProxyObservation {
  readonly resultId: string | null;
  /** The id of the proxy within its test run. */
  readonly testerProxyId: string | null;
  /** Times by the provider's clock (ms). */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly address: string | null;
  readonly countryId: string | null;
  readonly cityId: number | null;
  readonly cityName: string | null;
  readonly asnId: number | null;
  readonly asnName: string | null;
}

/** A result with the kind of fault that explains its failure; null or undefined if it succeeded or no fault does. */
export interface AttributedResult extends ProxyTestResult {
  readonly cause?: FaultKind | null;
}

/** A stored failure that another fault explains now than when it was stored; null stands for no fault. */
export interface ChangedCause extends Pick<TestCell, 'proxy' | 'url' | 'tester' | 'at'> {
  readonly before: FaultKind | null;
  readonly after: FaultKind | null;
}

export interface TestCall {
  /** How the call ended; `ok` if not given. */
  readonly call?: CallResult;
  /** Test runs that the call made; 1 if not given. */
  readonly runs?: number;
  /** Identifies what the price of the call depends on, such as targets and testers. */
  readonly priceKey?: string;
  readonly now: number;
  /** When the run began (ms); `now` if not given. */
  readonly startedAt?: number;
}

export interface TestBatch extends TestCall {
  readonly results: readonly AttributedResult[];
  /** All proxies of the batch. Those without a result had their turn too, which says nothing about them. */
  readonly proxies: readonly string[];
  /** Observations by proxy, from one of its results, and locations by tester. */
  readonly observations?: ReadonlyMap<string, ProxyObservation>;
  readonly places?: ReadonlyMap<string, TesterPlace>;
}

/** A count, which shows 0 until a run is stored at or after `heldUntil` (ms). */
type HeldCount = Pick<Counter, 'heldUntil'> & { readonly count: number };

export interface FailureCount extends HeldCount {
  readonly proxy: string;
  readonly errorSource: string;
}

export interface ErrorCount extends Omit<FailureCount, 'proxy'> {
  readonly url: string;
  readonly tester: string;
  readonly errorCode: string;
}

/** A histogram of durations. */
export interface Durations extends HeldCount {
  /** Cumulative numbers of them, one for each of RESPONSE_TIME_BOUNDS_MS. */
  readonly counts: readonly number[];
  readonly sumMs: number;
}

/** The response times of successful results. */
export interface ResponseTimes extends Durations {
  readonly url: string;
  readonly tester: string;
}

/**
 * What is at fault. `access` is what lies between this machine and a proxy, such as its credentials or a firewall: the
 * proxy fails from here, and nothing shows a fault of the proxy itself. Its subject is the proxy.
 */
export const FAULT_KINDS = ['proxy', 'access', 'target', 'tester', 'provider'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The proxies whose failures a fault of a target explains. */
export interface FaultScope {
  readonly productTypes: readonly string[];
  /** Whether results name the target as the error source. The fault then explains all but those of faulty proxies. */
  readonly isNamed: boolean;
}

export interface Fault {
  readonly kind: FaultKind;
  /** proxy_id (also of `access`), url or tester_server; empty for the provider. */
  readonly subject: string;
  /** Since when the fault exists (ms). */
  readonly since: number;
  /** The reason in words, from the last round; empty if no round has given one yet. */
  readonly reason: string;
  /** Only of a target; undefined if the fault explains the failures of all proxies. */
  readonly scope?: FaultScope;
  /** The error code of most failures, such as `tunnel_credentials`; undefined if the fault is not shown by a code. */
  readonly code?: string;
  /** Only of a proxy, if the inventory explains the failures: the proxy was removed, or is at another address. */
  readonly inventory?: 'gone' | 'address';
}

/** The number of proxies that fail at a url for an unknown cause. */
export interface InconclusiveFailures {
  readonly url: string;
  readonly proxies: number;
  /** Why the cause is unknown, in words. */
  readonly reason: string;
}

/** A period that is missing from the store because an older file replaced it. */
export type MissingPeriod = Range;

/** Test runs spent in the slot that starts at `at` (ms). */
export interface SpentRuns {
  readonly at: number;
  readonly runs: number;
}

/** Which tests of an account may be deleted. */
interface TestRetention {
  /** Only proxies, urls and testers that were not tested since this time (ms). */
  readonly before: number;
  /** Names in the configuration. They stay no matter how old they are, because their counters would fall. */
  readonly kept: ReadonlySet<string>;
}

/** Upper bounds of the response time histogram (ms). */
export const RESPONSE_TIME_BOUNDS_MS = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 30_000, 60_000,
];

export const CALL_RESULTS = ['ok', 'failed'] as const;
export type CallResult = (typeof CALL_RESULTS)[number];

export interface TestStore extends TestHistoryStore {
  /** Creates the account's counters of calls at 0, unless they exist. */
  open(account: string, now: number): Promise<void>;
  /** Counts a call and stores its answer, in one transaction. */
  saveBatch(account: string, batch: TestBatch): Promise<void>;
  /** Counts a call whose answer is not stored. */
  countCall(account: string, call: TestCall): Promise<void>;
  /** Counts runs against the daily budget, in the slot of `now`. A negative number returns runs to the budget. */
  spend(account: string, runs: number, now: number): Promise<void>;
  /** Returns the runs spent in each slot since `from` (ms). */
  spent(account: string, from: number): Promise<SpentRuns[]>;
  /** Returns the missing periods within 2 days before the newest restore, in which the account may have spent runs. */
  missingPeriods(account: string): Promise<MissingPeriod[]>;
  /** Returns the most runs that a call with this key made on the last 3 days with calls; at least 1. */
  priceOf(account: string, priceKey: string): Promise<number>;
  calls(account: string): Promise<Record<CallResult, Counter>>;
  /** Returns when a batch or the outcome of a call was last stored (ms). */
  storedAt(account: string): Promise<number | null>;
  proxies(account: string): Promise<TestedProxy[]>;
  testedProxy(account: string, proxy: string): Promise<TestedProxy | undefined>;
  /** Returns what the newest result said about a proxy. */
  observation(account: string, proxy: string): Promise<ProxyObservation | null>;
  /** Returns the last given location of each tester. */
  testerPlaces(account: string): Promise<Map<string, TesterPlace>>;
  /** Returns the cells of these proxies, in their order. Counts of deleted urls and testers are in cells without names. */
  cells(account: string, proxies: readonly string[]): Promise<TestCell[]>;
  failures(account: string): Promise<FailureCount[]>;
  errors(account: string): Promise<ErrorCount[]>;
  responseTimes(account: string): Promise<ResponseTimes[]>;
  faults(account: string): Promise<Fault[]>;
  inconclusiveFailures(account: string): Promise<InconclusiveFailures[]>;
  /** Replaces the faults and the inconclusive failures. Faults that already existed keep their `since`. */
  saveFaults(
    account: string,
    faults: readonly Omit<Fault, 'since'>[],
    now: number,
    inconclusiveFailures?: readonly InconclusiveFailures[],
  ): Promise<void>;
  /** Replaces each fault by what `correct` returns, in one transaction; null ends the fault. */
  correctFaults(
    account: string,
    correct: (fault: Fault) => Omit<Fault, 'since'> | null,
    now: number,
  ): Promise<void>;
  /** Corrects the sums of failures, in slices. */
  changeCauses(account: string, changes: readonly ChangedCause[]): Promise<void>;
  /**
   * Deletes up to `limit` proxies, urls and testers with all their data, in one transaction. Returns how many it
   * deleted, which is 0 if none are left. Proxies that a source found stay. So does everything tested within 90 days
   * before the newest result, the period of the uptime history, so nothing is deleted while no tests run.
   */
  prune(account: string, retention: TestRetention, limit: number): Promise<number>;
}

// Defines the contract of a collector: its options, its metric families, its cost, and how it collects and exposes data.

import type { z } from 'zod';
import type { ConfigError } from '../config/config-error.ts';
import { cronOf } from '../lib/cron.ts';
import type { Family, SampleSink } from '../lib/family.ts';
import { DAY } from '../lib/time.ts';
import type { ProbeResult } from '../prober/probe.ts';
import { mayBeAbsent, ProviderError } from '../provider/errors.ts';
import type { Store } from '../store/store.ts';
import type { ProxyTestResult } from '../store/test-history-store.ts';
import type { AccountSettings, CollectorName, OnRequestContext, ReadContext, RunContext } from './context.ts';
import type { HistorySource } from './history-source.ts';
import type { UnknownWord } from './unknown-words.ts';

/** The result of a run that ended. A run that cannot continue throws ProviderError or StoreError instead. */
export interface Outcome {
  /** Items that did not decode. */
  readonly skipped: number;
  /** Parts that failed without failing the run, such as a graph whose filter the provider rejects. */
  readonly failedParts: readonly FailedPart[];
  /** Whether the run is a success although parts failed, because it read the collector's main data. */
  readonly isSuccessDespiteFailures?: boolean;
  /**
   * How long a pass over the whole listing takes, in all its runs (ms). The duration is measured when the pass is
   * complete, and estimated before that.
   */
  readonly pass?: { readonly ms: number; readonly isComplete: boolean };
}

export interface FailedPart {
  readonly part: string;
  /** A ConfigError comes from a file that the configuration refers to. */
  readonly error: ProviderError | ConfigError;
  /** Whether the collector itself has logged the failure, which it does once and not in every run. */
  readonly isLogged?: boolean;
}

/** A mistake in the options. The path starts at the collector's section. */
export interface Conflict {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The labels of a proxy and of a url. */
export interface ProbeSubject {
  readonly proxy: string;
  readonly url: string;
  /** A time limit for the probe besides the configured one (ms). */
  readonly limitMs?: number | undefined;
}

/** The result, what is not configured, or why the probe is not made. */
export type RequestedProbe =
  | { readonly result: ProbeResult }
  | { readonly mistake: string }
  | { readonly refusal: string };

/** What a user wants to be tested now. A target or a tester is tested with several proxies, as in a round. */
export interface TestSubject {
  readonly kind: 'proxy' | 'target' | 'tester';
  /** Its label in metrics. */
  readonly id: string;
}

/** What a test now would make and cost. */
export interface TestPlan {
  readonly proxies: readonly string[];
  /** Says how many proxies the budget leaves out; null if none. */
  readonly leftOut: string | null;
  /** The number of tests of each proxy; null if the testers are not known yet. */
  readonly testsPerProxy: number | null;
  /** The expected price, and what is left of the day's budget before; null if the tests cost nothing. */
  readonly price: { readonly unit: 'runs' | 'bytes'; readonly amount: number; readonly left: number } | null;
  /** Why the test cannot be made; null if it can. */
  readonly refusal: string | null;
}

/** The tester is one of the provider, or the vantage of probes. */
export interface TestNowResult extends Pick<ProxyTestResult, 'proxy' | 'url' | 'tester' | 'isSuccessful'> {
  /** Null if the test passed, or if the provider gave no reason. */
  readonly error: string | null;
}

export interface TestNowRequest {
  readonly subject: TestSubject;
  /** The ids of the planned proxies. */
  readonly proxies: readonly string[];
  readonly onResults: (results: readonly TestNowResult[]) => void;
}

/** Tests that a user asks for between two rounds of the schedule. They are paid, and no result is stored. */
export interface TestNow<O, S> {
  /** Returns undefined if the collector does not test the subject. */
  plan(context: ReadContext<O>, state: S, subject: TestSubject): Promise<TestPlan | undefined>;
  /** Returns why tests were not made. Throws ProviderError and StoreError. */
  run(context: RunContext<O>, state: S, request: TestNowRequest): Promise<readonly string[]>;
}

export interface CommonOptions {
  readonly schedule: string;
}

/** The settings of other collectors that a collector's options refer to. */
export type OtherSettings = Pick<
  AccountSettings,
  'proxy_tests' | 'residential_ledger' | 'mobile_ledger' | 'usage'
>;

/** Numbers of the account that the store has. The others are assumed. */
export interface KnownNumbers {
  readonly users?: number;
  readonly proxies?: number;
  /** How many proxies the provider's sources have, by their names, for the tests and for the probes. */
  readonly tested?: ReadonlyMap<string, number>;
  readonly probed?: ReadonlyMap<string, number>;
}

/** Formats a number of an estimate, and says if it is not assumed. */
export const describeNumber = (known: number | undefined, assumed: number, noun: string): string =>
  `${(known ?? assumed).toLocaleString('en')} ${noun}${known === undefined ? '' : ', as in the store'}`;

/** `O` are the options, and `S` is the state that the runs of one account keep in memory. */
export interface Collector<O extends CommonOptions = CommonOptions, S = unknown> {
  readonly name: CollectorName;
  /** What its section of the configuration is about. */
  readonly description: string;
  /** Whether it runs when the configuration does not name it. */
  readonly isOnByDefault?: true;
  /** The endpoints that it calls, as the label `api_endpoint` names them. */
  readonly endpoints: readonly string[];
  /** Those of them that it does not call with these options. */
  offEndpoints?(options: O): readonly string[];
  /** Whether its answers are the same for every customer, so that its success does not show whose keys it uses. */
  readonly isSameForAllCustomers?: true;
  readonly families: readonly Family[];
  /** Other collectors whose settings it uses. */
  readonly usesSettingsOf?: readonly CollectorName[];
  readonly options: z.ZodType<O>;
  /** Collectors that a run waits for when they are also due, because it reads what they store. */
  readonly after?: readonly CollectorName[];
  /** Other collectors whose data it exposes: it is rendered again after their runs, and when one is turned on or off. */
  readonly showsDataOf?: readonly CollectorName[];
  /** The schedules of its parts, besides its own. The collector runs when any of them has a slot. */
  schedules?(options: O): readonly string[];
  /** Returns the mistakes that the options show, alone and together with the settings of other collectors. */
  mistakes?(options: O, settings: OtherSettings): readonly Conflict[];
  /** Returns the words in the options that the provider's documentation does not have. */
  unknownWords?(options: O): readonly UnknownWord[];
  /** Returns the options that contradict the stored data. */
  conflicts?(context: ReadContext<O>): Promise<readonly Conflict[]>;
  /** How long a run may take without a line about its progress (ms), because that is usual. The default is 10 s. */
  quietMs?(options: O): number;
  /** Estimates what the options cost in the day after `now` (ms). */
  cost(options: O, zone: string, now: number, settings?: OtherSettings, known?: KnownNumbers): Cost;
  /** Creates what the first run needs in the store, such as counters at 0. Every run of the account gets the returned state. */
  open?(context: ReadContext<O>): Promise<S>;
  collect(context: RunContext<O>, state: S): Promise<Outcome>;
  /** Whether the store has any data. Only a collector whose run can be a success without data needs it. */
  hasData?(account: AccountSettings, store: Store): Promise<boolean>;
  /** Makes one probe now, of a proxy and a url of the options. Only the collector of probes has it. */
  probeOnRequest?(context: OnRequestContext<O>, state: S, subject: ProbeSubject): Promise<RequestedProbe>;
  /** Only collectors of tests have it. */
  readonly testNow?: TestNow<O, S>;
  /** Writes samples from the store. It never calls the provider. Without the state of the runs, it writes all of them. */
  expose(context: ReadContext<O>, sink: SampleSink, state?: S): Promise<void>;
  /** The stored past, for backfill and remote write. */
  readonly history?: readonly HistorySource<O>[];
}

export interface Cost {
  readonly requestsPerDay: number;
  readonly series: number;
  /** Test runs in a day, which count against the provider's daily budget. */
  readonly testRunsPerDay?: number;
  /** Bytes that tests send through the proxies in a day. */
  readonly proxyBytesPerDay?: number;
  /** The assumptions behind the figures. */
  readonly assumptions: readonly string[];
  /** Settings that cannot be met as they are configured. */
  readonly warnings: readonly string[];
}

/** Rejects with what to do if the account may lack the endpoints of the collector. */
export const withAbsenceAdvice = <T>(collector: CollectorName, run: Promise<T>): Promise<T> =>
  run.catch(adviseOnAbsence(`turn off ${collector}`));

/** Returns a handler that throws its error, with the advice if the account may lack the endpoint. */
export const adviseOnAbsence =
  (advice: string) =>
  (error: unknown): never => {
    throw error instanceof ProviderError ? withAdvice(error, advice) : error;
  };

export const withAdvice = (error: ProviderError, advice: string): ProviderError => {
  if (mayBeAbsent(error)) error.message += `; if the provider does not offer it to this account, ${advice}`;
  return error;
};

export const calledEndpoints = <O extends CommonOptions>(
  collector: Pick<Collector<O>, 'endpoints' | 'offEndpoints'>,
  options: O,
): readonly string[] => {
  const off = collector.offEndpoints?.(options) ?? [];
  return collector.endpoints.filter((endpoint) => !off.includes(endpoint));
};

/** Endpoints without which their collectors work. */
export const OPTIONAL_ENDPOINTS: readonly string[] = ['ip_address/geolocate', 'service/search'];

/** Returns the text as the only item of a list, or an empty list. */
export const textIf = (isTrue: boolean, text: string): string[] => (isTrue ? [text] : []);

/** Counts the slots of a schedule in the day that starts at `from` (ms). */
export const slotsPerDay = (schedule: string, zone: string, from: number): number => {
  const cron = cronOf(schedule, zone);
  let slots = 0;
  for (let at = cron.next(from); at <= from + DAY; at = cron.next(at)) slots += 1;
  return slots;
};

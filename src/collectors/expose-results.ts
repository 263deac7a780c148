// Defines the metric families of results of tests and probes, and exposes them: the newest result of each proxy, errors, response times and faults.

import { counter, gauge, type HistogramValue, histogram, type SampleSink } from '../lib/family.ts';
import { yieldEvery } from '../lib/steps.ts';
import { SECOND } from '../lib/time.ts';
import { shownCounter } from '../store/counter.ts';
import type { Store } from '../store/store.ts';
import { type Fault, type FaultKind, RESPONSE_TIME_BOUNDS_MS, type TestCell } from '../store/test-store.ts';

const SOURCE = 'from proxy_test_run/create and from probes.';
const CELL = ['proxy_id', 'url', 'tester_server', 'protocol'] as const;
const TARGET = ['url', 'tester_server'] as const;

export const resultFamilies = {
  success: gauge(
    'proxywatch_proxy_test_success',
    `Whether the newest test succeeded (1) or not (0), ${SOURCE}`,
    CELL,
  ),
  lastResponseTime: gauge(
    'proxywatch_proxy_test_last_response_time_seconds',
    `Response time of the newest test in seconds, ${SOURCE} The series is missing if the test has no response time.`,
    CELL,
  ),
  results: counter(
    'proxywatch_proxy_test_results_total',
    `Number of test results since the first test, ${SOURCE}`,
    CELL,
  ),
  successes: {
    ...counter(
      'proxywatch_proxy_test_successes_total',
      `Number of successful test results since the first test, ${SOURCE} The series exist only with the setting metrics.derived_counters.`,
      CELL,
    ),
    isDerived: true,
  },
  errors: counter(
    'proxywatch_proxy_test_errors_total',
    `Number of failed test results since the first test, by error source and error code, ${SOURCE} Sources and codes above a limit have the label value other.`,
    [...TARGET, 'error_source', 'error_code'],
  ),
  responseTime: histogram(
    'proxywatch_proxy_test_response_time_seconds',
    `Response times of successful test results in seconds, ${SOURCE}`,
    TARGET,
  ),
  fault: gauge(
    'proxywatch_fault',
    `Whether the proxy, target, tester or provider causes tests to fail (1) or not (0), ${SOURCE} The kind access means that a proxy does not accept the settings of the customer, or fails from this machine only. proxywatch decides after each round. Series of proxies without a recent failure can be missing.`,
    ['kind', 'proxy_id', 'url', 'tester_server'],
  ),
} as const;

/** Returns the value to expose for a total: 0 while its first step is held (until `heldUntil`, ms), then the total. */
export const exposedTotal = (count: number, heldUntil: number, storedAt: number | null): number =>
  shownCounter({ net: count, served: count, heldUntil }, storedAt).value;

export const exposeCell = (
  cell: TestCell & { readonly protocol: string },
  storedAt: number | null,
  sink: SampleSink,
): void => {
  const { proxy, url, tester, protocol, responseTimeMs } = cell;
  const labels = { proxy_id: proxy, url, tester_server: tester, protocol };
  sink.sample(resultFamilies.success, labels, Number(cell.isSuccessful));
  sink.sample(
    resultFamilies.lastResponseTime,
    labels,
    responseTimeMs === null ? null : responseTimeMs / SECOND,
  );
  sink.sample(resultFamilies.results, labels, exposedTotal(cell.results, cell.heldUntil, storedAt));
  sink.sample(resultFamilies.successes, labels, exposedTotal(cell.successes, cell.heldUntil, storedAt));
};

type Filter = (pair: { readonly url: string; readonly tester: string }) => boolean;

/** Exposes errors and response times of the urls and testers that the filter keeps. `account` is the store's name. */
export const exposeUrlTotals = async (
  { tests }: Pick<Store, 'tests'>,
  account: string,
  isShown: Filter,
  storedAt: number | null,
  sink: SampleSink,
): Promise<void> => {
  for (const error of (await tests.errors(account)).filter(isShown)) {
    const { url, tester, errorSource, errorCode, count, heldUntil } = error;
    const labels = { url, tester_server: tester, error_source: errorSource, error_code: errorCode };
    sink.sample(resultFamilies.errors, labels, exposedTotal(count, heldUntil, storedAt));
  }
  for (const times of (await tests.responseTimes(account)).filter(isShown)) {
    const { url, tester } = times;
    sink.histogram(resultFamilies.responseTime, { url, tester_server: tester }, histogramOf(times, storedAt));
  }
};

interface StoredTimes {
  /** Cumulative numbers, one for each of RESPONSE_TIME_BOUNDS_MS. */
  readonly counts: readonly number[];
  readonly sumMs: number;
  readonly count: number;
  readonly heldUntil: number;
}

export const histogramOf = (
  { counts, sumMs, count, heldUntil }: StoredTimes,
  storedAt: number | null,
): HistogramValue => {
  const total = (value: number): number => exposedTotal(value, heldUntil, storedAt);
  return {
    bounds: RESPONSE_TIME_BOUNDS_MS.map((bound) => bound / SECOND),
    counts: counts.map(total),
    sum: total(sumMs) / SECOND,
    count: total(count),
  };
};

/** Exposes 1 for each fault, and 0 for the other subjects. `vantage` is the tester of probes; empty for those of the provider. */
export const exposeFaults = async (
  faults: readonly Fault[],
  subjects: Readonly<Partial<Record<FaultKind, Iterable<string>>>>,
  vantage: string,
  sink: SampleSink,
): Promise<void> => {
  const series = new Map<string, readonly [kind: string, subject: string, value: number]>();
  const set = (kind: string, subject: string, value: number) =>
    series.set(`${kind} ${subject}`, [kind, subject, value]);
  for (const [kind, names] of Object.entries(subjects)) for (const name of names) set(kind, name, 0);
  for (const { kind, subject } of faults) set(kind, subject, 1);
  // There can be ten thousand proxies.
  const pause = yieldEvery(500);
  for (const [kind, subject, value] of series.values()) {
    const of = (...kinds: readonly string[]): string => (kinds.includes(kind) ? subject : '');
    const labels = { kind, proxy_id: of('proxy', 'access'), url: of('target') };
    sink.sample(resultFamilies.fault, { ...labels, tester_server: of('tester') || vantage }, value);
    await pause();
  }
};

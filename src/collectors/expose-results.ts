// Exposes stored results of tests and probes: the newest result of each proxy, errors, response times and faults.

import type { HistogramValue, SampleSink } from '../lib/family.ts';
import { yieldEvery } from '../lib/steps.ts';
import { SECOND } from '../lib/time.ts';
import { shownCounter } from '../store/counter.ts';
import type { Store } from '../store/store.ts';
import { type Fault, type FaultKind, RESPONSE_TIME_BOUNDS_MS, type TestCell } from '../store/test-store.ts';
import { resultFamilies as families } from './result-families.ts';

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
  sink.sample(families.success, labels, Number(cell.isSuccessful));
  sink.sample(families.lastResponseTime, labels, responseTimeMs === null ? null : responseTimeMs / SECOND);
  sink.sample(families.results, labels, exposedTotal(cell.results, cell.heldUntil, storedAt));
  sink.sample(families.successes, labels, exposedTotal(cell.successes, cell.heldUntil, storedAt));
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
    sink.sample(families.errors, labels, exposedTotal(count, heldUntil, storedAt));
  }
  for (const times of (await tests.responseTimes(account)).filter(isShown)) {
    const { url, tester } = times;
    sink.histogram(families.responseTime, { url, tester_server: tester }, histogramOf(times, storedAt));
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
    sink.sample(families.fault, { ...labels, tester_server: of('tester') || vantage }, value);
    await pause();
  }
};

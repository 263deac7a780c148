// Defines the metric families that every collector has, and exposes them from its runs in the store.

import { gauge, type SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import type { RunWait } from '../provider/run-waits.ts';
import type { Store } from '../store/store.ts';
import type { AccountSettings } from './context.ts';

const COLLECTOR = ['collector'] as const;
/** A run that waits for the provider for a shorter time is usual. */
const LONG_WAIT_MS = 10 * SECOND;

const success = gauge(
  'proxywatch_collector_success',
  'Whether the last run read the main data of the collector (1) or not (0). If the value is 1, parts of the run can still have failed. The metric proxywatch_collector_failing_parts counts these parts. The value is also 0 while the current run waits for 10 seconds or more because the provider answered 429.',
  COLLECTOR,
);
const duration = gauge(
  'proxywatch_collector_duration_seconds',
  'Duration of the last run in seconds.',
  COLLECTOR,
);
const lastSuccess = gauge(
  'proxywatch_collector_last_success_timestamp_seconds',
  'Time of the last successful run, in seconds since the epoch. The series is missing before the first success.',
  COLLECTOR,
);
const lastAttempt = gauge(
  'proxywatch_collector_last_attempt_timestamp_seconds',
  'Time at which the last run began, in seconds since the epoch.',
  COLLECTOR,
);
const interval = gauge(
  'proxywatch_collector_interval_seconds',
  'Interval of the schedule in seconds, at the last run.',
  COLLECTOR,
);
const passDuration = gauge(
  'proxywatch_collector_pass_duration_seconds',
  'Time in seconds to read the whole listing, over all its runs. While proxywatch reads a longer listing in several runs, the value can be an estimate of at most one hour. The value is 0 for collectors without a listing.',
  COLLECTOR,
);
const error = gauge(
  'proxywatch_collector_error',
  'Whether the first error of the last run, or the last error of a failing part, has this kind (1) or not (0). The value for rate_limited is also 1 while the current run waits because the provider answered 429. Kinds that the collector has not had since it was started have no series.',
  ['collector', 'kind'],
);
const failures = gauge(
  'proxywatch_collector_consecutive_failures',
  'Number of failed runs in a row, up to the last run.',
  COLLECTOR,
);
const skippedItems = gauge(
  'proxywatch_collector_skipped_items',
  'Number of items without a value, and of items that proxywatch could not decode, in the last run that did not fail.',
  COLLECTOR,
);
const failingParts = gauge(
  'proxywatch_collector_failing_parts',
  'Number of parts with a failed last attempt, after the last run that did not fail. Parts are, for example, traffic graphs, services and sources of proxies.',
  COLLECTOR,
);
const watchedSince = gauge(
  'proxywatch_collector_watched_since_timestamp_seconds',
  'Time since which the collector has run without a gap of more than three intervals, in seconds since the epoch.',
  COLLECTOR,
);
const accountInfo = gauge(
  'proxywatch_account_info',
  "The provider's customer id of the account, in a label. The value is always 1.",
  ['customer_id'],
);

const currencyInfo = gauge(
  'proxywatch_account_currency_info',
  "The currency of the account's amounts of money, in a label, as the setting currency names it. The value is always 1.",
  ['currency'],
);

/** The number of series that are left out because of a cap in the configuration. */
export const seriesDropped = gauge(
  'proxywatch_series_dropped',
  'Number of proxy users, proxies, products or cells of the test matrix that have no series, because a setting limits the number of series.',
  COLLECTOR,
);

export const COMMON_FAMILIES = [
  success,
  duration,
  lastSuccess,
  lastAttempt,
  interval,
  passDuration,
  error,
  failures,
  skippedItems,
  failingParts,
  watchedSince,
  accountInfo,
  currencyInfo,
  seriesDropped,
];

/** Writes the samples of the account itself. */
export const exposeAccount = async (
  { name, currency }: Pick<AccountSettings, 'name' | 'currency'>,
  store: Store,
  sink: SampleSink,
): Promise<void> => {
  sink.sample(currencyInfo, { currency }, 1);
  const customerId = await store.accounts.customer(name);
  if (customerId !== undefined) sink.sample(accountInfo, { customer_id: String(customerId) }, 1);
};

/**
 * Writes the samples of a collector's last run, and of the current run while it waits for the provider. `seenKinds` are the
 * kinds of errors that have a series since the collector was started. New ones are added.
 */
export const exposeRun = async (
  account: string,
  collector: string,
  store: Store,
  sink: SampleSink,
  seenKinds: Set<string>,
  wait?: RunWait,
): Promise<void> => {
  const run = (await store.runs.states(account)).find((state) => state.collector === collector);
  const labels = { collector };
  const isWaitingLong = wait !== undefined && wait.until - wait.since >= LONG_WAIT_MS;
  sink.sample(success, labels, isWaitingLong ? 0 : run && Number(run.isSuccess));
  const kinds = [run?.errorKind ?? [], wait ? 'rate_limited' : []].flat();
  for (const kind of kinds) seenKinds.add(kind);
  for (const kind of seenKinds) sink.sample(error, { collector, kind }, Number(kinds.includes(kind)));
  if (!run) return;
  sink.sample(duration, labels, (run.finishedAt - run.startedAt) / SECOND);
  sink.sample(lastSuccess, labels, run.lastSuccessAt && run.lastSuccessAt / SECOND);
  sink.sample(lastAttempt, labels, run.startedAt / SECOND);
  sink.sample(failures, labels, run.failures);
  sink.sample(skippedItems, labels, run.skippedItems);
  sink.sample(failingParts, labels, run.failingParts);
  sink.sample(watchedSince, labels, run.watchedSince / SECOND);
  sink.sample(interval, labels, run.intervalMs / SECOND);
  sink.sample(passDuration, labels, run.wholeListingMs / SECOND);
};

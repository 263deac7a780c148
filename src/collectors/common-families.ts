// Defines the metric families that every collector has, and exposes them from its runs in the store.

import { gauge, type SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import { PROVIDER_ERROR_KINDS } from '../provider/errors.ts';
import type { Store } from '../store/store.ts';

const COLLECTOR = ['collector'] as const;
const ERROR_KINDS = [...PROVIDER_ERROR_KINDS, 'internal'];

const success = gauge(
  'proxywatch_collector_success',
  '1 if the last run read what the collector is there for, 0 if it did not, as stored by proxywatch after each run. Parts may have failed all the same: see proxywatch_collector_error.',
  COLLECTOR,
);
const duration = gauge(
  'proxywatch_collector_duration_seconds',
  'How long the last run took in seconds, as stored by proxywatch after each run.',
  COLLECTOR,
);
const lastSuccess = gauge(
  'proxywatch_collector_last_success_timestamp_seconds',
  'When a run last was a success, in seconds since the epoch; absent before the first time.',
  COLLECTOR,
);
const lastAttempt = gauge(
  'proxywatch_collector_last_attempt_timestamp_seconds',
  'When the last run began, in seconds since the epoch.',
  COLLECTOR,
);
const interval = gauge(
  'proxywatch_collector_interval_seconds',
  "The schedule's present gap in seconds, as of the last run.",
  COLLECTOR,
);
const passDuration = gauge(
  'proxywatch_collector_pass_duration_seconds',
  'Time in seconds to read the whole listing, over all its runs; while a longer one is being read, an estimate of at most an hour. 0 for collectors without a listing.',
  COLLECTOR,
);
const error = gauge(
  'proxywatch_collector_error',
  '1 for the kind of error that the last run met first, or that a part of it still stands in, 0 for the others.',
  ['collector', 'kind'],
);
const failures = gauge(
  'proxywatch_collector_consecutive_failures',
  'Failed runs in a row up to the last one, as stored by proxywatch after each run.',
  COLLECTOR,
);
const skippedItems = gauge(
  'proxywatch_collector_skipped_items',
  'Items that did not decode or lacked a value in the last run that did not fail.',
  COLLECTOR,
);
const failingParts = gauge(
  'proxywatch_collector_failing_parts',
  'Parts of the collector, such as graphs, services or sources of proxies, that failed when they were last tried, as of the last run that did not fail.',
  COLLECTOR,
);
const watchedSince = gauge(
  'proxywatch_collector_watched_since_timestamp_seconds',
  'Since when runs are made without a gap of more than three intervals, in seconds since the epoch.',
  COLLECTOR,
);
const accountInfo = gauge(
  'proxywatch_account_info',
  "Always 1; the provider's customer behind the account, from proxy_user/search or residential_ledger/search, polled.",
  ['customer_id'],
);

/** The number of series that are left out because of a cap in the configuration. */
export const seriesDropped = gauge(
  'proxywatch_series_dropped',
  'Proxy users, proxies, products, or tests of a proxy, url and tester, without series of their own because of a cap in the configuration, counted after each run.',
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
  seriesDropped,
];

/** Writes the samples of the account itself. */
export const exposeAccount = async (account: string, store: Store, sink: SampleSink): Promise<void> => {
  const customerId = await store.accounts.customer(account);
  if (customerId !== undefined) sink.sample(accountInfo, { customer_id: String(customerId) }, 1);
};

/** Writes the samples of a collector's last run. */
export const exposeRun = async (
  account: string,
  collector: string,
  store: Store,
  sink: SampleSink,
): Promise<void> => {
  const run = (await store.runs.states(account)).find((state) => state.collector === collector);
  if (!run) return;
  const labels = { collector };
  sink.sample(success, labels, Number(run.isSuccess));
  sink.sample(duration, labels, (run.finishedAt - run.startedAt) / SECOND);
  sink.sample(lastSuccess, labels, run.lastSuccessAt && run.lastSuccessAt / SECOND);
  sink.sample(lastAttempt, labels, run.startedAt / SECOND);
  sink.sample(failures, labels, run.failures);
  sink.sample(skippedItems, labels, run.skippedItems);
  sink.sample(failingParts, labels, run.failingParts);
  sink.sample(watchedSince, labels, run.watchedSince / SECOND);
  sink.sample(interval, labels, run.intervalMs / SECOND);
  sink.sample(passDuration, labels, run.wholeListingMs / SECOND);
  for (const kind of ERROR_KINDS) sink.sample(error, { collector, kind }, Number(run.errorKind === kind));
};

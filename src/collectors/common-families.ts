// Defines the metric families that every collector has, and exposes them from its runs in the store.

import type { SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import type { RunWait } from '../provider/run-waits.ts';
import type { Store } from '../store/store.ts';
import type { AccountSettings } from './context.ts';
import { gauges, sampleAll } from './families.ts';

const COLLECTOR = ['collector'] as const;
/** A run that waits for the provider for a shorter time is usual. */
const LONG_WAIT_MS = 10 * SECOND;

const families = {
  ...gauges(COLLECTOR, {
    proxywatch_collector_success:
      'Whether the last run read the main data of the collector (1) or not (0). If the value is 1, parts of the run can still have failed. The metric proxywatch_collector_failing_parts counts these parts. The value is also 0 while the current run waits for 10 seconds or more because the provider answered 429.',
    proxywatch_collector_duration_seconds: 'Duration of the last run in seconds.',
    proxywatch_collector_last_success_timestamp_seconds:
      'Time of the last successful run, in seconds since the epoch. The series is missing before the first success.',
    proxywatch_collector_last_attempt_timestamp_seconds:
      'Time at which the last run began, in seconds since the epoch.',
    proxywatch_collector_interval_seconds: 'Interval of the schedule in seconds, at the last run.',
    proxywatch_collector_pass_duration_seconds:
      'Time in seconds to read the whole listing, over all its runs. While proxywatch reads a longer listing in several runs, the value can be an estimate of at most one hour. The value is 0 for collectors without a listing.',
  }),
  ...gauges(['collector', 'kind'], {
    proxywatch_collector_error:
      'Whether the first error of the last run, or the last error of a failing part, has this kind (1) or not (0). The value for rate_limited is also 1 while the current run waits because the provider answered 429. Kinds that the collector has not had since it was started have no series.',
  }),
  ...gauges(COLLECTOR, {
    proxywatch_collector_consecutive_failures: 'Number of failed runs in a row, up to the last run.',
    proxywatch_collector_skipped_items:
      'Number of items without a value, and of items that proxywatch could not decode, in the last run that did not fail.',
    proxywatch_collector_failing_parts:
      'Number of parts with a failed last attempt, after the last run that did not fail. Parts are, for example, traffic graphs, services and sources of proxies.',
    proxywatch_collector_watched_since_timestamp_seconds:
      'Time since which the collector has run without a gap of more than three intervals, in seconds since the epoch.',
  }),
  ...gauges(['customer_id'], {
    proxywatch_account_info: "The provider's customer id of the account, in a label. The value is always 1.",
  }),
  ...gauges(['currency'], {
    proxywatch_account_currency_info:
      "The currency of the account's amounts of money, in a label, as the setting currency names it. The value is always 1.",
  }),
  ...gauges(COLLECTOR, {
    proxywatch_series_dropped:
      'Number of proxy users, proxies, products or cells of the test matrix that have no series, because a setting limits the number of series.',
  }),
} as const;

export const COMMON_FAMILIES = Object.values(families);

/** The number of series that are left out because of a cap in the configuration. */
export const seriesDropped = families.proxywatch_series_dropped;

/** Writes the samples of the account itself. */
export const exposeAccount = async (
  { name, currency }: Pick<AccountSettings, 'name' | 'currency'>,
  store: Store,
  sink: SampleSink,
): Promise<void> => {
  sink.sample(families.proxywatch_account_currency_info, { currency }, 1);
  const customerId = await store.accounts.customer(name);
  if (customerId !== undefined)
    sink.sample(families.proxywatch_account_info, { customer_id: String(customerId) }, 1);
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
  sink.sample(
    families.proxywatch_collector_success,
    labels,
    isWaitingLong ? 0 : run && Number(run.isSuccess),
  );
  const kinds = [run?.errorKind ?? [], wait ? 'rate_limited' : []].flat();
  for (const kind of kinds) seenKinds.add(kind);
  for (const kind of seenKinds)
    sink.sample(families.proxywatch_collector_error, { collector, kind }, Number(kinds.includes(kind)));
  if (!run) return;
  sampleAll(sink, labels, families, {
    proxywatch_collector_duration_seconds: (run.finishedAt - run.startedAt) / SECOND,
    proxywatch_collector_last_success_timestamp_seconds: run.lastSuccessAt && run.lastSuccessAt / SECOND,
    proxywatch_collector_last_attempt_timestamp_seconds: run.startedAt / SECOND,
    proxywatch_collector_consecutive_failures: run.failures,
    proxywatch_collector_skipped_items: run.skippedItems,
    proxywatch_collector_failing_parts: run.failingParts,
    proxywatch_collector_watched_since_timestamp_seconds: run.watchedSince / SECOND,
    proxywatch_collector_interval_seconds: run.intervalMs / SECOND,
    proxywatch_collector_pass_duration_seconds: run.wholeListingMs / SECOND,
  });
};

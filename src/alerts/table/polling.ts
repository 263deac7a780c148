// Defines the alerts about polling. They warn that other alerts depend on old or incomplete data.

import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Alert } from '../alert.ts';
import { lastRunsOf } from '../last-runs.ts';

const LAST_SUCCESS = 'proxywatch_collector_last_success_timestamp_seconds';
const WATCHED_SINCE = 'proxywatch_collector_watched_since_timestamp_seconds';
/** The extra time allowed for a listing that takes several runs. */
const LISTING_DURATION =
  '(proxywatch_collector_pass_duration_seconds or 0 * proxywatch_collector_interval_seconds)';
/** Since when there was no success. Time before the collector was watched does not count. */
const STALE_SINCE = `(${LAST_SUCCESS} > ${WATCHED_SINCE} or ${WATCHED_SINCE})`;

export const POLLING_ALERTS: readonly Alert[] = [
  {
    name: 'CollectorFailing',
    scope: 'account',
    trigger: 'runs',
    severity: 'warning',
    // Collectors whose keys were rejected run again once the keys work, so their failures end within this time.
    holdMs: 5 * MINUTE,
    // If one endpoint alone rejects the keys, the alert may look suppressed until another endpoint is requested.
    keepFiringMs: 5 * MINUTE,
    labels: ['collector'],
    threshold: { value: 2, unit: 'count', meaning: 'failed runs in a row, at least' },
    unit: 'count',
    expression: (threshold) => `proxywatch_collector_consecutive_failures >= ${threshold}`,
    suppressedBy: [
      { alert: 'ProviderKeysRejected' },
      { alert: 'ProviderUnreachable' },
      { alert: 'TestQuotaRefused', equalLabels: ['collector'] },
    ],
    summary: '{collector} has failed {value} times in a row.',
    meaning: 'Runs of the collector fail. What it shows stays as it was, and grows old.',
    action:
      'See the error in the log, on the status page, or as the kind in proxywatch_collector_error; `proxywatch doctor` tries each endpoint.',
    async *find(evaluation) {
      for (const { collector, failures } of await lastRunsOf(evaluation))
        if (failures >= evaluation.threshold) yield { labels: { collector }, value: failures };
    },
  },
  {
    name: 'PartsFailing',
    scope: 'account',
    trigger: 'runs',
    severity: 'warning',
    // Most parts that fail recover at one of their next attempts.
    holdMs: 30 * MINUTE,
    labels: ['collector'],
    threshold: { value: 1, unit: 'count', meaning: 'failing parts, at least' },
    unit: 'count',
    expression: (threshold) => `proxywatch_collector_failing_parts >= ${threshold}`,
    suppressedBy: [
      { alert: 'ProviderKeysRejected' },
      { alert: 'CollectorFailing', equalLabels: ['collector'] },
    ],
    summary: 'Failing parts of {collector} of {account}: {value}.',
    meaning:
      'Some parts of the collector have failed for a while: graphs, services, quotes, places or sources of proxies. The other parts are read. The metrics of the failing parts stay as they were, so no other alert about them begins or ends.',
    action:
      'See the names and errors of the parts on the status page or in `/api/v1/status` (the first three) and in the log (all of them). Correct or remove a part that the provider rejects or does not find.',
    async *find(evaluation) {
      for (const { collector, failingParts } of await lastRunsOf(evaluation))
        if (failingParts >= evaluation.threshold) yield { labels: { collector }, value: failingParts };
    },
  },
  {
    name: 'DataStale',
    scope: 'account',
    trigger: 'time',
    severity: 'warning',
    // A run that catches up after a start, or after the machine slept, ends within this time or its intervals.
    holdMs: 10 * MINUTE,
    labels: ['collector'],
    threshold: {
      value: 3,
      unit: 'count',
      meaning: 'intervals of the schedule without a success, plus the duration of a whole listing, more than',
    },
    unit: 'seconds',
    expression: (threshold) =>
      [
        `(time() - ${STALE_SINCE})`,
        `and (time() - ${STALE_SINCE} - ${LISTING_DURATION}) / proxywatch_collector_interval_seconds > ${threshold}`,
      ].join(' '),
    suppressedBy: [
      { alert: 'ProviderKeysRejected' },
      { alert: 'ProviderUnreachable' },
      { alert: 'CollectorFailing', equalLabels: ['collector'] },
    ],
    summary: '{collector} has not succeeded for {value}.',
    meaning:
      'No run has succeeded for three intervals plus the time that reading the whole listing takes, or no run has ever succeeded. What the collector shows is that old. Time in which proxywatch did not run does not count.',
    action:
      'See the log and the status page: runs that end without having read all, a pace too slow for the schedule, or a clock that jumped.',
    async *find(evaluation) {
      const now = evaluation.clock.now();
      for (const run of await lastRunsOf(evaluation)) {
        const { collector, lastSuccessAt, watchedSince, intervalMs, wholeListingMs } = run;
        const staleMs = now - Math.max(lastSuccessAt ?? 0, watchedSince);
        if (staleMs - wholeListingMs > evaluation.threshold * intervalMs)
          yield { labels: { collector }, value: staleMs / SECOND };
      }
    },
  },
  {
    name: 'ItemsSkipped',
    scope: 'account',
    trigger: 'runs',
    severity: 'warning',
    holdMs: 0,
    // Graphs have their own schedules, so not every run reads the items that it has to skip.
    keepFiringMs: 30 * MINUTE,
    labels: ['collector'],
    threshold: {
      value: 1,
      unit: 'count',
      meaning: 'items of the last run that were not wholly understood, at least',
    },
    unit: 'count',
    expression: (threshold) => `proxywatch_collector_skipped_items >= ${threshold}`,
    summary: '{collector} did not wholly understand {value} items.',
    meaning:
      'Items of the provider’s answers differ from its documentation, or buckets lack a value or have an ambiguous time. proxywatch leaves out the item or the missing value, so numbers may be too low. A balance that lacks a row is not shown.',
    action:
      'If the provider changed its answers, look for a newer proxywatch. Around a change of clocks, check `time_zone`: it passes within `reread`.',
    async *find(evaluation) {
      for (const { collector, skippedItems } of await lastRunsOf(evaluation))
        if (skippedItems >= evaluation.threshold) yield { labels: { collector }, value: skippedItems };
    },
  },
  {
    name: 'SeriesDropped',
    scope: 'account',
    trigger: 'runs',
    severity: 'info',
    holdMs: 0,
    labels: ['collector'],
    threshold: { value: 0, unit: 'count', meaning: 'subjects without series of their own, more than' },
    unit: 'count',
    expression: (threshold) => `proxywatch_series_dropped > ${threshold}`,
    summary: '{collector} shows {value} subjects less than there are, because of a cap.',
    meaning:
      'There are more users, proxies, products or tests than may have series of their own. Sums and alerts are over all of them.',
    action:
      'Raise the cap (`max_series_users`, `max_series_proxies`, `max_series_products`, `max_series`), or select fewer.',
    async *find({ state, threshold }) {
      for (const [collector, dropped] of state.seriesDropped)
        if (dropped > threshold) yield { labels: { collector }, value: dropped };
    },
  },
];

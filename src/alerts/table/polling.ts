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
    threshold: {
      value: 2,
      unit: 'count',
      meaning: 'The alert fires from this number of failed runs in a row',
    },
    unit: 'count',
    expression: (threshold) => `proxywatch_collector_consecutive_failures >= ${threshold}`,
    suppressedBy: [
      { alert: 'ProviderKeysRejected' },
      { alert: 'ProviderUnreachable' },
      { alert: 'TestQuotaRefused', equalLabels: ['collector'] },
    ],
    summary: 'Collector {collector} of account {account} has failed {value} times in a row.',
    meaning: 'The runs of this collector fail.',
    consequence: 'Its metrics keep their last values and grow old until a run succeeds.',
    checks: [
      'Read the error on the status page of proxywatch or in the log. The label `kind` of `proxywatch_collector_error` says what kind of error it is.',
      'Run `proxywatch doctor`, which tries each endpoint.',
    ],
    condition: 'At least {threshold} runs in a row have failed.',
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
    threshold: { value: 1, unit: 'count', meaning: 'The alert fires from this number of failing parts' },
    unit: 'count',
    expression: (threshold) => `proxywatch_collector_failing_parts >= ${threshold}`,
    suppressedBy: [
      { alert: 'ProviderKeysRejected' },
      { alert: 'CollectorFailing', equalLabels: ['collector'] },
    ],
    summary: 'Failing parts of collector {collector} of account {account}: {value}.',
    meaning:
      'Some parts of the collector keep failing. A part is one graph, service, quote, place or source of proxies. proxywatch still reads the other parts.',
    consequence:
      'The metrics of the failing parts keep their last values. Until the parts recover, no other alert about them starts firing or is resolved.',
    checks: [
      'Read the names and errors of the failing parts in the log. The status page and `/api/v1/status` show the first three.',
      'Check whether the provider rejects a part or does not find it.',
    ],
    remedy: 'Correct such a part, or remove it from the configuration.',
    condition: 'The number of failing parts is at least {threshold}.',
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
      meaning:
        'The alert fires if no run has succeeded for more than this number of intervals, plus the duration of a whole listing',
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
    summary: 'Collector {collector} of account {account} has not succeeded for {value}.',
    meaning:
      'No run of this collector has succeeded for longer than its schedule allows, or no run has ever succeeded.',
    consequence: 'What the collector shows is that old, and stays so until a run succeeds.',
    checks: [
      'Read the log and the status page of proxywatch. A run may end before it has read everything.',
      'Check whether `requests_per_second` is too low for the schedules, and whether the clock of the machine jumped.',
    ],
    condition:
      'No run has succeeded for more than {threshold} intervals of the schedule, plus the time that reading a whole listing takes. This includes a collector that has never succeeded. Time in which proxywatch did not run does not count.',
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
      meaning: 'The alert fires from this number of items that the last run could not fully read',
    },
    unit: 'count',
    expression: (threshold) => `proxywatch_collector_skipped_items >= ${threshold}`,
    summary: 'Items that collector {collector} of account {account} could not fully read: {value}.',
    meaning:
      'Items of the provider’s answers differ from its documentation, or buckets lack a value or have an ambiguous time. proxywatch leaves out the item or the missing value.',
    consequence: 'Numbers may be too low as long as this goes on. A balance that lacks a row is not shown.',
    checks: [
      'Check whether the provider changed its answers. A newer version of proxywatch may be able to read them.',
      'If the clocks have just changed, check `time_zone` of the account. The alert then ends within `reread`.',
    ],
    condition: 'The last run could not fully read at least {threshold} item.',
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
    threshold: {
      value: 0,
      unit: 'count',
      meaning: 'The alert fires if more than this number of subjects have no series of their own',
    },
    unit: 'count',
    expression: (threshold) => `proxywatch_series_dropped > ${threshold}`,
    summary: 'Subjects of collector {collector} of account {account} without series of their own: {value}.',
    meaning:
      'There are more users, proxies, products or tests than may have series of their own. Sums and alerts still cover all of them.',
    consequence:
      'As long as this goes on, dashboards and queries cannot show the subjects beyond the cap one by one.',
    checks: [
      'Check which cap applies: `max_series_users`, `max_series_proxies`, `max_series_products` or `max_series`.',
      'Check whether you need series for all of them, or only for some.',
    ],
    remedy: 'Raise the cap, or select fewer subjects.',
    condition: 'More than {threshold} subjects have no series of their own because of a cap.',
    async *find({ state, threshold }) {
      for (const [collector, dropped] of state.seriesDropped)
        if (dropped > threshold) yield { labels: { collector }, value: dropped };
    },
  },
];

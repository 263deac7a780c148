// Defines the alerts about polling. They warn that other alerts depend on old or incomplete data.

import { MINUTE, SECOND } from '../../lib/time.ts';
import type { RunState } from '../../store/account-store.ts';
import { type AccountAlert, accountAlerts, firesIf, SAME_LABELS } from '../alert.ts';
import { lastRunsOf } from './readings.ts';

const LAST_SUCCESS = 'proxywatch_collector_last_success_timestamp_seconds';
const WATCHED_SINCE = 'proxywatch_collector_watched_since_timestamp_seconds';
/** The extra time allowed for a listing that takes several runs. */
const LISTING_DURATION = `(proxywatch_collector_pass_duration_seconds or ${SAME_LABELS} 0 * proxywatch_collector_interval_seconds)`;
/** Since when there was no success. Time before the collector was watched does not count. */
const STALE_SINCE = `(${LAST_SUCCESS} > ${SAME_LABELS} ${WATCHED_SINCE} or ${SAME_LABELS} ${WATCHED_SINCE})`;

/** Holds for the collectors whose newest run has at least as many of these as the threshold. */
const whileRuns = (
  metric: string,
  countOf: (run: RunState) => number,
): Pick<AccountAlert, 'expression' | 'find'> => ({
  expression: (threshold) => `proxywatch_collector_${metric} >= ${threshold}`,
  async *find(evaluation) {
    for (const run of await lastRunsOf(evaluation)) {
      const value = countOf(run);
      if (value >= evaluation.threshold) yield { labels: { collector: run.collector }, value };
    }
  },
});

export const POLLING_ALERTS = accountAlerts(
  { trigger: 'runs', severity: 'warning', labels: ['collector'], section: 'collectors' },
  [
    {
      name: 'CollectorFailing',
      // Collectors that failed in an outage, or whose keys were rejected, run again once requests succeed. Their failures end
      // within this time. The alert is not kept firing, because it would outlast the beginning of its suppression.
      holdMs: 10 * MINUTE,
      threshold: firesIf(2, 'count', 'at least this number of runs in a row have failed'),
      ...whileRuns('consecutive_failures', ({ failures }) => failures),
      suppressedBy: [
        { alert: 'ProviderKeysRejected' },
        { alert: 'ProviderUnreachable' },
        { alert: 'TestQuotaRefused', equalLabels: ['collector'] },
      ],
      summary: 'The {collector} collector of account {account} has failed {value} times in a row.',
      meaning: 'The newest runs of this collector have failed.',
      consequence:
        'Until a run succeeds, the metrics of the collector keep their last values. During this time, proxywatch cannot detect new problems in the data of this collector.',
      checks: [
        'Open {view}, and read the last error of the collector.',
        'Run `proxywatch doctor --config config.yaml`. The command checks the account, and prints the next step for each problem that it finds.',
      ],
      condition: 'At least {threshold} runs in a row have failed.',
    },
    {
      name: 'PartsFailing',
      // Most parts that fail recover at one of their next attempts.
      holdMs: 30 * MINUTE,
      threshold: firesIf(1, 'count', 'at least this number of parts fail'),
      ...whileRuns('failing_parts', ({ failingParts }) => failingParts),
      suppressedBy: [
        { alert: 'ProviderKeysRejected' },
        { alert: 'CollectorFailing', equalLabels: ['collector'] },
      ],
      summary: 'The {collector} collector of account {account} cannot read {value} of its parts.',
      meaning:
        'One or more parts of this collector keep failing. A part is one graph, service, quote, place or source of proxies. proxywatch still reads the other parts.',
      consequence:
        'The metrics of the failing parts keep their last values. While a part fails, no other alert about that part begins to fire or is resolved.',
      checks: [
        'Open {view}. The error of the collector names the first three failing parts, and the log of proxywatch names all of them.',
        'Run `proxywatch doctor --config config.yaml`. The command tries the endpoints and the sources of proxies, and prints the next step for each problem that it finds.',
      ],
      remedy:
        'If the provider rejects or cannot find a part, correct its ids and filters in the configuration, or remove a part that no longer exists.',
      condition: 'At least {threshold} part of the collector fails.',
    },
    {
      name: 'DataStale',
      trigger: 'time',
      // A run that catches up after a start, or after the machine slept, ends within this time or its intervals.
      holdMs: 10 * MINUTE,
      threshold: firesIf(
        3,
        'count',
        'no run has succeeded for longer than this number of intervals plus the time to read a whole listing',
      ),
      unit: 'seconds',
      expression: (threshold) =>
        [
          `(time() - ${STALE_SINCE})`,
          `and ${SAME_LABELS} (time() - ${STALE_SINCE} - ${SAME_LABELS} ${LISTING_DURATION}) / ${SAME_LABELS} proxywatch_collector_interval_seconds > ${threshold}`,
        ].join(' '),
      suppressedBy: [
        { alert: 'ProviderKeysRejected' },
        { alert: 'ProviderUnreachable' },
        { alert: 'CollectorFailing', equalLabels: ['collector'] },
      ],
      summary: 'The {collector} collector of account {account} has not succeeded for {value}.',
      meaning:
        'No run of this collector has succeeded for longer than its schedule allows, or no run has ever succeeded.',
      consequence: 'Until a run succeeds, the data of this collector stays the same and gets older.',
      checks: [
        'Open {view}, and look at the last run of the collector. If this run failed or did not read all data, read its error.',
        'Run `proxywatch check-config --config config.yaml`. If the command warns that the schedules need too many requests, poll less often or raise `requests_per_second`.',
      ],
      remedy:
        'If you have not found the cause yet, run `proxywatch doctor`. If it reports a wrong clock, correct the clock of the machine.',
      condition:
        'No run has succeeded for longer than {threshold} intervals of the schedule plus the time to read a whole listing. Without any success, the time begins when proxywatch begins to watch the collector. Downtime does not count.',
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
      // Graphs have their own schedules, so not every run reads the items that it has to skip.
      keepFiringMs: 30 * MINUTE,
      threshold: firesIf(1, 'count', 'the last run could not fully read at least this number of items'),
      ...whileRuns('skipped_items', ({ skippedItems }) => skippedItems),
      summary: 'The {collector} collector of account {account} could not fully read {value} of its items.',
      meaning:
        'proxywatch could not fully read some items in the provider’s answers. Either an item differs from the provider’s documentation, or a traffic bucket lacks a value or has an ambiguous time. proxywatch leaves out the items and values that it cannot read.',
      consequence:
        'Until proxywatch can read these items, sums can be too low. While a row of a ledger is missing, proxywatch shows no balance of it.',
      checks: [
        'Open {view}. The row of the collector shows whether its runs succeed apart from these items.',
        'Run `proxywatch doctor --config config.yaml --report report.json`. The report lists the differences between the provider’s answers and the provider’s documentation.',
      ],
      remedy:
        'If the provider changed its answers, install a version that can read them. If the collector is `traffic`, and daylight saving time has just begun or ended, check `time_zone` of the account. If it is correct, the alert is resolved after `traffic.reread`.',
      condition: 'The last run of the collector could not fully read at least {threshold} item.',
    },
    {
      name: 'SeriesDropped',
      severity: 'info',
      threshold: firesIf(
        0,
        'count',
        'more than this number of users, proxies, products or tests have no separate series',
      ),
      expression: (threshold) => `proxywatch_series_dropped > ${threshold}`,
      summary:
        'The {collector} collector of account {account} has no separate series for {value} of its users, proxies, products or tests.',
      meaning:
        'The account has more users, proxies, products or tests than the configured limit on series allows. Sums and alerts still include all users, proxies, products and tests.',
      consequence:
        'Until you raise the limit, dashboards and queries cannot show the users, proxies, products or tests above the limit separately.',
      checks: [
        'Open {view}. The lists of the status page contain all users, proxies, products and tests, also those without a series.',
        'Run `proxywatch check-config --config config.yaml`. The command estimates the number of series.',
      ],
      remedy:
        'If you do not need a series for each, ignore the alert. Otherwise, raise the limit: `proxy_users.max_series_users`, `inventory.max_series_proxies`, `catalog.max_series_products` or `proxy_tests.max_series`.',
      condition:
        'The number of users, proxies, products or tests without a separate series is above {threshold}.',
      async *find({ state, threshold }) {
        for (const [collector, dropped] of state.seriesDropped)
          if (dropped > threshold) yield { labels: { collector }, value: dropped };
      },
    },
  ],
);

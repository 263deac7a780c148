// Defines the alerts about the account's traffic, and about sources of its bytes that do not agree.

import { comparedPairs } from '../../collectors/reconciliation/compare.ts';
import { TOLERATED_SHARE, unexplainedShare } from '../../collectors/reconciliation/explain.ts';
import { reconciliation } from '../../collectors/reconciliation/reconciliation.ts';
import {
  lateness,
  observedRequests,
  recentSums,
  storedGraphs,
} from '../../collectors/traffic/newest-traffic.ts';
import { traffic } from '../../collectors/traffic/traffic.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { accountAlerts, type EvaluationContext, type Finding, firesIf, SAME_LABELS } from '../alert.ts';
import { contextOf } from './readings.ts';

/** With fewer requests, the share of failed ones means nothing. */
const MIN_REQUESTS = 100;

/** Combines the series of the whole account, which have no label `graph`, with those of each graph. */
const ofBoth = (expression: (prefix: string) => string): string =>
  `(${expression('proxywatch_traffic')} or ${SAME_LABELS} ${expression('proxywatch_graph')})`;

const labelsOf = (graph: string): Finding['labels'] => (graph === '' ? {} : { graph });

/** Returns the stored data of the configured graphs; empty if the collector is off. */
const graphsOf = async (evaluation: EvaluationContext) => {
  const reading = contextOf(evaluation, traffic);
  return reading ? (await storedGraphs(reading)).map((stored) => ({ ...stored, reading })) : [];
};

export const TRAFFIC_ALERTS = accountAlerts({ trigger: 'traffic' }, [
  {
    name: 'TrafficErrorRatioHigh',
    severity: 'warning',
    holdMs: 5 * MINUTE,
    keepFiringMs: 10 * MINUTE,
    labels: ['graph'],
    threshold: firesIf(
      0.2,
      'ratio',
      `there were at least ${MIN_REQUESTS} recent requests, and more than this share of them failed`,
    ),
    expression: (threshold) =>
      `${ofBoth((prefix) => `${prefix}_recent_failed_requests / ${SAME_LABELS} (${prefix}_recent_requests >= ${MIN_REQUESTS})`)} > ${threshold}`,
    summary: '{value} of the newest requests of account {account}[, graph {graph},] failed.',
    meaning:
      'Too many of the newest requests failed. If the alert names a graph, it is only about the requests of that graph. If the alert names no graph, it is about all requests of the account.',
    consequence:
      'Until you or the provider removes the cause, requests through the proxies are likely to fail.',
    checks: [
      'Open {view}. It shows since when requests fail. If other graphs of the account have no failed requests, look for the cause at the product type, user, service or host name of this graph.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with one of the proxies and a URL that your programs request. The last line says why the proxy fails, and what to do next.',
    ],
    remedy:
      'If the requests of all graphs fail, look for the cause at the provider. If “Proxy tests” shows a fault of a proxy or target, follow the steps of its alert.',
    condition: `More than {threshold} of at least ${MIN_REQUESTS} recent requests failed. Recent are the 15 minutes that end with the newest traffic, or the newest bucket with traffic if buckets are longer.`,
    async *find(evaluation) {
      for (const { settings, graph, reading } of await graphsOf(evaluation)) {
        const recent = await recentSums(reading.store, graph, reading.options.reread);
        const { requests = null, failed = null } = recent ?? {};
        if (requests === null || failed === null || requests < MIN_REQUESTS) continue;
        const share = failed / requests;
        if (share > evaluation.threshold) yield { labels: labelsOf(settings.name), value: share };
      }
    },
  },
  {
    name: 'TrafficStopped',
    severity: 'critical',
    holdMs: 5 * MINUTE,
    labels: ['graph'],
    unit: 'count',
    worst: 'lowest',
    expression: () =>
      ofBoth((prefix) => `${prefix}_observed_requests < ${SAME_LABELS} ${prefix}_expected_requests`),
    summary:
      'Account {account}[, graph {graph},] had only {value} recent requests, which is below the configured minimum.',
    meaning:
      'There were fewer recent requests than the setting `expect` requires. If the alert names a graph, it is only about the requests of that graph. If the alert names no graph, it is about all requests of the account.',
    consequence:
      'If you did not plan a pause, your programs do not use the proxies or cannot reach them. The traffic stays low until you find and remove the cause.',
    checks: [
      'Open {view}. It shows when the requests stopped, and whether they failed before.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with one of the proxies and a URL that your programs request. If the probe fails, look for the cause at the proxies or the provider.',
    ],
    remedy:
      'If the probe succeeds, check whether the programs that use these proxies are running on your machines, and start them.',
    condition:
      'In its newest period of `expect.within`, the account or graph had fewer requests than `expect.min_requests`. The provider publishes traffic late, so the period ends with the newest traffic of the account or, if none arrives, at the newest reading minus `traffic.reread`. It must lie completely within `expect.hours`.',
    async *find(evaluation) {
      for (const { settings, graph, accountGraph: whole, reading } of await graphsOf(evaluation)) {
        const { expect } = settings;
        if (!expect) continue;
        const observed = await observedRequests(reading, expect, graph, whole);
        if (observed !== undefined && observed < expect.min_requests)
          yield { labels: labelsOf(settings.name), value: observed };
      }
    },
  },
  {
    name: 'TrafficDataLate',
    severity: 'warning',
    holdMs: 10 * MINUTE,
    unit: 'seconds',
    expression: () => 'proxywatch_traffic_lateness_seconds != 0',
    summary: 'The newest traffic data of account {account} is {value} old.',
    meaning:
      'proxywatch polls the traffic successfully, but has received no new traffic for an unusually long time. A negative age means that the newest bucket lies in the future.',
    consequence:
      'If the provider publishes data late, the traffic in proxywatch is too low until the data arrives. proxywatch still counts data that arrives within the time set by `traffic.reread` or `traffic.deep_reread.span`. proxywatch does not count data that arrives later.',
    section: 'traffic',
    checks: [
      'Open {view}. If “Proxy users with the most bytes” has bytes of the time without traffic, the provider publishes the traffic late.',
      'Run `proxywatch doctor --config config.yaml`. The command checks the clock of the machine and `time_zone` of the account, which can be the cause of a negative age.',
    ],
    condition:
      'No traffic has arrived for longer than `traffic.reread` plus three buckets, and for more than twice as long as any pause in the stored history, which must contain at least one day. Without traffic, the provider can leave out buckets, so only the length tells late data from a pause: with traffic in every hour, the alert fires after about two hours, and with a longest pause of ten hours after twenty. A time that overlaps a gap does not count. The alert also fires if the newest bucket lies in the future.',
    async *find(evaluation) {
      for (const { settings, graph, reading } of await graphsOf(evaluation)) {
        if (settings.name !== '') continue;
        const lateMs = await lateness(reading.store, graph, reading.options.reread);
        if (lateMs) yield { labels: {}, value: lateMs / SECOND };
      }
    },
  },
]);

export const RECONCILIATION_ALERTS = accountAlerts(
  { trigger: 'reconciliation', severity: 'warning', section: 'traffic' },
  [
    {
      name: 'ReconciliationDiffers',
      labels: ['pair'],
      threshold: firesIf(
        TOLERATED_SHARE,
        'ratio',
        'the unexplained difference is more than this share of the bytes of the larger source',
      ),
      expression: (threshold) =>
        `abs(proxywatch_reconcile_unexplained_bytes) / ${SAME_LABELS} (proxywatch_reconcile_compared_bytes > 0) > ${threshold}`,
      summary:
        'In account {account}, the sources of the pair {pair} differ by {value}, and the reason is unknown.',
      meaning:
        'Two sources report different numbers of bytes, and proxywatch cannot explain the difference. proxywatch compares the newest day for which both sources have complete data, or the balances after it.',
      consequence: 'If the difference remains, the invoice can differ from the traffic that you see.',
      checks: [
        'Open {view}. If the plots have a gap on that day, proxywatch could not read all traffic of the day.',
        'Run `proxywatch reconcile --config config.yaml --from DAY --to DAY`. The command shows the explanation of each difference, and the hours in which the sources differ.',
      ],
      remedy:
        'Look up the pair in “[Check an invoice](how-to/check-an-invoice.md)”: its two sources, why they can differ, and what to do.',
      condition:
        'For the newest day with complete data in both sources, the unexplained difference is more than {threshold} of the bytes of the larger source.',
      async *find({ account, options, store, threshold }) {
        if (!options(reconciliation)) return;
        const polled = comparedPairs(account);
        for (const day of await store.reconciliation.newest(account.name)) {
          const share = unexplainedShare(day);
          if (polled.includes(day.pair) && share > threshold)
            yield { labels: { pair: day.pair }, value: share };
        }
      },
    },
  ],
);

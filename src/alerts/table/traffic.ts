// Defines the alerts about the account's traffic.

import { observedRequests } from '../../collectors/traffic/expectation.ts';
import { lateness, recentSums } from '../../collectors/traffic/newest-traffic.ts';
import { storedGraphs } from '../../collectors/traffic/stored-graphs.ts';
import { traffic } from '../../collectors/traffic/traffic.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Alert, EvaluationContext, Finding } from '../alert.ts';

/** With fewer requests, the share of failed ones means nothing. */
const MIN_REQUESTS = 100;

/** Combines the series of the whole account, which have no label `graph`, with those of each graph. */
const ofBoth = (expression: (prefix: string) => string): string =>
  `(${expression('proxywatch_traffic')} or ${expression('proxywatch_graph')})`;

const labelsOf = (graph: string): Finding['labels'] => (graph === '' ? {} : { graph });

/** Returns the stored data of the configured graphs; empty if the collector is off. */
const graphsOf = async ({ options, ...context }: EvaluationContext) => {
  const own = options(traffic);
  if (!own) return [];
  const reading = { ...context, options: own };
  return (await storedGraphs(reading)).map((stored) => ({ ...stored, reading }));
};

export const TRAFFIC_ALERTS: readonly Alert[] = [
  {
    name: 'TrafficErrorRatioHigh',
    scope: 'account',
    trigger: 'traffic',
    severity: 'warning',
    holdMs: 5 * MINUTE,
    keepFiringMs: 10 * MINUTE,
    labels: ['graph'],
    threshold: {
      value: 0.2,
      unit: 'ratio',
      meaning: `of at least ${MIN_REQUESTS} recent requests failed, more than`,
    },
    unit: 'ratio',
    expression: (threshold) =>
      `${ofBoth((prefix) => `${prefix}_recent_failed_requests / (${prefix}_recent_requests >= ${MIN_REQUESTS})`)} > ${threshold}`,
    summary: '{value} of the newest requests failed: {account}{ graph}',
    meaning:
      'Of the requests of the newest 15 minutes with traffic (the newest hour where buckets are hours) more than a fifth failed, of the whole account (without `graph`) or of a graph.',
    action:
      'Compare the graphs: one product type, user or hostname alone points at it, all of them at the provider. Proxy tests tell proxies from targets.',
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
    scope: 'account',
    trigger: 'traffic',
    severity: 'critical',
    holdMs: 5 * MINUTE,
    labels: ['graph'],
    unit: 'count',
    worst: 'lowest',
    expression: () => ofBoth((prefix) => `${prefix}_observed_requests < ${prefix}_expected_requests`),
    summary: '{value} requests, fewer than expected: {account}{ graph}',
    meaning:
      'A graph with `expect`, or the whole account (without `graph`), had fewer requests than `min_requests` in the newest time as long as `within`. That ends with the newest traffic of the whole account, since the provider publishes late; where nothing at all comes any more, it ends as long ago as `reread`. Outside of `hours`, and until `within` has passed in them, nothing is expected.',
    action: 'See whether who should use these proxies runs, and whether the proxies work.',
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
    scope: 'account',
    trigger: 'traffic',
    severity: 'warning',
    holdMs: 10 * MINUTE,
    labels: [],
    unit: 'seconds',
    expression: () => 'proxywatch_traffic_lateness_seconds != 0',
    summary: 'The newest traffic of {account} is {value} old.',
    meaning:
      'Polls succeed, but bring no traffic any more: for longer than the reread and three buckets, and for twice as long as in any pause of the stored history (which a day of history at least must show). Or the newest bucket is yet to begin (below 0). The alert cannot tell late data from a pause where traffic is irregular: the provider may say nothing of buckets without traffic. For an account with traffic in every hour it fires after about two hours without any. For an account that was once quiet for ten hours it fires after twenty. Time that overlaps a gap of unread traffic is not judged.',
    action:
      'See whether there is traffic (used bytes of proxy users, the ledger): then the provider is late, and what comes within `reread` and `deep_reread` is counted. A newest bucket in the future comes of a clock or `time_zone` that is wrong.',
    async *find(evaluation) {
      for (const { settings, graph, reading } of await graphsOf(evaluation)) {
        if (settings.name !== '') continue;
        const lateMs = await lateness(reading.store, graph, reading.options.reread);
        if (lateMs) yield { labels: {}, value: lateMs / SECOND };
      }
    },
  },
];

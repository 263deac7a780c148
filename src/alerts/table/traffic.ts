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
      meaning: `The alert fires if more than this share of at least ${MIN_REQUESTS} recent requests failed`,
    },
    unit: 'ratio',
    expression: (threshold) =>
      `${ofBoth((prefix) => `${prefix}_recent_failed_requests / (${prefix}_recent_requests >= ${MIN_REQUESTS})`)} > ${threshold}`,
    summary: '{value} of the newest requests of account {account}[, graph {graph},] failed.',
    meaning:
      'Too many of the newest requests failed. If the alert names a graph, it is about the requests of that graph only. Otherwise it is about the whole account.',
    consequence: 'Programs that use these proxies lose requests until the cause is fixed.',
    checks: [
      'Compare the graphs. If one product type, user or host name fails alone, look for the cause there. If all fail, look for it at the provider.',
      'Look at the proxy tests. They show whether proxies or targets fail.',
    ],
    condition: `Of at least ${MIN_REQUESTS} requests, more than {threshold} failed. proxywatch looks at the newest 15 minutes with traffic, or at the newest hour if buckets are hours. An alert without \`graph\` is about the whole account.`,
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
    summary: 'Account {account}[, graph {graph},] had fewer requests than expected: {value}.',
    meaning:
      'There were fewer requests than `expect` demands: of the whole account, or of the graph if the alert names one.',
    consequence:
      'Unless a pause is planned, programs do not use the proxies or cannot reach them, and this goes on until you find out why.',
    checks: [
      'Check whether the programs that use these proxies run.',
      'Check whether the proxies work: look at the proxy tests and the share of failed requests.',
    ],
    condition:
      'A graph with `expect`, or the whole account (without `graph`), had fewer requests than `min_requests` in the newest period as long as `within`. The period ends with the newest traffic of the whole account, because the provider publishes late. If no traffic arrives at all, it ends as long ago as `reread`. Outside `hours`, and until `within` has passed in them, nothing is expected.',
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
    summary: 'Age of the newest traffic data of account {account}: {value}.',
    meaning:
      'Polls succeed but bring no new traffic, for an unusually long time. A negative age means that the newest bucket lies in the future.',
    consequence:
      'If the provider is late, traffic stays too low until it publishes the rest. What comes within `reread` and `deep_reread` is counted.',
    checks: [
      'Check whether there is traffic: look at the used bytes of proxy users and at the ledger. If there is, the provider is late.',
      'If the age is negative, check `time_zone` of the account and the clock of the machine.',
    ],
    condition:
      'No traffic has arrived for longer than `reread` and three buckets, and for twice as long as in any pause of the stored history, which must span at least a day. Or the newest bucket has not begun yet. If traffic is irregular, the alert cannot tell late data from a pause, because the provider may leave out buckets without traffic. For an account with traffic in every hour it fires after about two hours without any. For an account that was once quiet for ten hours it fires after twenty. Time that overlaps a gap of unread traffic is not judged.',
    async *find(evaluation) {
      for (const { settings, graph, reading } of await graphsOf(evaluation)) {
        if (settings.name !== '') continue;
        const lateMs = await lateness(reading.store, graph, reading.options.reread);
        if (lateMs) yield { labels: {}, value: lateMs / SECOND };
      }
    },
  },
];

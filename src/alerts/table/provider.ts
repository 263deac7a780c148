// Defines the alerts about the provider's answers: whether it answers at all, accepts the keys, and limits requests.

import type { CollectorName } from '../../collectors/context.ts';
import { COLLECTORS } from '../../collectors/index.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { accountAlerts, type EvaluationContext, type Finding, firesIf, SAME_LABELS } from '../alert.ts';
import { lastRunsOf } from './readings.ts';

const BY_ACCOUNT = 'max by (instance, account)';
const OF_ACCOUNT = 'on (instance, account)';

const REJECTED = 'proxywatch_api_rejected_since_timestamp_seconds';
const KEYS_REJECTED = 'proxywatch_api_keys_rejected_since_timestamp_seconds';
/** When a run last failed because the keys belong to another customer, although the provider accepts them. */
const FOREIGN_KEYS_AT = `(${BY_ACCOUNT} (proxywatch_collector_last_attempt_timestamp_seconds
    and on (instance, account, collector) proxywatch_collector_error{kind="auth"} == 1) unless ${OF_ACCOUNT} ${REJECTED})`;
/** Collectors whose answers are the same for every customer. Their success does not show to whom the keys belong. */
const CUSTOMER_INDEPENDENT = COLLECTORS.filter(({ isSameForAllCustomers }) => isSameForAllCustomers).map(
  ({ name }) => name,
);
const LAST_RUN_SUCCESS = `${BY_ACCOUNT} (proxywatch_collector_last_success_timestamp_seconds{collector!~"${CUSTOMER_INDEPENDENT.join('|')}"})`;

const TESTS: CollectorName = 'proxy_tests';
const TEST_ENDPOINT = 'proxy_test_run/create';
const TESTS_PAUSED_UNTIL = `proxywatch_api_endpoint_paused_until_timestamp_seconds{api_endpoint="${TEST_ENDPOINT}"}`;
const TESTS_REFUSED_SINCE = `proxywatch_api_refused_since_timestamp_seconds{api_endpoint="${TEST_ENDPOINT}"}`;

export const PROVIDER_ALERTS = accountAlerts({ section: 'collectors' }, [
  {
    name: 'ProviderKeysRejected',
    trigger: 'runs',
    severity: 'critical',
    // If only some endpoints are forbidden, a request to another endpoint succeeds within this time.
    holdMs: 2 * MINUTE,
    expression: () =>
      [
        KEYS_REJECTED,
        `or ${SAME_LABELS} (${FOREIGN_KEYS_AT} unless ${OF_ACCOUNT} (${LAST_RUN_SUCCESS} >= ${OF_ACCOUNT} ${FOREIGN_KEYS_AT}))`,
      ].join('\n'),
    summary:
      'The provider rejects the API keys of account {account}, or the keys belong to another customer.',
    meaning:
      'proxywatch cannot read the data of the account. Either the provider rejects the keys of the account, or the keys and the stored data belong to different customers.',
    consequence:
      'Until you correct the keys, the metrics of the account keep their last values. During this time, proxywatch cannot detect new problems of the account.',
    checks: [
      'Open {view}, and read the last error of each collector.',
      'Run `proxywatch doctor --config config.yaml`. The command shows whether the provider rejects the keys, or whether the keys belong to another customer.',
    ],
    remedy:
      'Ask the provider whether the keys are valid, belong to this account and have the needed permissions. Replace wrong keys in the configuration or in the key files, which proxywatch reads without a restart.',
    condition:
      'One endpoint answered 401 and had no success in the minute before, two endpoints answered 401 or 403, or all polled endpoints 403, and no request of the account has succeeded since. Or the keys and the stored data belong to different customers. If only one of several endpoints answers 403, [`ProviderEndpointForbidden`](#providerendpointforbidden) fires instead.',
    async *find(evaluation) {
      const { endpoints, keysRejectedSince } = evaluation.state.endpointSummary;
      if (keysRejectedSince !== null) yield { labels: {}, value: keysRejectedSince / SECOND };
      else if (endpoints.every(({ rejectedSince }) => rejectedSince === null)) yield* foreignKeys(evaluation);
    },
  },
  {
    name: 'ProviderEndpointForbidden',
    trigger: 'runs',
    severity: 'warning',
    holdMs: 5 * MINUTE,
    labels: ['api_endpoint'],
    unit: 'timestamp',
    expression: () => `${REJECTED} unless ${OF_ACCOUNT} ${KEYS_REJECTED}`,
    suppressedBy: [{ alert: 'ProviderKeysRejected' }],
    summary:
      'The provider has rejected requests of account {account} to endpoint {api_endpoint} since {value}.',
    meaning:
      'The provider answers requests to this endpoint with 401 or 403, but accepts the same keys at other endpoints.',
    consequence:
      'Until the provider allows the requests, proxywatch cannot update the data from this endpoint.',
    checks: [
      'Open {view}. The last errors show which collectors get no data from this endpoint.',
      'Run `proxywatch doctor --config config.yaml`. The command shows the provider’s error for each endpoint that rejects the keys.',
    ],
    remedy:
      'Ask the provider to permit these keys to use the endpoint. If you do not need its data, turn off the collector that requests it.',
    condition: 'The endpoint answered 401 or 403, and no request to it has succeeded since then.',
    async *find({ state: { endpointSummary } }) {
      if (endpointSummary.keysRejectedSince !== null) return;
      for (const { endpoint, rejectedSince } of endpointSummary.endpoints)
        if (rejectedSince !== null)
          yield { labels: { api_endpoint: endpoint }, value: rejectedSince / SECOND };
    },
  },
  {
    name: 'ProviderUnreachable',
    trigger: 'time',
    severity: 'critical',
    // The threshold is already a duration: the time from the first to the newest failed attempt.
    holdMs: 0,
    threshold: firesIf(
      (10 * MINUTE) / SECOND,
      'seconds',
      'the time from the first to the newest attempt without an answer is at least this long',
    ),
    expression: (threshold) => `proxywatch_api_unreached_seconds >= ${threshold}`,
    onset: {
      label: 'collector',
      expression: 'proxywatch_collector_unanswered == 1',
      subjects: ({ unansweredCollectors }) => unansweredCollectors,
      meaning:
        'It also does not fire while the provider has answered no request of the account since the collector began to fail.',
    },
    summary: 'The provider has not answered requests of account {account} for {value}.',
    meaning:
      'All requests of the account fail. The connection fails or times out, or the answer has a 5xx status or is not HTTP.',
    consequence:
      'Until the provider answers, proxywatch cannot update the data of the account. When the provider answers again, the counters catch up with all data that the provider still has.',
    checks: [
      'Open {view}. The last errors show how the requests fail, and the last successes show since when.',
      'Run `proxywatch doctor --config config.yaml`. If the command cannot connect, check the network, DNS and firewall between proxywatch and `base_url`.',
    ],
    remedy:
      'If the command connects but gets an error, check the provider’s status page for an outage. If it reports none, report the error to the provider.',
    condition:
      'The time from the first to the newest attempt without an answer is at least {threshold}. Any answer with a status from 200 to 499 resolves the alert.',
    async *find({ state: { endpointSummary }, threshold }) {
      const { since, newestAt } = endpointSummary.unreached ?? {};
      if (since === undefined || newestAt === undefined) return;
      const value = (newestAt - since) / SECOND;
      if (value >= threshold) yield { labels: {}, value };
    },
  },
  {
    name: 'ProviderRateLimited',
    trigger: 'time',
    severity: 'warning',
    holdMs: 15 * MINUTE,
    threshold: firesIf(0.75, 'ratio', 'the request rate is below this share of `requests_per_second`'),
    worst: 'lowest',
    expression: (threshold) =>
      `proxywatch_api_requests_per_second_limit / ${SAME_LABELS} proxywatch_api_requests_per_second_configured < ${threshold}`,
    summary: 'The provider limits account {account} to {value} of the configured request rate.',
    meaning:
      'The provider answers 429 at several endpoints. Therefore proxywatch sends fewer requests than `requests_per_second` allows.',
    consequence: 'Until the provider accepts more requests, the data of the account arrives late.',
    checks: [
      'Open {view}. It shows how often each collector runs, and which collectors fail.',
      'Run `proxywatch check-config --config config.yaml`. If the configuration needs more requests per second than the provider allows, poll less often.',
    ],
    remedy:
      'If other programs send requests for the account, stop them or lower `requests_per_second`. Also lower it if it is higher than the provider’s limit for the account.',
    condition:
      'The request rate that proxywatch allows is below {threshold} of `requests_per_second`. A 429 from only one endpoint pauses only that endpoint, without this alert.',
    async *find({ state: { pace }, threshold }) {
      const share = pace.limitPerSecond / pace.configuredPerSecond;
      if (share < threshold) yield { labels: {}, value: share };
    },
  },
  {
    name: 'TestQuotaRefused',
    trigger: 'time',
    severity: 'warning',
    // CollectorFailing has the same label, so that this alert can suppress it.
    labels: ['collector'],
    threshold: firesIf(
      (10 * MINUTE) / SECOND,
      'seconds',
      'the time from the first refusal to the end of the pause is at least this long',
    ),
    unit: 'timestamp',
    expression: (threshold) =>
      `label_replace(${TESTS_PAUSED_UNTIL} and ${SAME_LABELS} ${TESTS_PAUSED_UNTIL} - ${SAME_LABELS} ${TESTS_REFUSED_SINCE} >= ${threshold}, "collector", "${TESTS}", "", "")`,
    summary: 'The provider refuses proxy tests of account {account} until {value}.',
    meaning:
      'The provider answered test calls with 429 and asked for a long pause. The account has probably used up its quota of test runs.',
    consequence:
      'Until the pause ends, proxywatch does not test proxies, and does not update test results and faults. proxywatch polls all other data as before.',
    checks: [
      'Open {view}. The row of the collector shows the last error and the next run.',
      'Run `proxywatch check-config --config config.yaml`. If the command estimates more test runs per day than the account’s quota at the provider allows, lower `proxy_tests.max_runs_per_day`.',
    ],
    remedy:
      'If other programs use test runs of this account, stop them or lower `max_runs_per_day`. If you need more test runs, ask the provider for a higher quota.',
    condition:
      'The time from the provider’s first 429 for test calls to the end of the pause is at least {threshold}.',
    async *find({ state: { endpointSummary }, threshold }) {
      const tests = endpointSummary.endpoints.find(({ endpoint }) => endpoint === TEST_ENDPOINT);
      const { pausedUntil = null, refusedSince = null } = tests ?? {};
      if (pausedUntil === null || refusedSince === null) return;
      if ((pausedUntil - refusedSince) / SECOND >= threshold)
        yield { labels: { collector: TESTS }, value: pausedUntil / SECOND };
    },
  },
]);

/** Finds keys that the provider accepts but that belong to another customer: runs fail with `auth`. */
async function* foreignKeys(evaluation: EvaluationContext): AsyncGenerator<Finding> {
  const all = await lastRunsOf(evaluation);
  const runs = all.filter(({ collector }) => !CUSTOMER_INDEPENDENT.some((name) => name === collector));
  const foreignAt = runs.flatMap(({ errorKind, startedAt }) => (errorKind === 'auth' ? startedAt : []));
  const newest = Math.max(...foreignAt);
  if (foreignAt.length > 0 && runs.every(({ lastSuccessAt }) => (lastSuccessAt ?? 0) < newest))
    yield { labels: {}, value: newest / SECOND };
}

// Defines the alerts about the provider's answers: whether it answers at all, accepts the keys, and limits requests.

import type { CollectorName } from '../../collectors/context.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Alert, EvaluationContext, Finding } from '../alert.ts';
import { lastRunsOf } from '../last-runs.ts';

const BY_ACCOUNT = 'max by (instance, account)';
const OF_ACCOUNT = 'on (instance, account)';

const REJECTED = 'proxywatch_api_rejected_since_timestamp_seconds';
const KEYS_REJECTED = 'proxywatch_api_keys_rejected_since_timestamp_seconds';
/** When a run last failed because the keys belong to another customer, although the provider accepts them. */
const FOREIGN_KEYS_AT = `(${BY_ACCOUNT} (proxywatch_collector_last_attempt_timestamp_seconds
    and on (instance, account, collector) proxywatch_collector_error{kind="auth"} == 1) unless ${OF_ACCOUNT} ${REJECTED})`;
/** Collectors whose answers are the same for every customer. Their success does not show to whom the keys belong. */
const CUSTOMER_INDEPENDENT: readonly CollectorName[] = ['catalog', 'geography'];
const LAST_RUN_SUCCESS = `${BY_ACCOUNT} (proxywatch_collector_last_success_timestamp_seconds{collector!~"${CUSTOMER_INDEPENDENT.join('|')}"})`;

const TESTS: CollectorName = 'proxy_tests';
const TEST_ENDPOINT = 'proxy_test_run/create';
const TESTS_PAUSED_UNTIL = `proxywatch_api_endpoint_paused_until_timestamp_seconds{endpoint="${TEST_ENDPOINT}"}`;
const TESTS_REFUSED_SINCE = `proxywatch_api_refused_since_timestamp_seconds{endpoint="${TEST_ENDPOINT}"}`;

export const PROVIDER_ALERTS: readonly Alert[] = [
  {
    name: 'ProviderKeysRejected',
    scope: 'account',
    trigger: 'runs',
    severity: 'critical',
    // If only some endpoints are forbidden, a request to another endpoint succeeds within this time.
    holdMs: 2 * MINUTE,
    labels: [],
    unit: 'none',
    expression: () =>
      [
        KEYS_REJECTED,
        `or (${FOREIGN_KEYS_AT} unless ${OF_ACCOUNT} (${LAST_RUN_SUCCESS} >= ${FOREIGN_KEYS_AT}))`,
      ].join('\n'),
    summary: 'The provider rejects the keys of {account}.',
    meaning:
      'No request of the account has succeeded since an endpoint answered 401, or since two endpoints (or all that are polled) answered 403, or the keys belong to another customer than the stored data. proxywatch gets no data of the account until the keys work; its metrics stay as they were and grow old. A single forbidden endpoint fires `ProviderEndpointForbidden` instead.',
    action:
      'Read the error on the status page, then check the keys and the rights of the account with the provider. proxywatch reads changed key files without a restart.',
    async *find(evaluation) {
      const { endpoints, keysRejectedSince } = evaluation.state.endpointSummary;
      if (keysRejectedSince !== null) yield { labels: {}, value: keysRejectedSince / SECOND };
      else if (endpoints.every(({ rejectedSince }) => rejectedSince === null)) yield* foreignKeys(evaluation);
    },
  },
  {
    name: 'ProviderEndpointForbidden',
    scope: 'account',
    trigger: 'runs',
    severity: 'warning',
    holdMs: 5 * MINUTE,
    labels: ['endpoint'],
    unit: 'timestamp',
    expression: () => `${REJECTED} unless ${OF_ACCOUNT} ${KEYS_REJECTED}`,
    suppressedBy: [{ alert: 'ProviderKeysRejected' }],
    summary: 'The provider has refused {account} access to {endpoint} since {value}.',
    meaning:
      'The endpoint answers 401 or 403, and no request to it has succeeded since, while the keys themselves are not rejected. The data from this endpoint is not updated until the provider allows it.',
    action:
      'Run `proxywatch doctor`, which asks the endpoint again and shows the error. Then ask the provider to allow the endpoint for these keys, or turn off the collector that needs it.',
    async *find({ state: { endpointSummary } }) {
      if (endpointSummary.keysRejectedSince !== null) return;
      for (const { endpoint, rejectedSince } of endpointSummary.endpoints)
        if (rejectedSince !== null) yield { labels: { endpoint }, value: rejectedSince / SECOND };
    },
  },
  {
    name: 'ProviderUnreachable',
    scope: 'account',
    trigger: 'time',
    severity: 'critical',
    // The threshold is already a duration: the time from the first to the newest failed attempt.
    holdMs: 0,
    labels: [],
    threshold: {
      value: (10 * MINUTE) / SECOND,
      unit: 'seconds',
      meaning: 'from the first to the newest attempt that nobody answered, at least',
    },
    unit: 'seconds',
    expression: (threshold) => `proxywatch_api_unreached_seconds >= ${threshold}`,
    summary: 'The provider has not answered {account} for {value}.',
    meaning:
      'All requests of the account for this time failed: the connection was refused, lost or timed out, or the answer was 5xx or not HTTP. Until the provider answers, no data of the account is updated. The counters catch up afterwards, as far back as the provider keeps data. Any answer of 2xx to 4xx ends the alert. Time in which proxywatch sent no request does not count.',
    action:
      'Run `proxywatch doctor` to check the network, DNS and firewall between proxywatch and `base_url`. Then look at the status page of the provider.',
    async *find({ state: { endpointSummary }, threshold }) {
      const { since, newestAt } = endpointSummary.unreached ?? {};
      if (since === undefined || newestAt === undefined) return;
      const value = (newestAt - since) / SECOND;
      if (value >= threshold) yield { labels: {}, value };
    },
  },
  {
    name: 'ProviderRateLimited',
    scope: 'account',
    trigger: 'time',
    severity: 'warning',
    holdMs: 15 * MINUTE,
    labels: [],
    threshold: { value: 0.75, unit: 'ratio', meaning: 'of the configured rate, less than' },
    unit: 'ratio',
    worst: 'lowest',
    expression: (threshold) =>
      `proxywatch_api_requests_per_second_limit / proxywatch_api_requests_per_second_configured < ${threshold}`,
    summary: 'The provider limits {account} to {value} of the configured request rate.',
    meaning:
      'Several endpoints of the account keep answering 429. proxywatch makes fewer requests than `requests_per_second` allows, so data arrives late. If only one endpoint answers 429, only that endpoint is paused, and this alert does not fire.',
    action:
      'Check with `proxywatch check-config` how many requests the configuration makes, and whether other programs use the same account. Then lower `requests_per_second` or poll less often.',
    async *find({ state: { pace }, threshold }) {
      const share = pace.limitPerSecond / pace.configuredPerSecond;
      if (share < threshold) yield { labels: {}, value: share };
    },
  },
  {
    name: 'TestQuotaRefused',
    scope: 'account',
    trigger: 'time',
    severity: 'warning',
    holdMs: 0,
    // CollectorFailing has the same label, so that this alert can suppress it.
    labels: ['collector'],
    threshold: {
      value: (10 * MINUTE) / SECOND,
      unit: 'seconds',
      meaning: 'from the first refusal to the end of the pause, at least',
    },
    unit: 'timestamp',
    expression: (threshold) =>
      `label_replace(${TESTS_PAUSED_UNTIL} and ${TESTS_PAUSED_UNTIL} - ${TESTS_REFUSED_SINCE} >= ${threshold}, "collector", "${TESTS}", "", "")`,
    summary: 'The provider refuses proxy tests of {account} until {value}.',
    meaning:
      'The provider answers 429 to test runs and asks for a long pause, most likely because the account has used up its quota of test runs. proxywatch makes no tests until then, so test results and faults grow old. Everything else is polled as before.',
    action:
      'Compare `max_runs_per_day` of `proxy_tests` with the quota of the account, and lower it if it is higher. Then check whether other programs make test runs with this account, or ask the provider for a higher quota.',
    async *find({ state: { endpointSummary }, threshold }) {
      const tests = endpointSummary.endpoints.find(({ endpoint }) => endpoint === TEST_ENDPOINT);
      const { pausedUntil = null, refusedSince = null } = tests ?? {};
      if (pausedUntil === null || refusedSince === null) return;
      if ((pausedUntil - refusedSince) / SECOND >= threshold)
        yield { labels: { collector: TESTS }, value: pausedUntil / SECOND };
    },
  },
];

/** Finds keys that the provider accepts but that belong to another customer: runs fail with `auth`. */
async function* foreignKeys(evaluation: EvaluationContext): AsyncGenerator<Finding> {
  const all = await lastRunsOf(evaluation);
  const runs = all.filter(({ collector }) => !CUSTOMER_INDEPENDENT.some((name) => name === collector));
  const foreignAt = runs.flatMap(({ errorKind, startedAt }) => (errorKind === 'auth' ? startedAt : []));
  const newest = Math.max(...foreignAt);
  if (foreignAt.length > 0 && runs.every(({ lastSuccessAt }) => (lastSuccessAt ?? 0) < newest))
    yield { labels: {}, value: newest / SECOND };
}

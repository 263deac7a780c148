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
    summary: 'The provider rejects the API keys of account {account}, or they belong to another customer.',
    meaning:
      'proxywatch cannot read the account: the provider rejects its keys, or the keys belong to another customer than the stored data.',
    consequence:
      'Until the keys work, the metrics of the account keep their last values, and you do not see new problems of the account.',
    checks: [
      'Read the error of the account on the status page of proxywatch, or run `proxywatch doctor`.',
      'Check with the provider that the keys are valid, belong to this account and have the rights that proxywatch needs.',
    ],
    remedy: 'Correct the keys. proxywatch reads changed key files without a restart.',
    condition:
      'An endpoint answered 401, or two endpoints (or all that are polled) answered 403, and no request of the account has succeeded since. The alert also fires if the keys belong to another customer than the stored data. A single forbidden endpoint fires [`ProviderEndpointForbidden`](#providerendpointforbidden) instead.',
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
    summary: 'The provider has refused account {account} access to {endpoint} since {value}.',
    meaning: 'The provider answers 401 or 403 at this endpoint, although it accepts the keys elsewhere.',
    consequence: 'The data from this endpoint is not updated until the provider allows it.',
    checks: [
      'Run `proxywatch doctor`. It asks the endpoint again and shows the error.',
      'Check with the provider whether these keys may use the endpoint.',
    ],
    remedy: 'Ask the provider to allow the endpoint for these keys, or turn off the collector that needs it.',
    condition:
      'An endpoint answers 401 or 403, and no request to it has succeeded since, while the keys themselves are not rejected.',
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
      meaning:
        'The alert fires if the time from the first to the newest attempt without an answer is at least this long',
    },
    unit: 'seconds',
    expression: (threshold) => `proxywatch_api_unreached_seconds >= ${threshold}`,
    summary: 'The provider has not answered account {account} for {value}.',
    meaning:
      'All requests of the account have failed for this time: the connection was refused, lost or timed out, or the answer was 5xx or not HTTP.',
    consequence:
      'No data of the account is updated until the provider answers. Afterwards the counters catch up, as far back as the provider keeps data.',
    checks: [
      'Run `proxywatch doctor` to check the network, DNS and firewall between proxywatch and `base_url`.',
      'Look at the provider’s status page.',
    ],
    condition:
      'At least {threshold} have passed from the first to the newest attempt without an answer. Any answer of 2xx to 4xx ends the alert. Time in which proxywatch sent no request does not count.',
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
    threshold: {
      value: 0.75,
      unit: 'ratio',
      meaning: 'The alert fires if the request rate is below this share of `requests_per_second`',
    },
    unit: 'ratio',
    worst: 'lowest',
    expression: (threshold) =>
      `proxywatch_api_requests_per_second_limit / proxywatch_api_requests_per_second_configured < ${threshold}`,
    summary: 'The provider limits account {account} to {value} of the configured request rate.',
    meaning:
      'Several endpoints of the account keep answering 429, so proxywatch sends fewer requests than `requests_per_second` allows.',
    consequence: 'As long as this goes on, the data of the account arrives late.',
    checks: [
      'Run `proxywatch check-config` to see how many requests the configuration needs.',
      'Check whether other programs use the same account.',
    ],
    remedy: 'Lower `requests_per_second`, or poll less often.',
    condition:
      'The current request rate is below {threshold} of `requests_per_second`. If only one endpoint answers 429, proxywatch pauses that endpoint, and this alert does not fire.',
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
      meaning:
        'The alert fires if the time from the first refusal to the end of the pause is at least this long',
    },
    unit: 'timestamp',
    expression: (threshold) =>
      `label_replace(${TESTS_PAUSED_UNTIL} and ${TESTS_PAUSED_UNTIL} - ${TESTS_REFUSED_SINCE} >= ${threshold}, "collector", "${TESTS}", "", "")`,
    summary: 'The provider refuses proxy tests of account {account} until {value}.',
    meaning:
      'The provider answered 429 to test runs and asked for a long pause. Most likely the account has used up its quota of test runs.',
    consequence:
      'proxywatch makes no tests until the pause ends, so test results and faults grow old. All other data is polled as before.',
    checks: [
      'Compare `max_runs_per_day` of `proxy_tests` with the quota of the account.',
      'Check whether other programs make test runs with this account.',
    ],
    remedy:
      'Lower `max_runs_per_day` if it is higher than the quota, or ask the provider for a higher quota.',
    condition: 'The time from the first refusal to the end of the pause is at least {threshold}.',
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

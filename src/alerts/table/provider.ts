// Alerts about the account's standing with the provider: whether it answers, lets the keys in, and how much may be asked.

import type { CollectorName } from '../../collectors/collector.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Alert, Evaluation, Finding } from '../alert.ts';
import { runsOf } from '../readings.ts';

const BY_ACCOUNT = 'max by (instance, account)';
const OF_ACCOUNT = 'on (instance, account)';

const REJECTED = 'proxywatch_api_rejected_since_timestamp_seconds';
const KEYS_REJECTED = 'proxywatch_api_keys_rejected_since_timestamp_seconds';
/** When a run last failed for keys that the provider takes: they are another customer's. */
const FOREIGN_AT = `(${BY_ACCOUNT} (proxywatch_collector_last_attempt_timestamp_seconds
    and on (instance, account, collector) proxywatch_collector_error{kind="auth"} == 1) unless ${OF_ACCOUNT} ${REJECTED})`;
/** Of these the answers are the same for every customer: that they succeed says nothing of whose the keys are. */
const OF_ALL_CUSTOMERS: readonly CollectorName[] = ['catalog', 'geography'];
const LAST_RUN_SUCCESS = `${BY_ACCOUNT} (proxywatch_collector_last_success_timestamp_seconds{collector!~"${OF_ALL_CUSTOMERS.join('|')}"})`;

const TESTS: CollectorName = 'proxy_tests';
const TEST_ENDPOINT = 'proxy_test_run/create';
const TESTS_PAUSED_UNTIL = `proxywatch_api_endpoint_paused_until_timestamp_seconds{endpoint="${TEST_ENDPOINT}"}`;
const TESTS_REFUSED_SINCE = `proxywatch_api_refused_since_timestamp_seconds{endpoint="${TEST_ENDPOINT}"}`;

export const PROVIDER_ALERTS: readonly Alert[] = [
  {
    name: 'ProviderKeysRejected',
    scope: 'account',
    when: 'runs',
    severity: 'critical',
    // What several endpoints forbid is theirs alone if the next one succeeds.
    holdMs: 2 * MINUTE,
    labels: [],
    unit: 'none',
    expression: () =>
      [KEYS_REJECTED, `or (${FOREIGN_AT} unless ${OF_ACCOUNT} (${LAST_RUN_SUCCESS} >= ${FOREIGN_AT}))`].join(
        '\n',
      ),
    summary: 'The provider rejects the keys of {account}.',
    meaning:
      'No request of the account has succeeded since an endpoint answered 401, or since two endpoints (or all that are polled) answered 403; or the keys belong to another customer than the data of the account. Nothing of the account is polled any more. A single endpoint that answers 403 is `ProviderEndpointForbidden`.',
    action:
      'Read the error on the status page, and check the keys and the rights of the account. proxywatch reads keys again from their files by itself.',
    async *find(evaluation) {
      const { endpoints, keysRejectedSince } = evaluation.state.standing;
      if (keysRejectedSince !== null) yield { labels: {}, value: keysRejectedSince / SECOND };
      else if (endpoints.every(({ rejectedSince }) => rejectedSince === null)) yield* foreignKeys(evaluation);
    },
  },
  {
    name: 'ProviderEndpointForbidden',
    scope: 'account',
    when: 'runs',
    severity: 'warning',
    holdMs: 5 * MINUTE,
    labels: ['endpoint'],
    unit: 'timestamp',
    expression: () => `${REJECTED} unless ${OF_ACCOUNT} ${KEYS_REJECTED}`,
    explainedBy: [{ alert: 'ProviderKeysRejected' }],
    summary: 'The provider forbids {endpoint} to {account} since {value}.',
    meaning:
      'The endpoint answers 401 or 403, and no request to it has succeeded since, while nothing says that the keys themselves are rejected. What is read from this endpoint stays as it was, and grows old.',
    action:
      'Ask the provider to allow the endpoint for these keys, or turn off the collectors that need it; `proxywatch doctor` names them.',
    async *find({ state: { standing } }) {
      if (standing.keysRejectedSince !== null) return;
      for (const { endpoint, rejectedSince } of standing.endpoints)
        if (rejectedSince !== null) yield { labels: { endpoint }, value: rejectedSince / SECOND };
    },
  },
  {
    name: 'ProviderUnreachable',
    scope: 'account',
    when: 'time',
    severity: 'critical',
    // Attempts are what is counted: they take their time themselves.
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
      'All attempts of the account for this time ended without an answer: connections are refused or lost, time out, or bring 5xx or what is no HTTP. Any answer of 2xx to 4xx ends it. Time in which nothing was asked does not count. Nothing of the account is polled.',
    action:
      'Check the network, DNS and firewall between proxywatch and `base_url` with `proxywatch doctor`, then the status page of the provider.',
    async *find({ state: { standing }, threshold }) {
      const { since, newestAt } = standing.unreached ?? {};
      if (since === undefined || newestAt === undefined) return;
      const value = (newestAt - since) / SECOND;
      if (value >= threshold) yield { labels: {}, value };
    },
  },
  {
    name: 'ProviderRateLimited',
    scope: 'account',
    when: 'time',
    severity: 'warning',
    holdMs: 15 * MINUTE,
    labels: [],
    threshold: { value: 0.75, unit: 'ratio', meaning: 'the configured pace, below' },
    unit: 'ratio',
    worst: 'lowest',
    expression: (threshold) =>
      `proxywatch_api_requests_per_second_limit / proxywatch_api_requests_per_second_configured < ${threshold}`,
    summary: 'The provider lets {account} ask at {value} of the configured pace only.',
    meaning:
      'Several endpoints of the account keep answering 429. proxywatch makes fewer requests than `requests_per_second` allows, and data comes late. A single endpoint that answers 429 is paused alone, and does not slow the account down.',
    action:
      'Lower `requests_per_second`, poll less often, or find out who else uses the account; `proxywatch check-config` says what the configuration asks for.',
    async *find({ state: { pace }, threshold }) {
      const share = pace.limitPerSecond / pace.configuredPerSecond;
      if (share < threshold) yield { labels: {}, value: share };
    },
  },
  {
    name: 'TestQuotaRefused',
    scope: 'account',
    when: 'time',
    severity: 'warning',
    holdMs: 0,
    // As CollectorFailing has it, which this explains.
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
      'The provider answers 429 to test runs and asks for a long pause: the account has used up its quota of test runs. proxywatch makes no test until then; everything else is polled as before.',
    action:
      'Lower `max_runs_per_day` of `proxy_tests` below the quota of the account, find out who else makes test runs, or ask the provider for a higher quota.',
    async *find({ state: { standing }, threshold }) {
      const tests = standing.endpoints.find(({ endpoint }) => endpoint === TEST_ENDPOINT);
      const { pausedUntil = null, refusedSince = null } = tests ?? {};
      if (pausedUntil === null || refusedSince === null) return;
      if ((pausedUntil - refusedSince) / SECOND >= threshold)
        yield { labels: { collector: TESTS }, value: pausedUntil / SECOND };
    },
  },
];

/** Keys that the provider takes, but that are another customer's: runs say so. */
async function* foreignKeys(evaluation: Evaluation): AsyncGenerator<Finding> {
  const all = await runsOf(evaluation);
  const runs = all.filter(({ collector }) => !OF_ALL_CUSTOMERS.some((name) => name === collector));
  const foreignAt = runs.flatMap(({ errorKind, startedAt }) => (errorKind === 'auth' ? startedAt : []));
  const newest = Math.max(...foreignAt);
  if (foreignAt.length > 0 && runs.every(({ lastSuccessAt }) => (lastSuccessAt ?? 0) < newest))
    yield { labels: {}, value: newest / SECOND };
}

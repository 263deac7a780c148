// Alerts about the account's standing with the provider: its keys, and how much it may ask.

import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Alert } from '../alert.ts';
import { runsOf } from '../readings.ts';

/** When keys were last rejected. */
const REJECTED_AT = `max by (instance, account) (proxywatch_collector_last_attempt_timestamp_seconds
    and on (instance, account, collector) proxywatch_collector_error{kind="auth"} == 1)`;

export const PROVIDER_ALERTS: readonly Alert[] = [
  {
    name: 'ProviderKeysRejected',
    scope: 'account',
    when: 'runs',
    severity: 'critical',
    // Where one endpoint alone is not allowed, another one's success soon says so.
    holdMs: 2 * MINUTE,
    labels: [],
    unit: 'none',
    expression: () =>
      `${REJECTED_AT} unless on (instance, account) (max by (instance, account) (proxywatch_collector_last_success_timestamp_seconds) >= ${REJECTED_AT})`,
    summary: 'The provider rejects the keys of {account}.',
    meaning:
      'The provider answered 401 or 403, and no collector has succeeded since: nothing of the account is polled any more. An endpoint that alone is not allowed shows as `CollectorFailing`.',
    action: 'Check the keys and the rights of the account; files of keys are read again by themselves.',
    async *find(evaluation) {
      const runs = await runsOf(evaluation);
      const rejectedAt = runs.flatMap(({ errorKind, startedAt }) => (errorKind === 'auth' ? startedAt : []));
      const newest = Math.max(...rejectedAt);
      if (rejectedAt.length > 0 && runs.every(({ lastSuccessAt }) => (lastSuccessAt ?? 0) < newest))
        yield { labels: {}, value: newest / SECOND };
    },
  },
  {
    name: 'ProviderRateLimited',
    scope: 'account',
    when: 'time',
    severity: 'warning',
    holdMs: 15 * MINUTE,
    labels: [],
    threshold: { value: 0.5, unit: 'ratio', meaning: 'the configured pace, below' },
    unit: 'ratio',
    worst: 'lowest',
    expression: (threshold) =>
      `proxywatch_api_requests_per_second_limit / proxywatch_api_requests_per_second_configured < ${threshold}`,
    summary: 'The provider lets {account} ask at {value} of the configured pace only.',
    meaning:
      'The provider goes on answering 429, so requests are made at less than half of `requests_per_second`, and data comes late.',
    action:
      'Lower `requests_per_second`, poll less often, or see who else uses the account; `proxywatch check-config` says what the configuration asks for.',
    async *find({ state: { pace }, threshold }) {
      const share = pace.limitPerSecond / pace.configuredPerSecond;
      if (share < threshold) yield { labels: {}, value: share };
    },
  },
];

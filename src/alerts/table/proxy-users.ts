// Defines the alerts about the limits of all proxy users that are not deleted, including those without their own series.

import { proxyUsers } from '../../collectors/proxy-users/proxy-users.ts';
import { LOW_SHARE, type QuotaStatus, SOON_MS } from '../../collectors/proxy-users/quota-status.ts';
import { userStatusPages } from '../../collectors/proxy-users/user-pages.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { StoredQuota } from '../../store/user-store.ts';
import type { Alert, EvaluationContext, Finding } from '../alert.ts';
import { lastSuccessExpression, lastSuccessOf } from '../last-runs.ts';

const LABELS = ['proxy_user_id', 'product_type'];
const LEFT = 'proxywatch_proxy_user_left_bytes';
const LIMIT = 'proxywatch_proxy_user_limit_bytes';
const EXHAUSTION = 'proxywatch_proxy_user_exhaustion_timestamp_seconds';

const notDeleted = (expression: string): string =>
  `(${expression} unless on (instance, account, proxy_user_id) proxywatch_proxy_user_info{is_deleted="true"})`;

/** Yields a finding for each quota for which `measure` returns a number. */
async function* quotasWith(
  { options, ...context }: EvaluationContext,
  measure: (status: QuotaStatus, quota: StoredQuota) => number | undefined,
): AsyncGenerator<Finding, void, undefined> {
  const own = options(proxyUsers);
  if (!own) return;
  for await (const page of userStatusPages({ ...context, options: own })) {
    for (const { user, statuses } of page) {
      if (user.isDeleted) continue;
      for (const product_type of METERED_TYPES) {
        const value = measure(statuses[product_type], user.quotas[product_type]);
        if (value !== undefined) yield { labels: { proxy_user_id: user.id, product_type }, value };
      }
    }
  }
}

export const PROXY_USER_ALERTS: readonly Alert[] = [
  {
    name: 'ProxyUserQuotaExhausted',
    scope: 'account',
    trigger: 'proxy_users',
    severity: 'warning',
    holdMs: 0,
    labels: LABELS,
    worst: 'lowest',
    unit: 'none',
    expression: () => notDeleted(`${LEFT} == 0`),
    summary: 'Proxy user {proxy_user_id} of account {account} has used up its {product_type} quota.',
    meaning: 'The user has used as many bytes as its limit allows, or more.',
    consequence: 'Its requests are likely to fail until the limit is raised or reset.',
    checks: [
      'Check whether the limit is meant to end the traffic of this user. Then there is nothing to do.',
      'Check whether and when the provider resets the used bytes of the user.',
    ],
    remedy: 'Raise the limit, or wait for its reset.',
    condition:
      'No bytes of the limit are left. A limit of 0 counts only with `zero_limit: exhausted`. Deleted users do not count.',
    find: (evaluation) => quotasWith(evaluation, ({ leftBytes }) => (leftBytes === 0 ? 0 : undefined)),
  },
  {
    name: 'ProxyUserQuotaLow',
    scope: 'account',
    trigger: 'proxy_users',
    severity: 'info',
    holdMs: 0,
    labels: LABELS,
    worst: 'lowest',
    threshold: {
      value: LOW_SHARE,
      unit: 'ratio',
      meaning: 'The alert fires if less than this share of the limit is left',
    },
    unit: 'ratio',
    expression: (threshold) => `${notDeleted(`(${LEFT} > 0) / ${LIMIT}`)} < ${threshold}`,
    summary: 'Proxy user {proxy_user_id} of account {account} has {value} of its {product_type} quota left.',
    meaning: 'Little is left of the bytes that the user may use.',
    consequence: 'When the quota is used up, requests of the user are likely to fail.',
    checks: [
      'Check how long the rest lasts: [`ProxyUserQuotaExhaustionSoon`](#proxyuserquotaexhaustionsoon) and `proxywatch_proxy_user_exhaustion_timestamp_seconds` show it.',
      'Check whether and when the provider resets the used bytes of the user.',
    ],
    remedy: 'Raise the limit in time, or wait for its reset.',
    condition: 'Less than {threshold} of the limit is left. Deleted users do not count.',
    find: (evaluation) =>
      quotasWith(evaluation, ({ leftBytes = 0 }, { limitBytes }) => {
        const share = leftBytes > 0 && limitBytes ? leftBytes / limitBytes : 1;
        return share < evaluation.threshold ? share : undefined;
      }),
  },
  {
    name: 'ProxyUserQuotaExhaustionSoon',
    scope: 'account',
    trigger: 'proxy_users',
    severity: 'warning',
    holdMs: 15 * MINUTE,
    keepFiringMs: HOUR,
    labels: LABELS,
    worst: 'lowest',
    threshold: {
      value: SOON_MS / SECOND,
      unit: 'seconds',
      meaning: 'The alert fires if the forecast leaves less time than this',
    },
    unit: 'seconds',
    expression: (threshold) =>
      `(${notDeleted(EXHAUSTION)} - on (instance, account) group_left () ${lastSuccessExpression('proxy_users')}) < ${threshold}`,
    summary:
      'Proxy user {proxy_user_id} of account {account} will use up its {product_type} quota in {value}.',
    meaning:
      'If the use goes on as before, the user reaches its limit soon. This is a [forecast](design/forecast.md) from at least a day of history. It does not know of a reset before then.',
    consequence: 'When the quota is used up, requests of the user are likely to fail.',
    checks: [
      'Check why the user uses so much.',
      'Check whether the provider resets the used bytes before then.',
    ],
    remedy: 'Raise the limit.',
    condition:
      'By the forecast, the quota is used up within {threshold} of the newest listing of the users. Deleted users do not count.',
    async *find(evaluation) {
      const listedAt = await lastSuccessOf(evaluation, 'proxy_users');
      if (listedAt === undefined) return;
      yield* quotasWith(evaluation, ({ exhaustedAt }) => {
        if (exhaustedAt === undefined) return undefined;
        const left = Math.round(exhaustedAt / SECOND) - listedAt / SECOND;
        return left < evaluation.threshold ? left : undefined;
      });
    },
  },
];

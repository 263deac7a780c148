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
    summary: 'Proxy user {proxy_user_id} of {account} has used up the {product_type} bytes.',
    meaning:
      'The user has used as many bytes as its limit allows, or more. A limit of 0 counts where `zero_limit` is `exhausted`.',
    action: 'Raise the limit, or wait for its reset; a limit that is meant to end traffic needs nothing.',
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
    threshold: { value: LOW_SHARE, unit: 'ratio', meaning: 'of the limit left, less than' },
    unit: 'ratio',
    expression: (threshold) => `${notDeleted(`(${LEFT} > 0) / ${LIMIT}`)} < ${threshold}`,
    summary: 'Of the {product_type} bytes of proxy user {proxy_user_id} of {account}, {value} is left.',
    meaning:
      'Less than a tenth of the limit is left. How long that lasts is another matter: see `ProxyUserQuotaExhaustionSoon`.',
    action: 'Raise the limit in time, or wait for its reset.',
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
    threshold: { value: SOON_MS / SECOND, unit: 'seconds', meaning: 'until nothing is left, less than' },
    unit: 'seconds',
    expression: (threshold) =>
      `(${notDeleted(EXHAUSTION)} - on (instance, account) group_left () ${lastSuccessExpression('proxy_users')}) < ${threshold}`,
    summary: 'Proxy user {proxy_user_id} of {account} will have used up the {product_type} bytes in {value}.',
    meaning:
      'At its present pace the user reaches its limit within three days: a [forecast](forecast.md) from at least a day of history. A reset before that is not known to it.',
    action: 'Raise the limit, or see why the user uses so much.',
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

// Defines the alerts about the limits of all proxy users that are not deleted, including those without their own series.

import { proxyUsers } from '../../collectors/proxy-users/proxy-users.ts';
import { LOW_SHARE, type QuotaStatus, SOON_MS } from '../../collectors/proxy-users/quota-status.ts';
import { riseOf } from '../../collectors/proxy-users/rise.ts';
import { userStatusPages } from '../../collectors/proxy-users/user-pages.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { HOUR, SECOND } from '../../lib/time.ts';
import type { StoredQuota, StoredUser } from '../../store/user-store.ts';
import { accountAlerts, type EvaluationContext, type Finding, SAME_LABELS } from '../alert.ts';
import { contextOf, lastSuccessExpression, lastSuccessOf } from './readings.ts';

const LABELS = ['proxy_user_id', 'product_type'];

const LEFT = 'proxywatch_proxy_user_left_bytes';
const LIMIT = 'proxywatch_proxy_user_limit_bytes';
const EXHAUSTION = 'proxywatch_proxy_user_exhaustion_timestamp_seconds';

const notDeleted = (expression: string): string =>
  `(${expression} unless on (instance, account, proxy_user_id) proxywatch_proxy_user_info{is_deleted="true"})`;

/** Yields a finding for each quota for which `measure` returns a number. */
async function* quotasWith(
  evaluation: EvaluationContext,
  measure: (status: QuotaStatus, quota: StoredQuota) => number | undefined,
  reasonOf?: (user: StoredUser, type: MeteredType) => Promise<string>,
): AsyncGenerator<Finding, void, undefined> {
  const context = contextOf(evaluation, proxyUsers);
  let reasons = reasonOf ? MAX_REASONS : 0;
  for await (const page of context ? userStatusPages(context) : []) {
    for (const { user, statuses } of page) {
      if (user.isDeleted) continue;
      for (const product_type of METERED_TYPES) {
        const value = measure(statuses[product_type], user.quotas[product_type]);
        if (value === undefined) continue;
        const labels = { proxy_user_id: user.id, product_type };
        const reason = reasonOf && reasons-- > 0 ? await reasonOf(user, product_type) : '';
        yield { labels, value, ...(reason && { reason }) };
      }
    }
  }
}

/** An evaluation looks for the causes of so many rises. */
const MAX_REASONS = 20;

const riseText = async (
  evaluation: EvaluationContext,
  user: StoredUser,
  type: MeteredType,
): Promise<string> => {
  const rise = await riseOf(evaluation, user, type);
  if (!rise) return '';
  const causes = rise.causes.length > 0 ? rise.causes.join('; ') : 'no cause is known';
  return `its use rose to ${rise.ratio.toFixed(1)} times that of the last week: ${causes}`;
};

export const PROXY_USER_ALERTS = accountAlerts(
  { trigger: 'proxy_users', severity: 'warning', labels: LABELS, worst: 'lowest' },
  [
    {
      name: 'ProxyUserQuotaExhausted',
      expression: () => notDeleted(`${LEFT} == 0`),
      summary: 'Proxy user {proxy_user_id} of account {account} has used up its {product_type} quota.',
      meaning: 'The proxy user has used at least as many bytes as its quota allows.',
      consequence:
        'Requests of the user are likely to fail until you raise the quota or the provider resets the used bytes.',
      checks: [
        'Open {view}. It shows the quota and the use over time. Ask the owner of the proxy user whether the user needs more bytes.',
        'If the quota is meant to stop the traffic of the user, run `proxywatch silence add --alert ProxyUserQuotaExhausted --subject ID --for 7d --comment planned`.',
      ],
      remedy:
        'Check in the history of `proxywatch_proxy_user_used_bytes` whether the provider regularly resets the used bytes. If the user needs more bytes before the next reset, raise the quota at the provider.',
      condition:
        'No bytes of the quota are left. A quota of 0 counts only with `proxy_users.zero_limit: exhausted`. Deleted users do not count.',
      find: (evaluation) => quotasWith(evaluation, ({ leftBytes }) => (leftBytes === 0 ? 0 : undefined)),
    },
    {
      name: 'ProxyUserQuotaLow',
      threshold: {
        value: LOW_SHARE,
        steps: [0.9, 1],
        unit: 'ratio',
        meaning: 'The alert fires if less than this share of the quota is left',
      },
      expression: (threshold) => `${notDeleted(`(${LEFT} > 0) / ${SAME_LABELS} ${LIMIT}`)} < ${threshold}`,
      summary:
        'Proxy user {proxy_user_id} of account {account} has {value} of its {product_type} quota left.',
      meaning: 'The proxy user has only a small share of its quota left.',
      consequence: 'When the user has used up its quota, requests of the user are likely to fail.',
      checks: [
        'Open {view}. It shows the [forecast](design/forecast.md) for the time at which the user will have used up its quota.',
        'If the quota is meant to run out, or the provider resets the used bytes before that time, run `proxywatch silence add --alert ProxyUserQuotaLow --subject ID --for 7d --comment planned`.',
      ],
      remedy: 'Act as for [`ProxyUserQuotaExhausted`](#proxyuserquotaexhausted).',
      condition:
        'The bytes that are left are more than 0, but less than {threshold} of the quota. Deleted users do not count.',
      find: (evaluation) =>
        quotasWith(evaluation, ({ leftBytes = 0 }, { limitBytes }) => {
          const share = leftBytes > 0 && limitBytes ? leftBytes / limitBytes : 1;
          return share < evaluation.threshold ? share : undefined;
        }),
    },
    {
      name: 'ProxyUserQuotaExhaustionSoon',
      // Noise in the forecast is filtered before the alert fires. If it kept firing, it would fire beside ProxyUserQuotaLow.
      holdMs: HOUR,
      threshold: {
        value: SOON_MS / SECOND,
        unit: 'seconds',
        meaning: 'The alert fires if, according to the forecast, the quota lasts for less than this time',
      },
      expression: (threshold) =>
        `(${notDeleted(EXHAUSTION)} - on (instance, account) group_left () (floor(${lastSuccessExpression('proxy_users')} / 3600) * 3600)) < ${threshold}`,
      suppressedBy: [
        { alert: 'ProxyUserQuotaLow', equalLabels: LABELS },
        { alert: 'ProxyUserQuotaExhausted', equalLabels: LABELS },
      ],
      summary:
        'Proxy user {proxy_user_id} of account {account} will use up its {product_type} quota in {value}[: {reason}].',
      meaning:
        'If the user continues to use bytes as before, it will use up its quota soon. The alert uses a [forecast](design/forecast.md), which needs at least a day of history. The forecast does not know when the provider resets the used bytes.',
      consequence: 'When the user has used up its quota, requests of the user are likely to fail.',
      checks: [
        'Open {view}. “Use over time” shows whether the user began to use more bytes, and the facts above it what is known of the cause. Ask the owner of the user for the reason.',
        'If the quota is meant to run out, or the provider resets the used bytes before that time, run `proxywatch silence add --alert ProxyUserQuotaExhaustionSoon --subject ID --for 7d --comment planned`.',
      ],
      remedy: 'Act as for [`ProxyUserQuotaExhausted`](#proxyuserquotaexhausted).',
      condition:
        'According to the forecast, the user will use up its quota within {threshold} after the newest listing of the users. Deleted users do not count.',
      async *find(evaluation) {
        if ((await lastSuccessOf(evaluation, 'proxy_users')) === undefined) return;
        const secondsLeft = ({ lastsMs }: QuotaStatus) => {
          const left = lastsMs === undefined ? Number.NaN : Math.round(lastsMs / SECOND);
          return left < evaluation.threshold ? left : undefined;
        };
        yield* quotasWith(evaluation, secondsLeft, (user, type) => riseText(evaluation, user, type));
      },
    },
  ],
);

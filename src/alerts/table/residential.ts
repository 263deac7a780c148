// Defines the alerts about the residential balance.

import { type RecentBalance, recentBalance } from '../../collectors/residential-ledger/recent-balance.ts';
import { residentialLedger } from '../../collectors/residential-ledger/residential-ledger.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { Alert, EvaluationContext } from '../alert.ts';
import { lastSuccessExpression, lastSuccessOf } from '../last-runs.ts';

const BALANCE = 'proxywatch_residential_balance_bytes';
const ADDED = 'proxywatch_residential_ledger_added_30d_bytes';
const USED = 'proxywatch_residential_ledger_used_7d_bytes';
const EXHAUSTION = 'proxywatch_residential_balance_exhaustion_timestamp_seconds';

const balanceOf = async ({ options, ...context }: EvaluationContext): Promise<RecentBalance | undefined> => {
  const own = options(residentialLedger);
  if (!own) return undefined;
  const { account, store } = context;
  return recentBalance({ ...context, options: own }, await store.ledger.summary(account.name));
};

export const RESIDENTIAL_ALERTS: readonly Alert[] = [
  {
    name: 'ResidentialBalanceExhausted',
    scope: 'account',
    trigger: 'residential_ledger',
    severity: 'critical',
    holdMs: 0,
    labels: [],
    worst: 'lowest',
    threshold: {
      value: 0,
      unit: 'bytes',
      meaning: 'The alert fires if the balance is at most this number of bytes',
    },
    unit: 'bytes',
    expression: (threshold) => `(${BALANCE} and on (instance, account) ${USED} > 0) <= ${threshold}`,
    summary: 'The residential balance of account {account} is used up: {value} left.',
    meaning: 'No residential bytes are left, although some were used within the last 7 days.',
    consequence: 'Residential proxies may stop, or the provider may charge overage.',
    checks: [
      'Check which users use residential bytes (`proxywatch_proxy_user_usage_bytes_total`).',
      'Check in the ledger (`/api/v1/ledger`) what was added and used.',
    ],
    remedy: 'Buy residential data, or stop the users that use it.',
    condition: 'The balance is at most {threshold}, and residential bytes were used within the last 7 days.',
    async *find(evaluation) {
      const balance = await balanceOf(evaluation);
      if (balance && balance.usedBytes > 0 && balance.leftBytes <= evaluation.threshold)
        yield { labels: {}, value: balance.leftBytes };
    },
  },
  {
    name: 'ResidentialBalanceLow',
    scope: 'account',
    trigger: 'residential_ledger',
    severity: 'warning',
    holdMs: 0,
    labels: [],
    worst: 'lowest',
    threshold: {
      value: 0.1,
      unit: 'ratio',
      meaning: 'The alert fires if less than this share of what was added in the last 30 days is left',
    },
    unit: 'ratio',
    expression: (threshold) => `(${BALANCE} > 0) / (${ADDED} > 0) < ${threshold}`,
    summary: 'Residential balance of account {account}: {value} of what was added in 30 days is left.',
    meaning: 'Little is left of the residential data that was added in the last 30 days.',
    consequence:
      'When the balance is used up, residential proxies may stop, or the provider may charge overage.',
    checks: [
      'Look at the [forecast](design/forecast.md) of when the balance is used up (`proxywatch_residential_balance_exhaustion_timestamp_seconds`).',
      'Check which users use residential bytes (`proxywatch_proxy_user_usage_bytes_total`).',
    ],
    remedy: 'Buy residential data in time.',
    condition:
      'Less than {threshold} is left of what was added in the last 30 days. If the account bought nothing in that time, only the forecast judges it.',
    async *find(evaluation) {
      const balance = await balanceOf(evaluation);
      if (!balance || balance.leftBytes <= 0 || balance.addedBytes <= 0) return;
      const share = balance.leftBytes / balance.addedBytes;
      if (share < evaluation.threshold) yield { labels: {}, value: share };
    },
  },
  {
    name: 'ResidentialBalanceExhaustionSoon',
    scope: 'account',
    trigger: 'residential_ledger',
    severity: 'warning',
    holdMs: 30 * MINUTE,
    keepFiringMs: 2 * HOUR,
    labels: [],
    worst: 'lowest',
    threshold: {
      value: (3 * DAY) / SECOND,
      unit: 'seconds',
      meaning: 'The alert fires if the forecast leaves less time than this',
    },
    unit: 'seconds',
    expression: (threshold) =>
      `${EXHAUSTION} - on (instance, account) group_left () ${lastSuccessExpression('residential_ledger')} < ${threshold}`,
    summary: 'The residential balance of account {account} will be used up in {value}.',
    meaning:
      'If the use goes on as before, the residential balance is used up soon. This is a [forecast](design/forecast.md) from at least a day of history.',
    consequence: 'Then residential proxies may stop, or the provider may charge overage.',
    checks: [
      'Check which users began to use more residential bytes (`proxywatch_proxy_user_usage_bytes_total`).',
      'Check in the ledger (`/api/v1/ledger`) whether a purchase is missing.',
    ],
    remedy: 'Buy residential data, or stop the users that use it.',
    condition:
      'By the forecast, the balance is used up within {threshold} of the newest reading of the ledger.',
    async *find(evaluation) {
      const exhaustedAt = (await balanceOf(evaluation))?.exhaustedAt;
      const listedAt = await lastSuccessOf(evaluation, 'residential_ledger');
      if (exhaustedAt === undefined || listedAt === undefined) return;
      const left = Math.round(exhaustedAt / SECOND) - listedAt / SECOND;
      if (left < evaluation.threshold) yield { labels: {}, value: left };
    },
  },
];

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
    threshold: { value: 0, unit: 'bytes', meaning: 'bytes left, no more than' },
    unit: 'bytes',
    expression: (threshold) => `(${BALANCE} and on (instance, account) ${USED} > 0) <= ${threshold}`,
    summary: 'The residential balance of {account} is used up: {value}.',
    meaning:
      'Nothing is left of the residential data, and some was used within the last 7 days: residential proxies are about to stop, or overage is charged.',
    action:
      'Buy residential data, or stop who uses it; proxywatch_proxy_user_usage_bytes_total says who that is.',
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
    threshold: { value: 0.1, unit: 'ratio', meaning: 'of what was added in the last 30 days, less than' },
    unit: 'ratio',
    expression: (threshold) => `(${BALANCE} > 0) / (${ADDED} > 0) < ${threshold}`,
    summary: 'Of the residential data that {account} got in 30 days, {value} is left.',
    meaning:
      'Less than a tenth of what was added in the last 30 days is left. An account that bought nothing in that time is judged by the forecast alone.',
    action: 'Buy residential data in time: the forecast says when it is used up.',
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
    threshold: { value: (3 * DAY) / SECOND, unit: 'seconds', meaning: 'until nothing is left, less than' },
    unit: 'seconds',
    expression: (threshold) =>
      `${EXHAUSTION} - on (instance, account) group_left () ${lastSuccessExpression('residential_ledger')} < ${threshold}`,
    summary: 'The residential balance of {account} will be used up in {value}.',
    meaning:
      'At its present pace the residential balance is used up within three days: a [forecast](forecast.md) from at least a day of history.',
    action: 'Buy residential data, or see who began to use so much of it.',
    async *find(evaluation) {
      const exhaustedAt = (await balanceOf(evaluation))?.exhaustedAt;
      const listedAt = await lastSuccessOf(evaluation, 'residential_ledger');
      if (exhaustedAt === undefined || listedAt === undefined) return;
      const left = Math.round(exhaustedAt / SECOND) - listedAt / SECOND;
      if (left < evaluation.threshold) yield { labels: {}, value: left };
    },
  },
];

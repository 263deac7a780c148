// Defines the alerts about the residential balance.

import {
  isExhausted,
  type RecentBalance,
  recentBalance,
} from '../../collectors/residential-ledger/recent-balance.ts';
import { residentialLedger } from '../../collectors/residential-ledger/residential-ledger.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { accountAlerts, type EvaluationContext, SAME_LABELS } from '../alert.ts';
import { contextOf, lastSuccessExpression, lastSuccessOf } from './readings.ts';

const BALANCE = 'proxywatch_residential_balance_bytes';
const ADDED = 'proxywatch_residential_ledger_added_30d_bytes';
const USED = 'proxywatch_residential_ledger_used_7d_bytes';
const EXHAUSTION = 'proxywatch_residential_balance_exhaustion_timestamp_seconds';

const balanceOf = async (evaluation: EvaluationContext): Promise<RecentBalance | undefined> => {
  const context = contextOf(evaluation, residentialLedger);
  return context && recentBalance(context, await context.store.ledger.summary(context.account.name));
};

export const RESIDENTIAL_ALERTS = accountAlerts(
  { trigger: 'residential_ledger', worst: 'lowest', section: 'balance' },
  [
    {
      name: 'ResidentialBalanceExhausted',
      severity: 'critical',
      threshold: {
        value: 0,
        unit: 'bytes',
        meaning: 'The alert fires if the balance is at most this number of bytes',
      },
      expression: (threshold) => `(${BALANCE} and on (instance, account) ${USED} > 0) <= ${threshold}`,
      summary: 'The residential balance of account {account} has fallen to {value}.',
      meaning:
        'No residential bytes are left, and the account used residential bytes within the last 7 days.',
      consequence:
        'Until you buy residential bytes, residential proxies can stop working, or the provider can charge extra for residential traffic.',
      checks: [
        'Open {view}. The ledger by day shows the used and the added bytes. If a purchase of residential bytes is missing, ask the provider for the reason.',
        'Run `proxywatch reconcile --config config.yaml --from DAY --to DAY` for the last days. The command shows whether the ledger, the traffic and the proxy users agree about the used bytes.',
      ],
      remedy:
        'If a user in “Proxy users with the most bytes” uses more residential bytes than it needs, stop or limit it. Otherwise, buy residential bytes.',
      condition:
        'The balance is at most {threshold}, and the account used residential bytes within the last 7 days.',
      async *find(evaluation) {
        const balance = await balanceOf(evaluation);
        if (balance && isExhausted(balance, evaluation.threshold))
          yield { labels: {}, value: balance.leftBytes };
      },
    },
    {
      name: 'ResidentialBalanceLow',
      severity: 'warning',
      threshold: {
        value: 0.1,
        unit: 'ratio',
        meaning: 'The alert fires if the balance is below this share of the bytes added in the last 30 days',
      },
      expression: (threshold) => `(${BALANCE} > 0) / ${SAME_LABELS} (${ADDED} > 0) < ${threshold}`,
      summary:
        'The residential balance of account {account} is only {value} of the bytes added in the last 30 days.',
      meaning: 'The residential balance is small compared with the bytes added in the last 30 days.',
      consequence:
        'When the account has used up the balance, residential proxies can stop working, or the provider can charge extra for residential traffic.',
      checks: [
        'Open {view}. “Runs out” shows the [forecast](design/forecast.md) for the time at which the account will have used up the balance.',
        'Run `proxywatch reconcile --config config.yaml --from DAY --to DAY` for the last days. The command shows whether the ledger, the traffic and the proxy users agree about the used bytes.',
      ],
      remedy:
        'Act as for [`ResidentialBalanceExhausted`](#residentialbalanceexhausted), before the balance is used up.',
      condition:
        'The balance is above 0, but below {threshold} of the bytes added in the last 30 days. If nobody added bytes in this time, only [`ResidentialBalanceExhaustionSoon`](#residentialbalanceexhaustionsoon) warns you.',
      async *find(evaluation) {
        const balance = await balanceOf(evaluation);
        if (!balance || balance.leftBytes <= 0 || balance.addedBytes <= 0) return;
        const share = balance.leftBytes / balance.addedBytes;
        if (share < evaluation.threshold) yield { labels: {}, value: share };
      },
    },
    {
      name: 'ResidentialBalanceExhaustionSoon',
      severity: 'warning',
      holdMs: 30 * MINUTE,
      keepFiringMs: 2 * HOUR,
      threshold: {
        value: (3 * DAY) / SECOND,
        unit: 'seconds',
        meaning: 'The alert fires if, according to the forecast, the balance lasts for less than this time',
      },
      expression: (threshold) =>
        `${EXHAUSTION} - on (instance, account) group_left () ${lastSuccessExpression('residential_ledger')} < ${threshold}`,
      summary: 'Account {account} will use up its residential balance in {value}.',
      meaning:
        'If the account continues to use residential bytes as before, it will use up its balance soon. The alert uses a [forecast](design/forecast.md), which needs at least a day of history.',
      consequence:
        'When the account has used up the balance, residential proxies can stop working, or the provider can charge extra for residential traffic.',
      checks: [
        'Open {view}. The ledger by day shows since when the account uses more bytes. If a purchase of residential bytes is missing, ask the provider for the reason.',
        'Run `proxywatch reconcile --config config.yaml --from DAY --to DAY` for the last days. The command shows whether the ledger, the traffic and the proxy users agree about the used bytes.',
      ],
      remedy:
        'Act as for [`ResidentialBalanceExhausted`](#residentialbalanceexhausted), before the balance is used up.',
      condition:
        'According to the forecast, the account will use up its balance within {threshold} after the newest reading of the ledger.',
      async *find(evaluation) {
        const exhaustedAt = (await balanceOf(evaluation))?.exhaustedAt;
        const listedAt = await lastSuccessOf(evaluation, 'residential_ledger');
        if (exhaustedAt === undefined || listedAt === undefined) return;
        const left = Math.round(exhaustedAt / SECOND) - listedAt / SECOND;
        if (left < evaluation.threshold) yield { labels: {}, value: left };
      },
    },
  ],
);

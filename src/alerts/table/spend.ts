// Defines the alert about the budgets.

import { prices } from '../../collectors/prices/prices.ts';
import { readSpend } from '../../collectors/prices/spend.ts';
import { PERIOD_UNITS } from '../../lib/calendar.ts';
import { accountAlerts, SAME_LABELS } from '../alert.ts';
import { contextOf } from './readings.ts';

export const SPEND_ALERTS = accountAlerts(
  {
    trigger: 'prices',
    severity: 'warning',
    section: 'cost',
  },
  [
    {
      name: 'SpendAboveBudget',
      labels: ['period', 'currency'],
      threshold: {
        value: 1,
        unit: 'ratio',
        meaning: 'The alert fires if more than this share of the budget is spent',
      },
      expression: (threshold) =>
        `sum without (product_type, __type__, __unit__) (proxywatch_spend) / ${SAME_LABELS} proxywatch_budget > ${threshold}`,
      summary: 'Account {account} has spent {value} of its {currency} budget for this {period}.',
      meaning:
        'The bytes that the account has used since the beginning of the day, week or month cost more than the budget, at the prices of the configuration.',
      consequence:
        'The account continues to use bytes, because proxywatch stops nothing. The alert is resolved when the next day, week or month begins.',
      checks: [
        'Open {view}. The table shows which product type costs the most. If the collector `usage` is on, “Charged use” shows the same of proxy users and host names.',
        'Run `proxywatch invoice --config config.yaml --month MONTH` for this month. The command shows the added and used bytes.',
      ],
      remedy:
        'Limit the bytes of the proxy users that use more than they need. If all of the use is wanted, raise the budget in `prices.budget`.',
      condition:
        'The cost of the bytes that were used in the day, week or month so far is more than {threshold} of its budget in `prices.budget`. A product type whose cost is unknown is not in the sum, so the account has spent at least the value.',
      async *find(evaluation) {
        const context = contextOf(evaluation, prices);
        if (!context) return;
        const { account, options } = context;
        const periods = PERIOD_UNITS.filter((unit) => options.budget[unit] !== undefined);
        const spends = periods.length > 0 ? await readSpend(context) : [];
        for (const period of periods) {
          const spent = spends.reduce((sum, { byPeriod }) => sum + (byPeriod[period] ?? 0), 0);
          const share = spent / (options.budget[period] ?? Infinity);
          if (share > evaluation.threshold)
            yield { labels: { period, currency: account.currency }, value: share };
        }
      },
    },
  ],
);

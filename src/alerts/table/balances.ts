// Defines the alerts about the residential and the mobile balance, and about what the bytes cost.

import { LEDGER_FAMILIES, mobileLedger, residentialLedger } from '../../collectors/ledger/ledger.ts';
import { isExhausted, type RecentBalance, recentBalance } from '../../collectors/ledger/recent-balance.ts';
import { prices } from '../../collectors/prices/prices.ts';
import { readSpend } from '../../collectors/prices/spend.ts';
import { PERIOD_UNITS } from '../../lib/calendar.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { type AccountAlert, accountAlerts, type EvaluationContext, firesIf, SAME_LABELS } from '../alert.ts';
import { contextOf, lastSuccessExpression, lastSuccessOf } from './readings.ts';

const COLLECTORS = { residential: residentialLedger, mobile: mobileLedger };
const NAMES = { residential: 'ResidentialBalance', mobile: 'MobileBalance' };
const SECTIONS = { residential: 'balance', mobile: 'mobile-balance' } as const;
/** Only residential bytes have other sources with which the ledger is compared. */
const SECOND_CHECKS = {
  residential:
    'Run `proxywatch reconcile --config config.yaml --from DAY --to DAY` for the last days. The command shows whether the ledger, the traffic and the proxy users agree about the used bytes.',
  mobile:
    'Run `proxywatch invoice --config config.yaml --month MONTH` for this month. The command shows the added and used mobile bytes, and the use of proxy users.',
};

const balanceAlerts = (type: MeteredType): AccountAlert[] => {
  const {
    balance_bytes: balance,
    balance_exhaustion_timestamp_seconds: exhaustion,
    ledger_added_30d_bytes: addedIn30Days,
    ledger_used_7d_bytes: usedIn7Days,
  } = LEDGER_FAMILIES[type];
  const [alert, collector] = [NAMES[type], `${type}_ledger`] as const;
  const checks = (first: string) => [first, SECOND_CHECKS[type]] as const;
  const balanceOf = async (evaluation: EvaluationContext): Promise<RecentBalance | undefined> => {
    const context = contextOf(evaluation, COLLECTORS[type]);
    if (!context) return undefined;
    return recentBalance(type, context, await context.store.ledgers[type].summary(context.account.name));
  };
  return accountAlerts({ trigger: collector, worst: 'lowest', section: SECTIONS[type] }, [
    {
      name: `${alert}Exhausted`,
      severity: 'critical',
      threshold: firesIf(0, 'bytes', 'the balance is at most this number of bytes'),
      expression: (threshold) =>
        `(${balance.name} and on (instance, account) ${usedIn7Days.name} > 0) <= ${threshold}`,
      summary: `The ${type} balance of account {account} has fallen to {value}.`,
      meaning: `No ${type} bytes are left, and the account used ${type} bytes within the last 7 days.`,
      consequence: `Until you buy ${type} bytes, ${type} proxies can stop working, or the provider can charge extra for ${type} traffic.`,
      checks: checks(
        `Open {view}. The ledger by day shows the used and the added bytes. If a purchase of ${type} bytes is missing, ask the provider for the reason.`,
      ),
      remedy: `If a user in “Proxy users with the most bytes” uses more ${type} bytes than it needs, stop or limit it. Otherwise, buy ${type} bytes.`,
      condition: `The balance is at most {threshold}, and the account used ${type} bytes within the last 7 days.`,
      async *find(evaluation) {
        const recent = await balanceOf(evaluation);
        if (recent && isExhausted(recent, evaluation.threshold))
          yield { labels: {}, value: recent.leftBytes };
      },
    },
    {
      name: `${alert}Low`,
      severity: 'warning',
      threshold: firesIf(
        0.1,
        'ratio',
        'the balance is below this share of the bytes added in the last 30 days',
      ),
      expression: (threshold) =>
        `(${balance.name} > 0) / ${SAME_LABELS} (${addedIn30Days.name} > 0) < ${threshold}`,
      summary: `The ${type} balance of account {account} is only {value} of the bytes added in the last 30 days.`,
      meaning: `The ${type} balance is small compared with the bytes added in the last 30 days.`,
      consequence: `When the account has used up the balance, ${type} proxies can stop working, or the provider can charge extra for ${type} traffic.`,
      checks: checks(
        'Open {view}. “Runs out” shows the [forecast](design/forecast.md) for the time at which the account will have used up the balance.',
      ),
      remedy: `Act as for [\`${alert}Exhausted\`](#${alert.toLowerCase()}exhausted), before the balance is used up.`,
      condition: `The balance is above 0, but below {threshold} of the bytes added in the last 30 days. If nobody added bytes in this time, only [\`${alert}ExhaustionSoon\`](#${alert.toLowerCase()}exhaustionsoon) warns you.`,
      async *find(evaluation) {
        const recent = await balanceOf(evaluation);
        if (!recent || recent.leftBytes <= 0 || recent.addedBytes <= 0) return;
        const share = recent.leftBytes / recent.addedBytes;
        if (share < evaluation.threshold) yield { labels: {}, value: share };
      },
    },
    {
      name: `${alert}ExhaustionSoon`,
      severity: 'warning',
      holdMs: 30 * MINUTE,
      keepFiringMs: 2 * HOUR,
      threshold: {
        value: (3 * DAY) / SECOND,
        unit: 'seconds',
        meaning: 'The alert fires if, according to the forecast, the balance lasts for less than this time',
      },
      expression: (threshold) =>
        `${exhaustion.name} - on (instance, account) group_left () ${lastSuccessExpression(collector)} < ${threshold}`,
      summary: `Account {account} will use up its ${type} balance in {value}.`,
      meaning: `If the account continues to use ${type} bytes as before, it will use up its balance soon. The alert uses a [forecast](design/forecast.md), which needs at least a day of history.`,
      consequence: `When the account has used up the balance, ${type} proxies can stop working, or the provider can charge extra for ${type} traffic.`,
      checks: checks(
        `Open {view}. The ledger by day shows since when the account uses more bytes. If a purchase of ${type} bytes is missing, ask the provider for the reason.`,
      ),
      remedy: `Act as for [\`${alert}Exhausted\`](#${alert.toLowerCase()}exhausted), before the balance is used up.`,
      condition:
        'According to the forecast, the account will use up its balance within {threshold} after the newest reading of the ledger.',
      async *find(evaluation) {
        const exhaustedAt = (await balanceOf(evaluation))?.exhaustedAt;
        const listedAt = await lastSuccessOf(evaluation, collector);
        if (exhaustedAt === undefined || listedAt === undefined) return;
        const left = Math.round(exhaustedAt / SECOND) - listedAt / SECOND;
        if (left < evaluation.threshold) yield { labels: {}, value: left };
      },
    },
  ]);
};

export const RESIDENTIAL_BALANCE_ALERTS = balanceAlerts('residential');
export const MOBILE_BALANCE_ALERTS = balanceAlerts('mobile');

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
      threshold: firesIf(1, 'ratio', 'more than this share of the budget is spent'),
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

// Builds the Money dashboard: what bytes cost, and how much of the budgets is spent.

import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';
import { bars, graph } from '../time-series.ts';
import { account, limit } from '../variables.ts';

const UNIT = 'The unit is that of the label `currency`.';
const spend = (period: string): string =>
  `sum by (account, currency) (proxywatch_spend{${ACCOUNT_SELECTOR}, period="${period}"})`;
const budget = (period: string): string =>
  `sum by (account, currency) (proxywatch_budget{${ACCOUNT_SELECTOR}, period="${period}"})`;
const perType = (name: string): string =>
  `sum by (account, product_type, currency) (proxywatch_${name}{${ACCOUNT_SELECTOR}})`;

/** The price of a byte. An account has one for each product type. */
const PRICE = `on (instance, account, product_type) group_left (currency) max by (instance, account, product_type, currency) (proxywatch_price_per_byte{${ACCOUNT_SELECTOR}})`;

/** What the top names cost in the time range, at the price of now. */
const costOf = (label: string, counter: string): string =>
  `topk($limit, sum by (account, ${label}, currency) (sum by (instance, account, ${label}, product_type) (increase(${counter}{${ACCOUNT_SELECTOR}}[$__range])) * ${PRICE}))`;

const spentIn = (period: string, title: string) =>
  stat({
    title,
    description: `Cost of the bytes that were used so far, at the prices of the configuration. ${UNIT}`,
    unit: 'none',
    decimals: 2,
    width: 6,
    noValue: 'no price',
    queries: { '{{account}} {{currency}}': spend(period) },
  });

const now = [
  spentIn('day', 'Spent today'),
  spentIn('week', 'Spent this week'),
  spentIn('month', 'Spent this month'),
  stat({
    title: 'Expected for the month',
    description: `Cost of the whole month if each further day costs the average of the last 7 full days. ${UNIT}`,
    unit: 'none',
    decimals: 2,
    width: 6,
    noValue: 'no forecast',
    queries: {
      '{{account}} {{currency}}': `sum by (account, currency) (proxywatch_spend_forecast{${ACCOUNT_SELECTOR}})`,
    },
  }),
  table({
    title: 'Budgets',
    description: 'Share of each budget that is spent. Accounts without `prices.budget` are missing.',
    width: 12,
    height: 6,
    labels: { account: 'Account', period: 'Period', currency: 'Currency' },
    columns: {
      Spent: {
        expr: `sum by (account, period, currency) (proxywatch_spend{${ACCOUNT_SELECTOR}}) and on (account, period, currency) proxywatch_budget{${ACCOUNT_SELECTOR}}`,
        unit: 'none',
        decimals: 2,
      },
      Budget: {
        expr: `sum by (account, period, currency) (proxywatch_budget{${ACCOUNT_SELECTOR}})`,
        unit: 'none',
        decimals: 2,
      },
      Share: {
        expr: `sum by (account, period, currency) (proxywatch_spend{${ACCOUNT_SELECTOR}}) / on (account, period, currency) sum by (account, period, currency) (proxywatch_budget{${ACCOUNT_SELECTOR}})`,
        unit: 'percentunit',
        decimals: 1,
        steps: warnAbove(0.8, 1),
      },
    },
    sortBy: ['Share', true],
  }),
  table({
    title: 'Cost by product type',
    description: `Average cost of a day, and the value of the bytes that are left, at the prices of the configuration. ${UNIT}`,
    width: 12,
    height: 6,
    labels: { account: 'Account', product_type: 'Type', currency: 'Currency' },
    columns: {
      'Cost a day': { expr: perType('burn_per_day'), unit: 'none', decimals: 2 },
      'Value left': { expr: perType('balance_value'), unit: 'none', decimals: 2 },
      'Price of 1 GB': {
        expr: `max by (account, product_type, currency) (proxywatch_price_per_byte{${ACCOUNT_SELECTOR}}) * 1e9`,
        unit: 'none',
        decimals: 2,
      },
    },
    sortBy: ['Cost a day', true],
  }),
];

const overTime = [
  bars({
    title: 'Cost per hour by product type',
    description: `Cost of the bytes that were read in each hour, at the price of that time. ${UNIT}`,
    unit: 'none',
    width: 12,
    queries: {
      '{{account}} {{product_type}} {{currency}}': `sum by (account, product_type, currency) (increase(proxywatch_cost_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Spent this month',
    description: `Cost of the month so far, and its budget. ${UNIT}`,
    unit: 'none',
    width: 12,
    queries: {
      'spent {{account}} {{currency}}': spend('month'),
      'budget {{account}} {{currency}}': budget('month'),
    },
  }),
];

const names = [
  table({
    title: 'Cost by proxy user',
    description: `Charged bytes in the time range, at the price of now. All users that are not among the top ones are “other”. ${UNIT}`,
    width: 12,
    labels: { account: 'Account', proxy_user_id: 'User', currency: 'Currency' },
    statusPage: ['proxy_user_id'],
    columns: {
      Cost: {
        expr: costOf('proxy_user_id', 'proxywatch_user_charged_bytes_total'),
        unit: 'none',
        decimals: 2,
      },
    },
    sortBy: ['Cost', true],
  }),
  table({
    title: 'Cost by host name',
    description: `Charged bytes in the time range, at the price of now. All host names that are not among the top ones are “other”. ${UNIT}`,
    width: 12,
    labels: { account: 'Account', hostname: 'Host name', currency: 'Currency' },
    columns: {
      Cost: {
        expr: costOf('hostname', 'proxywatch_hostname_charged_bytes_total'),
        unit: 'none',
        decimals: 2,
      },
    },
    sortBy: ['Cost', true],
  }),
];

export const money = dashboard({
  uid: 'proxywatch-money',
  title: 'proxywatch / Money',
  description:
    'Cost of residential and mobile bytes by product type, proxy user and host name, budgets, and the value of the balance.',
  range: '7d',
  refresh: '5m',
  variables: [account(), limit()],
  rows: [
    { title: 'Current state', panels: now },
    { title: 'Over time', panels: overTime },
    { title: 'Where the money goes', panels: names },
  ],
});

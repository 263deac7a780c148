// Builds the Quotas and ledger dashboard: users that run out of bytes, and the ledgers.

import { dashboard } from '../dashboard.ts';
import {
  ACCOUNT_SELECTOR,
  byUser,
  firstToRunOut,
  metricOfUsers,
  nearestToLimit,
  toMillis,
  USER_LABELS,
} from '../expressions.ts';
import { redAbove, type Steps, warnAbove, warnBelow } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';
import { graph } from '../time-series.ts';
import { account, choice, limit } from '../variables.ts';
import { ledgerRows } from './ledger.ts';
import { usageRow } from './usage.ts';

const DAY_S = 86_400;
const QUOTA_SELECTOR = 'account=~"$account", product_type=~"$product_type"';

const quotasIn = (states: string, title: string, description: string, steps: Steps) =>
  stat({
    title,
    description,
    unit: 'short',
    width: 8,
    height: 3,
    steps,
    queries: { [states]: `sum(proxywatch_proxy_users_by_quota{${QUOTA_SELECTOR}, state=~"${states}"})` },
  });

const now = [
  quotasIn('exhausted', 'Exhausted quotas', 'Number of quotas with no bytes left.', redAbove(1)),
  quotasIn(
    'soon',
    'Quotas near exhaustion',
    'Number of quotas with a forecast of exhaustion within three days.',
    warnAbove(1, 10),
  ),
  quotasIn('low', 'Low quotas', 'Number of quotas with less than 10% of their bytes left.', warnAbove(1, 10)),
  quotasIn('ok|unlimited', 'Other quotas', 'Number of quotas with the status `ok` or `unlimited`.', [
    [null, 'green'],
  ]),
  stat({
    title: 'Residential balance',
    description: 'Added bytes minus used bytes of the whole ledger, summed over the selected accounts.',
    unit: 'decbytes',
    width: 8,
    height: 3,
    queries: { balance: `sum(proxywatch_residential_balance_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Time until exhaustion',
    description:
      'Time until the forecast expects the first residential balance to be used up. There is no forecast while the accounts use no residential bytes.',
    unit: 's',
    width: 8,
    height: 3,
    steps: warnBelow(3 * DAY_S, 7 * DAY_S),
    noValue: 'no forecast',
    queries: {
      forecast: `min(proxywatch_residential_balance_exhaustion_timestamp_seconds{${ACCOUNT_SELECTOR}}) - time()`,
    },
  }),
];

const NEAREST = nearestToLimit(QUOTA_SELECTOR, '$limit');
const FIRST_TO_RUN_OUT = firstToRunOut(QUOTA_SELECTOR, '$limit');

const users = [
  table({
    title: 'Users nearest to their limit',
    description: 'Quotas with the smallest share of bytes left. Exhausted quotas come first.',
    width: 12,
    height: 11,
    labels: USER_LABELS,
    statusPage: ['proxy_user_id'],
    columns: {
      'Share left': { expr: NEAREST, unit: 'percentunit', decimals: 1, steps: warnBelow(0.001, 0.1) },
      Left: { expr: metricOfUsers('left_bytes', QUOTA_SELECTOR, NEAREST), unit: 'decbytes' },
      Limit: { expr: metricOfUsers('limit_bytes', QUOTA_SELECTOR, NEAREST), unit: 'decbytes' },
      Exhaustion: {
        expr: toMillis(metricOfUsers('exhaustion_timestamp_seconds', QUOTA_SELECTOR, NEAREST)),
        unit: 'dateTimeFromNow',
      },
    },
    sortBy: ['Share left', false],
  }),
  table({
    title: 'Users with the earliest exhaustion',
    description:
      'Users with the earliest exhaustion of their quota, according to the forecast. Users that use no bytes have no forecast.',
    width: 12,
    height: 11,
    labels: USER_LABELS,
    statusPage: ['proxy_user_id'],
    columns: {
      Exhaustion: { expr: toMillis(byUser(FIRST_TO_RUN_OUT)), unit: 'dateTimeFromNow' },
      'Exhaustion date': { expr: toMillis(byUser(FIRST_TO_RUN_OUT)), unit: 'dateTimeAsIso' },
      Used: { expr: metricOfUsers('used_bytes', QUOTA_SELECTOR, FIRST_TO_RUN_OUT), unit: 'decbytes' },
      Left: { expr: metricOfUsers('left_bytes', QUOTA_SELECTOR, FIRST_TO_RUN_OUT), unit: 'decbytes' },
    },
    sortBy: ['Exhaustion date', false],
  }),
  graph({
    title: 'Quotas by state',
    description:
      'Number of quotas of all users that are not deleted, by quota status. The panel includes users without their own series.',
    unit: 'short',
    width: 8,
    stacked: true,
    queries: {
      '{{product_type}} {{state}}': `sum by (product_type, state) (proxywatch_proxy_users_by_quota{${QUOTA_SELECTOR}})`,
    },
  }),
  table({
    title: 'Users with the most use in 24 hours',
    description:
      'Users with the most used bytes, among the users with their own series. The setting `proxy_users.select` chooses these users. Resets and corrections do not lower the number of used bytes.',
    width: 8,
    labels: USER_LABELS,
    statusPage: ['proxy_user_id'],
    columns: {
      Used: {
        expr: byUser(
          `topk($limit, increase(proxywatch_proxy_user_usage_bytes_total{${QUOTA_SELECTOR}}[1d]))`,
        ),
        unit: 'decbytes',
      },
    },
    sortBy: ['Used', true],
  }),
  table({
    title: 'Users by kind',
    description:
      'Number of users by kind. The column Strict counts the users with their own series that have strict security.',
    width: 8,
    labels: { account: 'Account', access_type: 'Access', is_deleted: 'Deleted' },
    columns: {
      Users: {
        expr: `sum by (account, access_type, is_deleted) (proxywatch_proxy_users{${ACCOUNT_SELECTOR}})`,
        unit: 'short',
      },
      Strict: {
        expr: `count by (account, access_type, is_deleted) (proxywatch_proxy_user_info{${ACCOUNT_SELECTOR}, strict_security="true"})`,
        unit: 'short',
      },
    },
    sortBy: ['Users', true],
  }),
];

export const quotas = dashboard({
  uid: 'proxywatch-quotas',
  title: 'proxywatch / Quotas and ledger',
  description:
    'Limits and used bytes of proxy users, the residential and the mobile balance and ledger, and forecasts of exhaustion.',
  range: '7d',
  refresh: '5m',
  variables: [
    account(),
    choice('product_type', 'Product type', 'proxywatch_proxy_users_by_quota{account=~"$account"}'),
    limit(),
  ],
  rows: [
    { title: 'Current state', panels: now },
    { title: 'Proxy users', panels: users },
    ...ledgerRows('residential'),
    ...ledgerRows('mobile'),
    usageRow,
  ],
});

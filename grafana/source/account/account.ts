// Builds the Account dashboard: services, stock and quotes, proxies, reconciliation and geography.

import { BigValueTextMode } from '@grafana/grafana-foundation-sdk/common';
import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, inCurrency } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { account, choice, limit } from '../variables.ts';
import { quoteRow, stockRow } from './market.ts';
import { geographyRow, inventoryRow, reconciliationRow } from './places.ts';
import { serviceRow } from './services.ts';

const now = [
  stat({
    title: 'Services',
    description: 'Number of purchased services that proxywatch knows, in all statuses.',
    unit: 'short',
    width: 8,
    height: 3,
    queries: { services: `count(proxywatch_service_info{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Inactive services',
    description: 'Number of services with a status other than active or complete.',
    unit: 'short',
    width: 8,
    height: 3,
    steps: warnAbove(1, 5),
    queries: {
      services: `count(proxywatch_service_info{${ACCOUNT_SELECTOR}, status!~"active|complete"}) or on () count(proxywatch_service_info{${ACCOUNT_SELECTOR}}) * 0`,
    },
  }),
  stat({
    title: 'Time until the next expiry',
    description: 'Time until the next end of a billing cycle, over all services.',
    unit: 's',
    width: 8,
    height: 3,
    noValue: 'none',
    queries: {
      expiry: `min(proxywatch_service_expiry_timestamp_seconds{${ACCOUNT_SELECTOR}} - time() > 0)`,
    },
  }),
  stat({
    title: 'Proxies',
    description: 'Number of proxies of all types in the last counted listing.',
    unit: 'short',
    width: 8,
    height: 3,
    queries: { proxies: `sum(proxywatch_proxies{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Credit',
    description: 'Credit of each account, in the currency of its setting `currency`.',
    unit: 'none',
    decimals: 2,
    width: 8,
    height: 3,
    queries: {
      '{{account}} {{currency}}': inCurrency(
        `max by (account) (proxywatch_credit_balance{${ACCOUNT_SELECTOR}})`,
      ),
    },
  }),
  stat({
    title: 'Customer',
    description: "The provider's customer id of each account.",
    unit: 'string',
    width: 8,
    height: 3,
    queries: {
      '{{account}}: {{customer_id}}': `max by (account, customer_id) (proxywatch_account_info{${ACCOUNT_SELECTOR}})`,
    },
  }).textMode(BigValueTextMode.Name),
];

export const accountDashboard = dashboard({
  uid: 'proxywatch-account',
  title: 'proxywatch / Account',
  description:
    'Services and their terms, stock, quotes, proxies and their changes, reconciliation, and geography.',
  range: '7d',
  refresh: '5m',
  variables: [
    account(),
    choice('service_id', 'Service', 'proxywatch_service_info{account=~"$account"}'),
    limit(),
  ],
  rows: [
    { title: 'Current state', panels: now },
    serviceRow,
    stockRow,
    quoteRow,
    inventoryRow,
    reconciliationRow,
    geographyRow,
  ],
});

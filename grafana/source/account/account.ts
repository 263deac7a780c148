// Builds the Account dashboard: services, stock and quotes, proxies, reconciliation and geography.

import { BigValueTextMode } from '@grafana/grafana-foundation-sdk/common';
import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { account, choice, limit } from '../variables.ts';
import { quoteRow, stockRow } from './market.ts';
import { geographyRow, inventoryRow, reconciliationRow } from './places.ts';
import { serviceRow } from './services.ts';

const now = [
  stat({
    title: 'Services',
    description: 'Purchased services that are known, whatever their status.',
    unit: 'short',
    width: 4,
    queries: { services: `count(proxywatch_service_info{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Not active',
    description: 'Services with another status than active or complete.',
    unit: 'short',
    width: 4,
    steps: warnAbove(1, 5),
    queries: {
      services: `count(proxywatch_service_info{${ACCOUNT_SELECTOR}, status!~"active|complete"}) or count(proxywatch_service_info{${ACCOUNT_SELECTOR}}) * 0`,
    },
  }),
  stat({
    title: 'Next expiry',
    description: 'Until the first billing cycle of a service ends that has not ended yet.',
    unit: 's',
    width: 4,
    noValue: 'none',
    queries: {
      expiry: `min(proxywatch_service_expiry_timestamp_seconds{${ACCOUNT_SELECTOR}} - time() > 0)`,
    },
  }),
  stat({
    title: 'Proxies',
    description: 'Of all kinds, as of the last complete listing.',
    unit: 'short',
    width: 4,
    queries: { proxies: `sum(proxywatch_proxies{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Credit',
    description: "In the provider's currency: its money is in cents by its documentation.",
    unit: 'none',
    decimals: 2,
    width: 4,
    queries: { '{{account}}': `max by (account) (proxywatch_credit_balance{${ACCOUNT_SELECTOR}}) / 100` },
  }),
  stat({
    title: 'Customer',
    description: "The provider's customer behind each account.",
    unit: 'string',
    width: 4,
    queries: {
      '{{account}}: {{customer_id}}': `max by (account, customer_id) (proxywatch_account_info{${ACCOUNT_SELECTOR}})`,
    },
  }).textMode(BigValueTextMode.Name),
];

export const accountDashboard = dashboard({
  uid: 'proxywatch-account',
  title: 'proxywatch / Account',
  description:
    'Services and their terms, stock and quotes, proxies and their changes, geography, reconciliation.',
  range: '7d',
  refresh: '5m',
  variables: [
    account(),
    choice('service_id', 'Service', 'proxywatch_service_info{account=~"$account"}'),
    limit(),
  ],
  rows: [
    { title: 'Now', panels: now },
    serviceRow,
    stockRow,
    quoteRow,
    inventoryRow,
    reconciliationRow,
    geographyRow,
  ],
});

// Builds the rows about a ledger: balances with forecasts, and bytes used and added by reason.

import type { MeteredType } from '../../../src/lib/product-types.ts';
import { balanceColumns } from '../balance-columns.ts';
import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, toMillis } from '../expressions.ts';
import { table } from '../table.ts';
import { bars, graph } from '../time-series.ts';

const increase = (type: MeteredType, name: string): string =>
  `sum by (reason) (increase(proxywatch_${type}_ledger_${name}_total{${ACCOUNT_SELECTOR}}[$__interval]))`;
const byReason = (type: MeteredType, name: string): string =>
  `sum by (account, reason) (increase(proxywatch_${type}_ledger_${name}_total{${ACCOUNT_SELECTOR}}[$__range]))`;

const titleOf = (type: MeteredType): string => (type === 'mobile' ? 'Mobile' : 'Residential');

const balance = (type: MeteredType): Row => ({
  title: `${titleOf(type)} balance`,
  panels: [
    graph({
      title: 'Balance',
      description: 'Added bytes minus used bytes of the whole ledger.',
      unit: 'decbytes',
      width: 8,
      queries: {
        '{{account}}': `sum by (account) (proxywatch_${type}_balance_bytes{${ACCOUNT_SELECTOR}})`,
      },
    }),
    table({
      title: 'Exhaustion of the balance',
      description: `Time at which the forecast expects the balance to be used up. There is no forecast while the account uses no ${type} bytes, or on the first day of history.`,
      width: 8,
      labels: { account: 'Account' },
      columns: balanceColumns(type),
    }),
    table({
      title: 'Balances by service',
      description: 'Balances of the services in the ledger. The lowest balance comes first.',
      width: 8,
      labels: { account: 'Account', service_id: 'Service' },
      statusPage: ['service_id'],
      columns: {
        Balance: {
          expr: `bottomk($limit, sum by (account, service_id) (proxywatch_${type}_service_balance_bytes{${ACCOUNT_SELECTOR}}))`,
          unit: 'decbytes',
        },
        Exhaustion: {
          expr: toMillis(
            `bottomk($limit, min by (account, service_id) (proxywatch_${type}_service_balance_exhaustion_timestamp_seconds{${ACCOUNT_SELECTOR}}))`,
          ),
          unit: 'dateTimeFromNow',
        },
      },
      sortBy: ['Balance', false],
    }),
  ],
});

const ledger = (type: MeteredType): Row => ({
  title: type === 'residential' ? 'Ledger' : `${titleOf(type)} ledger`,
  panels: [
    bars({
      title: 'Used bytes per hour by reason',
      description:
        'Growth of the used bytes in the ledger. The provider changes the rows of a day during that day.',
      unit: 'decbytes',
      width: 8,
      queries: { '{{reason}}': increase(type, 'used_bytes') },
    }),
    bars({
      title: 'Added bytes per hour by reason',
      description: 'Bytes that you bought, and bytes that an adjustment gave back.',
      unit: 'decbytes',
      width: 8,
      queries: { '{{reason}}': increase(type, 'added_bytes') },
    }),
    bars({
      title: 'Requests per hour by reason',
      description: 'Number of requests in the rows of the ledger.',
      unit: 'short',
      width: 8,
      queries: { '{{reason}}': increase(type, 'requests') },
    }),
    table({
      title: 'Ledger in the time range by reason',
      description:
        'Growth of used bytes, added bytes and requests in the time range. The columns with entries and withheld bytes show the current values.',
      width: 24,
      labels: { account: 'Account', reason: 'Reason' },
      columns: {
        Used: { expr: byReason(type, 'used_bytes'), unit: 'decbytes' },
        Added: { expr: byReason(type, 'added_bytes'), unit: 'decbytes' },
        Requests: { expr: byReason(type, 'requests'), unit: 'short', decimals: 0 },
        Entries: {
          expr: `sum by (account, reason) (proxywatch_${type}_ledger_entries{${ACCOUNT_SELECTOR}})`,
          unit: 'short',
        },
        ...Object.fromEntries(
          ['used', 'added'].map((direction) => [
            `Withheld ${direction} bytes`,
            {
              expr: `sum by (account, reason) (proxywatch_${type}_ledger_withheld_bytes{${ACCOUNT_SELECTOR}, direction="${direction}"})`,
              unit: 'decbytes',
            },
          ]),
        ),
      },
      sortBy: ['Used', true],
    }),
  ],
});

export const ledgerRows = (type: MeteredType): Row[] => [balance(type), ledger(type)];

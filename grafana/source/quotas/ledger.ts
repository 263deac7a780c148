// Builds the rows about the residential ledger: balances with forecasts, and bytes used and added by reason.

import { BALANCE_COLUMNS } from '../balance-columns.ts';
import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, toMillis } from '../expressions.ts';
import { bars, graph } from '../graph.ts';
import { table } from '../table.ts';

const increase = (name: string): string =>
  `sum by (reason) (increase(proxywatch_residential_ledger_${name}_total{${ACCOUNT_SELECTOR}}[$__interval]))`;
const byReason = (name: string): string =>
  `sum by (account, reason) (increase(proxywatch_residential_ledger_${name}_total{${ACCOUNT_SELECTOR}}[$__range]))`;

const balance: Row = {
  title: 'Residential balance',
  panels: [
    graph({
      title: 'Balance',
      description: 'Bytes added minus bytes used over the whole ledger.',
      unit: 'decbytes',
      width: 8,
      queries: {
        '{{account}}': `sum by (account) (proxywatch_residential_balance_bytes{${ACCOUNT_SELECTOR}})`,
      },
    }),
    table({
      title: 'Balance runs out',
      description:
        'As forecast from the rhythm of use; absent while nothing is used, and before a day of history.',
      width: 8,
      labels: { account: 'Account' },
      columns: {
        ...BALANCE_COLUMNS,
      },
    }),
    table({
      title: 'Services',
      description: 'What is left of the services that rows of the ledger name; those that run out first.',
      width: 8,
      labels: { account: 'Account', service_id: 'Service' },
      columns: {
        Balance: {
          expr: `bottomk($limit, sum by (account, service_id) (proxywatch_residential_service_balance_bytes{${ACCOUNT_SELECTOR}}))`,
          unit: 'decbytes',
        },
        'Runs out': {
          expr: toMillis(
            `bottomk($limit, min by (account, service_id) (proxywatch_residential_service_balance_exhaustion_timestamp_seconds{${ACCOUNT_SELECTOR}}))`,
          ),
          unit: 'dateTimeFromNow',
        },
      },
      sortBy: ['Balance', false],
    }),
  ],
};

const ledger: Row = {
  title: 'Ledger',
  panels: [
    bars({
      title: 'Used an hour by reason',
      description: 'Growth of what the ledger has as used. The provider edits its rows during the day.',
      unit: 'decbytes',
      width: 8,
      queries: { '{{reason}}': increase('used_bytes') },
    }),
    bars({
      title: 'Added an hour by reason',
      description: 'Bytes that were bought, or given back by an adjustment.',
      unit: 'decbytes',
      width: 8,
      queries: { '{{reason}}': increase('added_bytes') },
    }),
    bars({
      title: 'Requests an hour by reason',
      description: 'Requests that the rows of the ledger name.',
      unit: 'short',
      width: 8,
      queries: { '{{reason}}': increase('requests') },
    }),
    table({
      title: 'Ledger over the range by reason',
      description: 'Growth over the time range; entries and what is withheld are those of now.',
      width: 24,
      labels: { account: 'Account', reason: 'Reason' },
      columns: {
        Used: { expr: byReason('used_bytes'), unit: 'decbytes' },
        Added: { expr: byReason('added_bytes'), unit: 'decbytes' },
        Requests: { expr: byReason('requests'), unit: 'short', decimals: 0 },
        Entries: {
          expr: `sum by (account, reason) (proxywatch_residential_ledger_entries{${ACCOUNT_SELECTOR}})`,
          unit: 'short',
        },
        ...Object.fromEntries(
          ['used', 'added'].map((direction) => [
            `Withheld of ${direction}`,
            {
              expr: `sum by (account, reason) (proxywatch_residential_ledger_withheld_bytes{${ACCOUNT_SELECTOR}, direction="${direction}"})`,
              unit: 'decbytes',
            },
          ]),
        ),
      },
      sortBy: ['Used', true],
    }),
  ],
};

export const ledgerRows: readonly Row[] = [balance, ledger];

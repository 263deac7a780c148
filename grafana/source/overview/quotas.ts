// Builds the Overview dashboard's row about quotas and residential balances that run out.

import { BALANCE_COLUMNS } from '../balance-columns.ts';
import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, nearestToLimit, USER_LABELS, usersInStates } from '../expressions.ts';
import { graph } from '../graph.ts';
import { warnBelow } from '../panel.ts';
import { table } from '../table.ts';

export const quotaRow: Row = {
  title: 'What runs out',
  panels: [
    graph({
      title: 'Quotas that run out',
      description: 'Quotas of proxy users by state: used up, less than 10 % left, used up within three days.',
      unit: 'short',
      width: 8,
      stacked: true,
      queries: { '{{state}}': usersInStates('exhausted|low|soon', 'state') },
    }),
    table({
      title: 'Users nearest to their limit',
      description: 'The ten quotas with the smallest part left.',
      width: 8,
      labels: USER_LABELS,
      linkedDashboard: 'proxywatch-quotas',
      columns: {
        Left: {
          expr: nearestToLimit(ACCOUNT_SELECTOR, '10'),
          unit: 'percentunit',
          steps: warnBelow(0.001, 0.1),
        },
      },
      sortBy: ['Left', false],
    }),
    table({
      title: 'Residential balances',
      description: 'What is left of the bytes that were bought, and when it will be used up as forecast.',
      width: 8,
      labels: { account: 'Account' },
      linkedDashboard: 'proxywatch-quotas',
      columns: {
        ...BALANCE_COLUMNS,
      },
      sortBy: ['Runs out', false],
    }),
  ],
};

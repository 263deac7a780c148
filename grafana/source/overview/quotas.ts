// Builds the Overview dashboard's row about quotas and residential balances that run out.

import { balanceColumns } from '../balance-columns.ts';
import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, nearestToLimit, USER_LABELS, usersInStates } from '../expressions.ts';
import { warnBelow } from '../panel.ts';
import { table } from '../table.ts';
import { graph } from '../time-series.ts';

export const quotaRow: Row = {
  title: 'Low quotas and balances',
  panels: [
    graph({
      title: 'Low quotas by state',
      description:
        'Number of quotas that are exhausted, have less than 10% of their bytes left, or have a forecast of exhaustion within three days.',
      unit: 'short',
      width: 8,
      stacked: true,
      queries: { '{{state}}': usersInStates('exhausted|low|soon', 'state') },
    }),
    table({
      title: 'Users nearest to their limit',
      description:
        'The ten quotas with the smallest share of bytes left. The name of an account links to the Quotas dashboard of the account.',
      width: 8,
      labels: USER_LABELS,
      statusPage: ['proxy_user_id'],
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
      description:
        'Residential bytes that each account has left, and the time at which the forecast expects exhaustion.',
      width: 8,
      labels: { account: 'Account' },
      linkedDashboard: 'proxywatch-quotas',
      columns: {
        ...balanceColumns('residential'),
      },
      sortBy: ['Exhaustion', false],
    }),
  ],
};

// Columns of a table by account: what is left of the residential bytes, and until when.

import { OF_ACCOUNT, toMillis } from './expressions.ts';

export const BALANCE_COLUMNS = {
  Balance: {
    expr: `sum by (account) (proxywatch_residential_balance_bytes{${OF_ACCOUNT}})`,
    unit: 'decbytes',
  },
  'Runs out': {
    expr: toMillis(
      `min by (account) (proxywatch_residential_balance_exhaustion_timestamp_seconds{${OF_ACCOUNT}})`,
    ),
    unit: 'dateTimeFromNow',
  },
} as const;

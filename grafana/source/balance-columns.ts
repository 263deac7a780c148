// Defines table columns with each account's residential balance and its forecast.

import { ACCOUNT_SELECTOR, toMillis } from './expressions.ts';

export const BALANCE_COLUMNS = {
  Balance: {
    expr: `sum by (account) (proxywatch_residential_balance_bytes{${ACCOUNT_SELECTOR}})`,
    unit: 'decbytes',
  },
  Exhaustion: {
    expr: toMillis(
      `min by (account) (proxywatch_residential_balance_exhaustion_timestamp_seconds{${ACCOUNT_SELECTOR}})`,
    ),
    unit: 'dateTimeFromNow',
  },
} as const;

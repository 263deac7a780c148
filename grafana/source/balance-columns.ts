// Defines table columns with each account's balance of a product type and its forecast.

import type { MeteredType } from '../../src/lib/product-types.ts';
import { ACCOUNT_SELECTOR, toMillis } from './expressions.ts';

export const balanceColumns = (type: MeteredType) =>
  ({
    Balance: {
      expr: `sum by (account) (proxywatch_${type}_balance_bytes{${ACCOUNT_SELECTOR}})`,
      unit: 'decbytes',
    },
    Exhaustion: {
      expr: toMillis(
        `min by (account) (proxywatch_${type}_balance_exhaustion_timestamp_seconds{${ACCOUNT_SELECTOR}})`,
      ),
      unit: 'dateTimeFromNow',
    },
  }) as const;

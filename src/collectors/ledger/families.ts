// Defines the metric families of a ledger, whose names begin with its product type.

import { counter, gauge } from '../../lib/family.ts';
import type { MeteredType } from '../../lib/product-types.ts';

const REASON = ['reason'] as const;

const FORECAST =
  'in seconds since the epoch. The series is missing if the account uses almost no bytes, if no bytes are left, and on the first day of history.';

export const familiesOf = (type: MeteredType) => {
  const [prefix, source] = [`proxywatch_${type}`, `polled from ${type}_ledger/search.`];
  const balance = `${type[0]?.toUpperCase()}${type.slice(1)} balance`;
  return {
    added: counter(
      `${prefix}_ledger_added_bytes_total`,
      `Number of bytes added since the baseline, ${source}`,
      REASON,
    ),
    used: counter(
      `${prefix}_ledger_used_bytes_total`,
      `Number of bytes used or deducted since the baseline, ${source}`,
      REASON,
    ),
    requests: counter(
      `${prefix}_ledger_requests_total`,
      `Number of requests since the baseline, ${source} The series is missing if no row contains a number of requests.`,
      REASON,
    ),
    entries: gauge(
      `${prefix}_ledger_entries`,
      `Number of rows in the ledger, ${source} The series is missing before the first counted listing.`,
      REASON,
    ),
    withheld: gauge(
      `${prefix}_ledger_withheld_bytes`,
      'Number of bytes that the counter of the direction (added or used) contains although the provider has corrected them downward. The true total is the counter minus this value. The value is below 0 only while a new counter still shows 0.',
      ['reason', 'direction'],
    ),
    balance: gauge(
      `${prefix}_balance_bytes`,
      `${balance} in bytes, as added bytes minus used bytes of the whole ledger, ${source} The series is missing before the first complete listing.`,
      [],
    ),
    serviceBalance: gauge(
      `${prefix}_service_balance_bytes`,
      `${balance} of the service in bytes, as added bytes minus used bytes of the rows that name the service, ${source}`,
      ['service_id'],
    ),
    exhaustion: gauge(
      `${prefix}_balance_exhaustion_timestamp_seconds`,
      `Time at which the forecast expects the balance to be used up, ${FORECAST}`,
      [],
    ),
    serviceExhaustion: gauge(
      `${prefix}_service_balance_exhaustion_timestamp_seconds`,
      `Time at which the forecast expects the balance of the service to be used up, ${FORECAST}`,
      ['service_id'],
    ),
    addedIn30Days: gauge(
      `${prefix}_ledger_added_30d_bytes`,
      `Number of bytes added in the last 30 days, ${source}`,
      [],
    ),
    usedIn7Days: gauge(
      `${prefix}_ledger_used_7d_bytes`,
      `Number of bytes used in the last 7 days by rows with a reason from the setting usage_reasons, ${source}`,
      [],
    ),
  } as const;
};
export type LedgerFamilies = ReturnType<typeof familiesOf>;

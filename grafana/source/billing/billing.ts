// Builds the dashboard Billing history: days and months of the history that is sent by remote write.

import { dashboard } from '../dashboard.ts';
import { choice } from '../variables.ts';
import { corrections, days } from './days.ts';
import { monthsRow } from './months.ts';

export const billing = dashboard({
  uid: 'proxywatch-billing',
  title: 'proxywatch / Billing history',
  description:
    'Bytes by day and by month of the provider’s calendar. The data source must receive the history by remote write.',
  range: '90d',
  refresh: '30m',
  timezone: 'utc',
  variables: [choice('account', 'Account', 'proxywatch_history_traffic_bytes')],
  rows: [monthsRow, days, corrections],
});

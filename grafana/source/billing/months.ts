// Builds the panels about months: this month against the last one, and the sums of all months.

import type { MeteredType } from '../../../src/lib/product-types.ts';
import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';
import { lastMonth, lastMonthToDate, months, monthToDate } from './calendar.ts';

const TRAFFIC = `proxywatch_history_traffic_bytes{${ACCOUNT_SELECTOR}}`;
const usedBytes = (type: MeteredType) => ({
  expr: `sum by (account, month) (${months(`proxywatch_history_${type}_ledger_used_bytes{${ACCOUNT_SELECTOR}}`)})`,
  unit: 'decbytes',
});

const number = (title: string, description: string, expr: string, unit = 'decbytes') =>
  stat({ title, description, unit, width: 6, noValue: 'no history', queries: { [title]: expr } });

export const monthsRow: Row = {
  title: 'Months',
  panels: [
    number(
      'Month to date',
      'Transferred bytes of this month (UTC) so far, summed over the selected accounts. The newest two or three hours are missing, because they can still change.',
      `sum(${monthToDate(TRAFFIC)})`,
    ),
    number(
      'Last month to the same hour',
      'Transferred bytes of the last month up to the same hour of the same day. On a day that the last month does not have, the number is the sum of the whole last month.',
      `sum(${lastMonthToDate(TRAFFIC)})`,
    ),
    number(
      'Change',
      'Growth of the month to date against the last month to the same hour. A negative value means fewer bytes.',
      `sum(${monthToDate(TRAFFIC)}) / on () sum(${lastMonthToDate(TRAFFIC)}) - 1`,
      'percentunit',
    ),
    number(
      'Last month',
      'Transferred bytes of the whole last month, summed over the selected accounts.',
      `sum(${lastMonth(TRAFFIC)})`,
    ),
    table({
      title: 'Months of the last year',
      description:
        'Bytes of each month (UTC) of the last 400 days. The oldest month can have less than the provider counted, if the history that was sent began later.',
      width: 24,
      height: 10,
      labels: { account: 'Account', month: 'Month' },
      columns: {
        Bytes: { expr: `sum by (account, month) (${months(TRAFFIC)})`, unit: 'decbytes' },
        'Used residential bytes': usedBytes('residential'),
        'Used mobile bytes': usedBytes('mobile'),
      },
      sortBy: ['Month', true],
    }),
  ],
};

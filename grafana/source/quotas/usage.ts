// Builds the row about what is charged: by product type, proxy user and host name.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { table } from '../table.ts';
import { bars } from '../time-series.ts';

const increase = (by: string, name: string): string =>
  `sum by (${by}) (increase(proxywatch_${name}_total{${ACCOUNT_SELECTOR}}[$__range]))`;

const top = (by: string, name: string): string => `topk($limit, ${increase(by, name)})`;

export const usageRow: Row = {
  title: 'Charged bytes',
  panels: [
    bars({
      title: 'Charged bytes per hour by product type',
      description:
        'Growth of the bytes that the provider charges. It writes the rows of a day during that day, and can correct them later.',
      unit: 'decbytes',
      width: 8,
      queries: {
        '{{product_type}}': `sum by (product_type) (increase(proxywatch_charged_bytes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
        'corrected downward, {{product_type}}': `sum by (product_type) (proxywatch_charged_withheld_bytes{${ACCOUNT_SELECTOR}}) > 0`,
      },
    }),
    table({
      title: 'Charged bytes by proxy user',
      description: 'Charged bytes in the time range. All users that are not among the top ones are “other”.',
      width: 8,
      labels: { account: 'Account', proxy_user_id: 'User' },
      statusPage: ['proxy_user_id'],
      columns: {
        Charged: { expr: top('account, proxy_user_id', 'user_charged_bytes'), unit: 'decbytes' },
      },
      sortBy: ['Charged', true],
    }),
    table({
      title: 'Charged bytes by host name',
      description:
        'Charged and total bytes, and requests, in the time range. All host names that are not among the top ones are “other”.',
      width: 8,
      labels: { account: 'Account', hostname: 'Host name' },
      columns: {
        Charged: { expr: top('account, hostname', 'hostname_charged_bytes'), unit: 'decbytes' },
        Bytes: { expr: top('account, hostname', 'hostname_bytes'), unit: 'decbytes' },
        Requests: { expr: top('account, hostname', 'hostname_requests'), unit: 'short', decimals: 0 },
      },
      sortBy: ['Charged', true],
    }),
  ],
};

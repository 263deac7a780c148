// Builds the Proxy user dashboard's numbers: limit, used and left bytes, pace and forecast by product type.

import type { PanelOptions } from '../panel.ts';
import { warnBelow } from '../panel.ts';
import { stat } from '../stat.ts';

const DAY_S = 86_400;

/** Without a chosen user, nothing matches: an empty id would match the series of everything else. */
export const USER = 'account=~"$account", proxy_user_id="$proxy_user_id", proxy_user_id!=""';

export const metric = (name: string): string =>
  `max by (account, product_type) (proxywatch_proxy_user_${name}{${USER}})`;

/** The bytes that the user used in each interval. Resets of the provider do not lower the counter. */
export const used = (interval: string): string =>
  `max by (account, product_type) (increase(proxywatch_proxy_user_usage_bytes_total{${USER}}[${interval}]))`;

export const SHARE_LEFT = `${metric('left_bytes')} / on (account, product_type) (${metric('limit_bytes')} > 0)`;

const number = (expression: string, options: Omit<PanelOptions, 'width'>) =>
  stat({ ...options, width: 4, height: 5, queries: { '{{product_type}}': expression } });

export const now = [
  number(metric('limit_bytes'), {
    title: 'Limit',
    description: 'Quota of the user. There is no value if the user has no limit.',
    unit: 'decbytes',
    noValue: 'no known limit',
  }),
  number(metric('used_bytes'), {
    title: 'Used',
    description: "Bytes used since the provider's last reset.",
    unit: 'decbytes',
    noValue: 'unknown',
  }),
  number(metric('left_bytes'), {
    title: 'Left',
    description: 'Limit minus used bytes. There is no value if the user has no limit.',
    unit: 'decbytes',
    noValue: 'no known limit',
  }),
  number(SHARE_LEFT, {
    title: 'Share left',
    description: 'Share of the limit that is left. There is no value if the user has no limit.',
    unit: 'percentunit',
    decimals: 1,
    steps: warnBelow(0.001, 0.1),
    noValue: 'no known limit',
  }),
  number(used('1d'), {
    title: 'Used in 24 h',
    description: 'Bytes used in the last 24 hours.',
    unit: 'decbytes',
    noValue: 'unknown',
  }),
  number(`${metric('exhaustion_timestamp_seconds')} - time()`, {
    title: 'Forecast',
    description:
      'Time until the forecast expects the quota to be used up. There is no forecast if the user has no limit, uses almost no bytes, or has no bytes left.',
    unit: 's',
    steps: warnBelow(3 * DAY_S, 7 * DAY_S),
    noValue: 'no forecast',
  }),
];

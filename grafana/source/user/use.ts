// Builds the Proxy user dashboard's row about use over time.

import type { Row } from '../dashboard.ts';
import { bars, graph } from '../time-series.ts';
import { metric, SHARE_LEFT, used } from './now.ts';

const NO_SERIES = 'no series for this user';
const NO_LIMIT = 'no known limit';

export const useRow: Row = {
  title: 'Use',
  panels: [
    graph({
      title: 'Used bytes and limit',
      description: "Bytes used since the provider's last reset, and the limit.",
      unit: 'decbytes',
      width: 12,
      noValue: NO_SERIES,
      queries: {
        '{{product_type}} used': metric('used_bytes'),
        '{{product_type}} limit': metric('limit_bytes'),
      },
    }),
    bars({
      title: 'Used bytes per hour',
      description:
        'Bytes used in each hour. In a long time range, each bar stands for more than an hour. Bytes that the provider reports late appear at the time when proxywatch read them.',
      unit: 'decbytes',
      width: 12,
      noValue: NO_SERIES,
      queries: { '{{product_type}}': used('$__interval') },
    }),
    graph({
      title: 'Share left',
      description:
        'Share of the limit that is left. The dashed line is the threshold of the alert ProxyUserQuotaLow.',
      unit: 'percentunit',
      width: 12,
      alert: 'ProxyUserQuotaLow',
      noValue: NO_LIMIT,
      queries: { '{{product_type}}': SHARE_LEFT },
    }),
    graph({
      title: 'Time until exhaustion',
      description:
        'Time until the forecast expects the quota to be used up, at each time. The dashed line is the threshold of the alert ProxyUserQuotaExhaustionSoon.',
      unit: 's',
      width: 12,
      alert: 'ProxyUserQuotaExhaustionSoon',
      noValue: 'no forecast',
      queries: { '{{product_type}}': `${metric('exhaustion_timestamp_seconds')} - time()` },
    }),
  ],
};

// Builds the panels with a bar for each day: traffic, slices, the ledgers, use of proxy users, and corrections.

import { METERED_TYPES } from '../../../src/lib/product-types.ts';
import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { bars } from '../time-series.ts';
import { day } from './calendar.ts';

/** Enough for three years. With fewer points, Grafana would leave out days. */
const MAX_DAYS = 1_100;

type Options = Parameters<typeof bars>[0];

const dailyBars = (options: Omit<Options, 'unit' | 'width'> & Partial<Options>) =>
  bars({ unit: 'decbytes', width: 12, ...options })
    .interval('1d')
    .maxDataPoints(MAX_DAYS);

const dayBy = (label: string, name: string, selector = ACCOUNT_SELECTOR): string =>
  `sum by (${label}) (${day(`proxywatch_history_${name}{${selector}}`)})`;

export const days: Row = {
  title: 'Days',
  panels: [
    dailyBars({
      title: 'Bytes by day',
      description: 'Transferred bytes of the whole account on each day (UTC), with all corrections.',
      queries: { '{{account}}': dayBy('account', 'traffic_bytes') },
    }),
    dailyBars({
      title: 'Requests by day',
      description:
        'Number of successful and of failed requests on each day (UTC), for all accounts together.',
      unit: 'short',
      queries: Object.fromEntries(
        ['successful', 'failed'].map((kind) => [
          kind,
          `sum(${day(`proxywatch_history_traffic_${kind}_requests{${ACCOUNT_SELECTOR}}`)})`,
        ]),
      ),
    }),
    dailyBars({
      title: 'Bytes by day and slice',
      description: 'Transferred bytes of each slice on each day (UTC). Slices overlap, so they have no sum.',
      stacked: false,
      queries: { '{{account}} {{graph}}': dayBy('account, graph', 'graph_bytes') },
    }),
    dailyBars({
      title: 'Use of proxy users by day',
      description: 'Bytes that all proxy users used on each day (UTC), by product type.',
      queries: { '{{product_type}}': dayBy('product_type', 'proxy_users_usage_bytes') },
    }),
    ...METERED_TYPES.flatMap((type) => [
      dailyBars({
        title: `Used ${type} bytes by day and reason`,
        description: `Bytes that the ${type} ledger took away on each day of the provider, by reason.`,
        queries: { '{{reason}}': dayBy('reason', `${type}_ledger_used_bytes`) },
      }),
      dailyBars({
        title: `Added ${type} bytes by day and reason`,
        description: `Bytes that the ${type} ledger added on each day of the provider, by reason.`,
        queries: { '{{reason}}': dayBy('reason', `${type}_ledger_added_bytes`) },
      }),
    ]),
  ],
};

export const corrections: Row = {
  title: 'Corrections',
  panels: ['traffic', ...METERED_TYPES.map((type) => `${type}_ledger`)].map((source) =>
    dailyBars({
      title: `Corrected ${source === 'traffic' ? '' : `${source.split('_')[0]} `}bytes by day`,
      description:
        'Bytes that the provider added to a day, or took away from a day, after the day was sent to the receiver. There is no bar for a day without corrections.',
      ...{ width: 8, stacked: false },
      queries: {
        '{{account}}': dayBy(
          'account',
          source === 'traffic' ? 'traffic_bytes' : `${source}_used_bytes`,
          `${ACCOUNT_SELECTOR}, revision!=""`,
        ),
      },
    }),
  ),
};

// Builds the Traffic dashboard's row about slices. Slices overlap, so no query sums over them.

import type { Row } from '../dashboard.ts';
import { errorRatio, inCurrency } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { table } from '../table.ts';
import { graph } from '../time-series.ts';

const SLICE_SELECTOR = 'account=~"$account", graph=~"$graph"';
const BY = 'account, graph';
const LEGEND = '{{account}} {{graph}}';

const max = (name: string): string => `max by (${BY}) (proxywatch_graph_${name}{${SLICE_SELECTOR}})`;
const increase = (name: string): string =>
  `sum by (${BY}) (increase(proxywatch_graph_${name}_total{${SLICE_SELECTOR}}[$__range]))`;

const lines = [
  { title: 'Bytes', name: 'last_bucket_bytes', unit: 'decbytes', what: 'Bytes' },
  { title: 'Requests', name: 'last_bucket_requests', unit: 'short', what: 'Number of requests' },
  {
    title: 'Highest concurrency',
    name: 'concurrency_max',
    unit: 'short',
    what: 'Highest concurrency',
  },
  {
    title: 'Average concurrency',
    name: 'concurrency_average',
    unit: 'short',
    what: 'Average concurrency',
  },
].map(({ title, name, unit, what }) =>
  graph({
    title: `${title} by slice`,
    description: `${what} in the newest complete bucket of each slice at each time.`,
    unit,
    width: 12,
    queries: { [LEGEND]: max(name) },
  }),
);

export const slicesRow: Row = {
  title: 'Overlapping slices',
  panels: [
    ...lines,
    graph({
      title: 'Failed requests by slice',
      description:
        'Share of failed requests of each slice in the newest 15 minutes with traffic. The dashed line is the threshold of the alert TrafficErrorRatioHigh.',
      unit: 'percentunit',
      width: 12,
      alert: 'TrafficErrorRatioHigh',
      queries: { [LEGEND]: errorRatio('graph', SLICE_SELECTOR, BY) },
    }),
    graph({
      title: 'Age of the newest bucket by slice',
      description:
        'Time since the start of the newest bucket. If the newest bucket of only one slice gets older, proxywatch cannot read this slice. A possible reason is that the service of the slice has ended.',
      unit: 's',
      width: 12,
      queries: {
        [LEGEND]: `max by (${BY}) (time() - proxywatch_graph_last_bucket_timestamp_seconds{${SLICE_SELECTOR}})`,
      },
    }),
    table({
      title: 'Slices in the time range',
      description:
        'Traffic of each slice in the time range, and the withheld traffic. Slices overlap, so do not add up their values.',
      width: 24,
      height: 10,
      labels: { account: 'Account', graph: 'Slice', currency: 'Currency' },
      statusPage: ['graph'],
      columns: {
        Bytes: { expr: increase('bytes'), unit: 'decbytes' },
        Requests: { expr: increase('requests'), unit: 'short', decimals: 0 },
        Successful: { expr: increase('successful_requests'), unit: 'short', decimals: 0 },
        Failed: { expr: increase('failed_requests'), unit: 'short', decimals: 0 },
        'Current failures': {
          expr: errorRatio('graph', SLICE_SELECTOR, BY),
          unit: 'percentunit',
          steps: warnAbove(0.1, 0.2),
        },
        'Smartpath bytes': { expr: increase('smartpath_routed_bytes'), unit: 'decbytes' },
        'Smartpath requests': { expr: increase('smartpath_routed_requests'), unit: 'short', decimals: 0 },
        'Saved money': { expr: inCurrency(increase('smartpath_money_saved')), unit: 'none', decimals: 2 },
        'Withheld bytes': { expr: max('withheld_bytes'), unit: 'decbytes' },
        'Withheld requests': { expr: max('withheld_requests'), unit: 'short' },
      },
      sortBy: ['Bytes', true],
    }),
  ],
};

// Builds the Proxy tests dashboard's row with the matrix proxy × target × tester, limited to the worst proxies.

import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { PROXY_OF_SERIES } from '../links.ts';
import { applyOptions, query, redBelow, warnBelow } from '../panel.ts';
import { table } from '../table.ts';
import { states } from '../time-series.ts';
import {
  CELL_SELECTOR,
  LONGEST_UNTESTED,
  MATRIX,
  PROXY,
  PROXY_LABELS,
  SLOWEST,
  WORST,
  WORST_UPTIME,
} from './expressions.ts';

const INFO = {
  name: 'Name',
  product_type: 'Type',
  country_id: 'Country',
  asn_name: 'Network',
  service_id: 'Service',
};

/** Has a row for each proxy, and a column for each pair of target and tester. */
const matrix = applyOptions(new PanelBuilder(), {
  title: 'Last results by proxy, target and tester',
  description:
    'Proxies with the most failures among their last results. The variable Rows limits the number of proxies. If you set `series: proxy`, one column stands for all targets and testers.',
  unit: 'none',
  width: 24,
  height: 14,
  steps: redBelow(0.5),
  noValue: '–',
})
  .mappings([{ type: MappingType.ValueToText, options: { '0': { text: 'failed' }, '1': { text: 'OK' } } }])
  .withTarget(query(MATRIX, 0).instant().format(PromQueryFormat.Table))
  .withTransformation({
    id: 'groupingToMatrix',
    options: { columnField: 'cell', rowField: 'proxy', valueField: 'Value', emptyValue: 'null' },
  })
  .withTransformation({
    id: 'organize',
    options: { excludeByName: {}, indexByName: {}, renameByName: { 'proxy\\cell': 'Proxy' } },
  })
  .overrideByFieldType('number', [{ id: 'custom.cellOptions', value: { type: 'color-background' } }]);

/** One info series per proxy: two daemons with the same account may have different ones for a moment, and either will do. */
const ONE_INFO = `topk by (${PROXY}) (1, max by (${PROXY}, ${Object.keys(INFO).join(', ')}) (proxywatch_proxy_info{${ACCOUNT_SELECTOR}}))`;

export const matrixRow: Row = {
  title: 'Proxies',
  panels: [
    matrix,
    states({
      title: 'Worst proxies over time',
      description:
        'Share of pairs of target and tester for which each proxy worked. The panel shows the proxies of the table "Last results by proxy, target and tester".',
      unit: 'percentunit',
      width: 24,
      height: 10,
      steps: warnBelow(0.5, 1),
      queries: {
        '{{account}} {{proxy_id}}': `avg by (${PROXY}) (proxywatch_proxy_test_success{${CELL_SELECTOR}}) and on (${PROXY}) ${WORST}`,
      },
    }).overrideByFieldType('number', [{ id: 'links', value: [PROXY_OF_SERIES] }]),
    table({
      title: 'Proxies with the lowest uptime',
      description:
        'Share of the time range in which the newest tests of the proxy succeeded, and the details of the proxy.',
      width: 12,
      labels: { ...PROXY_LABELS, ...INFO },
      statusPage: ['proxy_id'],
      columns: {
        Uptime: {
          expr: `(${WORST_UPTIME}) * on (${PROXY}) group_left (${Object.keys(INFO).join(', ')}) ${ONE_INFO}`,
          unit: 'percentunit',
          decimals: 2,
          steps: warnBelow(0.9, 0.98),
        },
      },
      sortBy: ['Uptime', false],
    }),
    table({
      title: 'Slowest proxies',
      description: 'Mean of the last response times over all targets and testers.',
      width: 6,
      labels: PROXY_LABELS,
      statusPage: ['proxy_id'],
      columns: { 'Response time': { expr: SLOWEST, unit: 's' } },
      sortBy: ['Response time', true],
    }),
    table({
      title: 'Longest time without a test',
      description: 'Time since the last test of each proxy.',
      width: 6,
      labels: PROXY_LABELS,
      statusPage: ['proxy_id'],
      columns: { Time: { expr: LONGEST_UNTESTED, unit: 's' } },
      sortBy: ['Time', true],
    }),
  ],
};

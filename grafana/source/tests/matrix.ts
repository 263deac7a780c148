// The matrix of proxy × target × tester, and the proxies that are worst in it: never all of them.

import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { Row } from '../dashboard.ts';
import { OF_ACCOUNT } from '../expressions.ts';
import { states } from '../graph.ts';
import { badBelow, dress, query, warnBelow } from '../panel.ts';
import { table } from '../table.ts';
import {
  LONGEST_UNTESTED,
  MATRIX,
  OF_CELLS,
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

/** A row a proxy, a column a target and tester. */
const matrix = dress(new PanelBuilder(), {
  title: 'Last result of proxy × target × tester',
  description:
    'The proxies with the most failures among their last results, as many as Rows says. With `series: proxy` one column stands for all targets and testers.',
  unit: 'none',
  width: 24,
  height: 14,
  steps: badBelow(0.5),
  noValue: '–',
})
  .mappings([{ type: MappingType.ValueToText, options: { '0': { text: 'fails' }, '1': { text: 'works' } } }])
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

/** Two daemons with accounts of one name may know a proxy in different ways for a moment: either will do. */
const ONE_INFO = `topk by (${PROXY}) (1, max by (${PROXY}, ${Object.keys(INFO).join(', ')}) (proxywatch_proxy_info{${OF_ACCOUNT}}))`;

export const matrixRow: Row = {
  title: 'Proxies',
  panels: [
    matrix,
    states({
      title: 'The worst over time',
      description: 'The same proxies: which part of their targets and testers they worked for.',
      unit: 'percentunit',
      width: 24,
      height: 10,
      steps: warnBelow(0.5, 1),
      queries: {
        '{{account}} {{proxy_id}}': `avg by (${PROXY}) (proxywatch_proxy_test_success{${OF_CELLS}}) and on (${PROXY}) ${WORST}`,
      },
    }),
    table({
      title: 'Lowest uptime',
      description: 'Successful of all results over the time range, and what is known of the proxy.',
      width: 12,
      labels: { ...PROXY_LABELS, ...INFO },
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
      title: 'Slowest',
      description: 'Mean of the last response times over targets and testers.',
      width: 6,
      labels: PROXY_LABELS,
      columns: { 'Response time': { expr: SLOWEST, unit: 's' } },
      sortBy: ['Response time', true],
    }),
    table({
      title: 'Longest without a test',
      description: 'Since the last test of the proxy.',
      width: 6,
      labels: PROXY_LABELS,
      columns: { Since: { expr: LONGEST_UNTESTED, unit: 's' } },
      sortBy: ['Since', true],
    }),
  ],
};

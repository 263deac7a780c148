// Builds the Proxy dashboard: what one proxy is, whether it is at fault, and the results of its tests.

import { alertTable } from '../alert-table.ts';
import { dashboard } from '../dashboard.ts';
import { table } from '../table.ts';
import { states } from '../time-series.ts';
import { account, partOf, subject } from '../variables.ts';
import { now } from './now.ts';
import { PROXY, testRow } from './tests.ts';

const INFO = {
  name: 'Name',
  product_type: 'Type',
  protocol: 'Protocol',
  status: 'Status',
  ip_address: 'Address',
  country_id: 'Country',
  city_name: 'City',
  asn_name: 'Network',
  subnet_id: 'Subnet',
  service_id: 'Service',
};
const INFO_LABELS = ['account', ...Object.keys(INFO)].join(', ');

const details = table({
  title: 'Proxy',
  description:
    'Details of the proxy. If there is no data, the proxy has no series in Prometheus: the setting `inventory.max_series_proxies` leaves untested proxies out, the `inventory` collector is off, or the proxy was removed.',
  width: 24,
  height: 4,
  noValue: 'This proxy has no series in Prometheus. The description of this panel lists the reasons.',
  labels: { account: 'Account', ...INFO },
  statusPage: ['proxy_id'],
  columns: {
    Known: {
      expr: `max by (${INFO_LABELS}) (proxywatch_proxy_info{${PROXY}})`,
      unit: 'bool_yes_no',
    },
  },
});

const changes = states({
  title: 'Address, network and place over time',
  description:
    'A line for each combination of status, address, network and city that the proxy had in the time range. If a value changes, a line ends and another line begins.',
  unit: 'bool_yes_no',
  width: 24,
  height: 6,
  noValue: 'no series for this proxy',
  queries: {
    '{{status}} {{ip_address}} {{asn_name}} {{city_name}}': `max by (account, status, ip_address, asn_name, city_name) (proxywatch_proxy_info{${PROXY}})`,
  },
});

export const proxy = dashboard({
  uid: 'proxywatch-proxy',
  title: 'proxywatch / Proxy',
  description: 'One proxy: fault, test results by target and tester, response times, changes and alerts.',
  range: '24h',
  refresh: '1m',
  alertSelector: PROXY,
  variables: [
    account(),
    partOf('proxy_id', 'Part of the proxy’s id'),
    subject('proxy_id', 'Proxy', 'proxywatch_proxy_info'),
  ],
  rows: [
    { title: 'Current state', panels: [details, ...now] },
    testRow,
    {
      title: 'Changes and alerts',
      panels: [
        changes,
        alertTable({
          description: 'Alerts about this proxy that fire now, evaluated by Prometheus or by the daemon.',
          selector: PROXY,
          subjectLabels: [],
        }),
      ],
    },
  ],
});

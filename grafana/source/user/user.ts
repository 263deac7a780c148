// Builds the Proxy user dashboard: the quota, use and forecast of one user.

import { alertTable } from '../alert-table.ts';
import { dashboard } from '../dashboard.ts';
import { table } from '../table.ts';
import { account, partOf, subject } from '../variables.ts';
import { now, USER } from './now.ts';
import { useRow } from './use.ts';

const INFO = {
  access_type: 'Access',
  is_default: 'Default user',
  is_deleted: 'Deleted',
  strict_security: 'Strict security',
  enforce_https: 'HTTPS only',
};
const INFO_LABELS = ['account', ...Object.keys(INFO)].join(', ');

const settings = table({
  title: 'User',
  description:
    'Settings of the user at the provider. If there is no data, the user has no series in Prometheus: the setting `proxy_users.select` or `proxy_users.max_series_users` leaves the user out, the user was removed, or proxywatch has not listed the users yet. The API also has users without series.',
  width: 24,
  height: 4,
  noValue: 'This user has no series in Prometheus. The description of this panel lists the reasons.',
  labels: { account: 'Account', ...INFO },
  statusPage: ['proxy_user_id'],
  columns: {
    Known: {
      expr: `max by (${INFO_LABELS}) (proxywatch_proxy_user_info{${USER}})`,
      unit: 'bool_yes_no',
    },
  },
});

export const user = dashboard({
  uid: 'proxywatch-user',
  title: 'proxywatch / Proxy user',
  description: 'One proxy user: limit, used bytes, pace, forecast and alerts.',
  range: '7d',
  refresh: '5m',
  alertSelector: USER,
  variables: [
    account(),
    partOf('proxy_user_id', 'Part of the user’s id'),
    subject('proxy_user_id', 'User', 'proxywatch_proxy_user_info'),
  ],
  rows: [
    { title: 'Current state', panels: [settings, ...now] },
    useRow,
    {
      title: 'Alerts',
      panels: [
        alertTable({
          description: 'Alerts about this user that fire now, evaluated by Prometheus or by the daemon.',
          selector: USER,
          subjectLabels: ['product_type'],
        }),
      ],
    },
  ],
});

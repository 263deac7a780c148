// Has reports for tests of how they are shown: one with all parts, and one of which everything is unknown.

import type { Report } from '../../src/http/api/report/report-json.ts';

const DATES = {
  period: 'week' as const,
  ...{ account: 'main', first_day: '2026-03-23', last_day: '2026-03-29' },
  ...{ time_zone: 'Europe/Berlin', from: '2026-03-22T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z' },
  ...{ is_over: true, made_at: '2026-03-30T06:00:00.000Z' },
};

const NOTHING = {
  ...{ ledger_added_bytes: null, ledger_used_bytes: null, residential_users_bytes: null },
  ...{ mobile_users_bytes: null, traffic_bytes: null, traffic_requests: null },
};

export const EMPTY_REPORT: Report = {
  ...DATES,
  comparable: [],
  ...{
    amounts: NOTHING,
    amounts_before: NOTHING,
    users: [],
    ledger_services: [],
    balance: null,
    mobile_balance: null,
    quotas: null,
  },
  ...{ alerts: null, longest_alerts: [], inventory_changes: null, services: null, unknown: [] },
  uptime: [
    {
      ...{ source: 'proxy_tests', results: 0, successes: 0, ratio: null, worst: [] },
      proxies: {
        ...{ without_failures: 0, own_failures: 0, unexplained_failures: 0, other_failures: 0, unknown: 0 },
      },
    },
  ],
};

export const REPORT: Report = {
  ...DATES,
  comparable: ['ledger', 'traffic'],
  amounts: {
    ...{ ledger_added_bytes: 0, ledger_used_bytes: 12.5e9, residential_users_bytes: 12e9 },
    ...{ mobile_users_bytes: null, traffic_bytes: 20e9, traffic_requests: 1_200_000 },
  },
  amounts_before: {
    ...{ ledger_added_bytes: 100e9, ledger_used_bytes: 10e9, residential_users_bytes: null },
    ...{ mobile_users_bytes: null, traffic_bytes: 20e9, traffic_requests: 0 },
  },
  users: [
    {
      ...{ account: 'main', proxy_user_id: 'al<i>ce\u001b[2J', is_removed: false, share: 0.75 },
      bytes: { residential: 9e9, mobile: null },
    },
  ],
  ledger_services: [
    { service_id: 'API-1234-5678', used_bytes: 10e9 },
    { service_id: null, used_bytes: 2.5e9 },
  ],
  balance: {
    ...{ added_bytes: 500e9, used_bytes: 412.5e9, left_bytes: 87.5e9, forecast: 'expected' },
    ...{ exhausted_at: '2026-04-20T10:00:00.000Z', exhausted_earliest_at: null, exhausted_latest_at: null },
  },
  mobile_balance: {
    ...{ added_bytes: 50e9, used_bytes: 20e9, left_bytes: 30e9, forecast: 'not_used' },
    ...{ exhausted_at: null, exhausted_earliest_at: null, exhausted_latest_at: null },
  },
  quotas: {
    ...{ exhausted: 2, low: 1, soon: 3, unknown: 0 },
    next: [
      {
        ...{ proxy_user_id: 'bob', product_type: 'residential', left_bytes: 1.5e9 },
        exhausted_at: '2026-03-31T10:00:00.000Z',
      },
    ],
  },
  alerts: [
    { alert: 'ProxyFailing', began: 2, firing: 1, subjects: 2, seconds: 90_000 },
    { alert: 'DataStale', began: 1, firing: 0, subjects: 1, seconds: 1_800 },
  ],
  longest_alerts: [
    {
      ...{ alert: 'ProxyFailing', severity: 'warning', labels: { account: 'main', proxy_id: 'fr-1' } },
      ...{ firing_since: '2026-03-29T00:00:00.000Z', ended_at: null, seconds: 79_200 },
    },
  ],
  uptime: [
    {
      ...{ source: 'proxy_tests', results: 4_000, successes: 3_900, ratio: 0.975 },
      proxies: {
        ...{ without_failures: 8, own_failures: 2, unexplained_failures: 1, other_failures: 0, unknown: 0 },
      },
      worst: [{ proxy_id: 'fr-1', results: 400, ratio: 0.8, own_ratio: 0.85 }],
    },
  ],
  inventory_changes: { appeared: 2, gone: 1, address: 0, asn: 0, city: 0 },
  services: {
    begun: {
      count: 1,
      first: [
        {
          ...{ service_id: 'API-1111-2222', service_name: 'isp de', product_type: 'isp' },
          at: '2026-03-24T09:00:00.000Z',
        },
      ],
    },
    ended: { count: 0, first: [] },
    next: {
      count: 1,
      first: [
        {
          ...{ service_id: 'API-1234-5678', service_name: null, product_type: 'residential' },
          at: '2026-04-07T00:00:00.000Z',
        },
      ],
    },
  },
  unknown: [
    { part: 'mobile', message: 'of no product', dates: [] },
    {
      part: 'proxy_tests',
      message: 'no test had a result on these days',
      dates: ['2026-03-23', '2026-03-24'],
    },
  ],
};

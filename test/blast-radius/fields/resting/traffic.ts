// Says which series rest on the fields of answers about traffic, the ledgers and users.

import type { MeteredType } from '../../../../src/lib/product-types.ts';
import { change, type EndpointRules, rest } from './rules.ts';

const TRAFFIC = 'traffic_* smartpath_* graph_*';
const RECONCILED = 'reconcile_*';
const LEDGER = 'residential_* mobile_*';
const USERS = 'proxy_user*';

const ledgerRules = (type: MeteredType): EndpointRules[string] => [
  { item: '', rules: [rest('data total_count', `${type}_*`), change('data total_count', RECONCILED)] },
  {
    item: 'data[]',
    rules: [
      rest(`${type}_ledger_id customer_id`, `${type}_*`),
      change(`${type}_ledger_id customer_id`, RECONCILED, 'a summary is compared with an older balance'),
      change(`${type}_ledger_bytes`, `${type}_* ${RECONCILED}`),
      rest(`${type}_ledger_requests`, `${type}_ledger_requests_total`),
      change(
        `${type}_ledger_reason`,
        `${type}_ledger_* ${type}_balance_exhaustion_timestamp_seconds
        ${type}_service_balance_exhaustion_timestamp_seconds ${RECONCILED}`,
        'the reason says whether a row used or added bytes',
      ),
      change(
        'service_id',
        `${type}_service_balance_bytes ${type}_service_balance_exhaustion_timestamp_seconds`,
        'a row without a service belongs to the balance of no service',
      ),
    ],
  },
];

export const TRAFFIC_RULES: EndpointRules = {
  'analytics/graph': [
    { item: '', rules: [rest('data', `${TRAFFIC} ${RECONCILED}`)] },
    { item: 'data', rules: [rest('intervals', `${TRAFFIC} ${RECONCILED}`)] },
    {
      item: 'data.intervals[]',
      rules: [
        rest('interval', `${TRAFFIC} ${RECONCILED}`),
        rest(
          'bytes',
          `traffic_bytes_total traffic_last_bucket_bytes graph_bytes_total graph_last_bucket_bytes ${RECONCILED}`,
        ),
        rest(
          'requests',
          `traffic_requests_total traffic_last_bucket_requests traffic_recent_requests graph_requests_total
          graph_last_bucket_requests graph_recent_requests graph_observed_requests graph_expected_requests`,
        ),
        rest('successful', 'traffic_successful_requests_total graph_successful_requests_total'),
        rest(
          'error',
          `traffic_failed_requests_total traffic_last_bucket_failed_requests traffic_recent_failed_requests
          graph_failed_requests_total graph_last_bucket_failed_requests graph_recent_failed_requests`,
        ),
        rest('smartpath_routed_bytes', 'smartpath_routed_bytes_total graph_smartpath_routed_bytes_total'),
        change(
          'smartpath_routed_bytes',
          'reconcile_unexplained_bytes',
          'traffic over smartpath explains a difference to the ledger, and what it explains is then not known',
        ),
        rest(
          'smartpath_routed_requests',
          'smartpath_routed_requests_total graph_smartpath_routed_requests_total',
        ),
        rest('smartpath_money_saved', 'smartpath_money_saved_total graph_smartpath_money_saved_total'),
        rest('avg_log_concurrency', 'traffic_concurrency_average graph_concurrency_average'),
        rest('max_log_concurrency', 'traffic_concurrency_max graph_concurrency_max'),
      ],
    },
  ],
  'residential_ledger/search': ledgerRules('residential'),
  'mobile_ledger/search': ledgerRules('mobile'),
  'proxy_user/search': [
    { item: '', rules: [rest('data total_count', `${USERS} ${RECONCILED}`)] },
    {
      item: 'data[]',
      rules: [
        rest('proxy_user_id', `${USERS} ${RECONCILED}`),
        rest(
          'customer_id',
          `${USERS} ${RECONCILED} ${TRAFFIC} ${LEDGER}`,
          'keys of another customer end all runs',
        ),
        rest(
          `proxy_user_residential_bytes_used proxy_user_residential_bytes_limit proxy_user_mobile_bytes_used
          proxy_user_mobile_bytes_limit`,
          `proxy_user_used_bytes proxy_user_left_bytes proxy_user_limit_bytes proxy_user_usage_bytes_total
          proxy_user_exhaustion_timestamp_seconds ${RECONCILED}`,
        ),
        change(
          `proxy_user_residential_bytes_used proxy_user_residential_bytes_limit proxy_user_mobile_bytes_used
          proxy_user_mobile_bytes_limit`,
          'proxy_users_by_quota',
          'without a quota or its use, the status of the quota is not known',
        ),
        change(
          'proxy_user_residential_bytes_used',
          RECONCILED,
          'the growth of users without a use is not known, and counts later',
        ),
        change('proxy_user_enforce_https proxy_user_is_default', 'proxy_user_info'),
        change('proxy_user_access_type', 'proxy_user_info proxy_users'),
      ],
    },
  ],
};

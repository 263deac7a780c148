// Defines the metric families about the daemon itself: requests, runs, the store, the configuration and notifications.

import { counter, gauge, histogram } from '../lib/family.ts';

export const API_REQUESTS = counter(
  'proxywatch_api_requests_total',
  'Requests to the provider since the daemon started, by HTTP status, or timeout, network or bad_response.',
  ['account', 'endpoint', 'code'],
);
export const API_DURATION = histogram(
  'proxywatch_api_request_duration_seconds',
  'Time in seconds from sending a request to the end of its answer, without waiting for its turn.',
  ['account', 'endpoint'],
);
export const API_WAITING = gauge(
  'proxywatch_api_requests_waiting',
  "Requests that wait for their turn in the account's pace, read at scrape time.",
  ['account'],
);
export const API_LIMIT = gauge(
  'proxywatch_api_requests_per_second_limit',
  'Requests a second allowed at scrape time: as configured, less after several endpoints answered 429, 0 while the account is paused.',
  ['account'],
);
export const API_CONFIGURED = gauge(
  'proxywatch_api_requests_per_second_configured',
  'Requests a second allowed by the configuration.',
  ['account'],
);
export const API_PAUSED_UNTIL = gauge(
  'proxywatch_api_endpoint_paused_until_timestamp_seconds',
  'End of the pause of an endpoint that answered 429, in seconds since the epoch; absent while it is not paused.',
  ['account', 'endpoint'],
);
export const API_REFUSED_SINCE = gauge(
  'proxywatch_api_refused_since_timestamp_seconds',
  'When an endpoint first answered 429 since it last succeeded, in seconds since the epoch; absent where it did not.',
  ['account', 'endpoint'],
);
export const API_REJECTED_SINCE = gauge(
  'proxywatch_api_rejected_since_timestamp_seconds',
  'When an endpoint first answered 401, 403 or 499 since it last succeeded, in seconds since the epoch; absent where it did not. Rejections of single parts, such as one graph, do not count while the endpoint answers others.',
  ['account', 'endpoint'],
);
export const API_KEYS_REJECTED_SINCE = gauge(
  'proxywatch_api_keys_rejected_since_timestamp_seconds',
  'When the provider began to reject the keys, in seconds since the epoch; absent while they are good. No request has succeeded since, and an endpoint answered 401, or at least two, or all that are polled, answered 403 or 499.',
  ['account'],
);
export const API_LAST_SUCCESS = gauge(
  'proxywatch_api_last_success_timestamp_seconds',
  'When a request to an endpoint last succeeded, in seconds since the epoch.',
  ['account', 'endpoint'],
);
export const API_UNREACHED = gauge(
  'proxywatch_api_unreached_seconds',
  'Time in seconds from the first to the newest of the attempts in a row without an answer of 2xx to 4xx; absent after such an answer.',
  ['account'],
);
export const CLOCK_OFFSET = gauge(
  'proxywatch_provider_clock_offset_seconds',
  "The provider's clock minus ours in seconds, from the Date header of its last answer.",
  ['account'],
);
export const COLLECTOR_RUNS = counter(
  'proxywatch_collector_runs_total',
  'Runs of a collector since the daemon started, by result: ok, partial, failed, or skipped (still running).',
  ['account', 'collector', 'result'],
);
export const ITEMS_SKIPPED = counter(
  'proxywatch_items_skipped_total',
  'Items of provider answers that did not decode or lacked a value since the daemon started.',
  ['account', 'collector'],
);
export const INCONSISTENT_ANSWERS = counter(
  'proxywatch_inconsistent_answers_total',
  'Answers since the daemon started that contradict themselves but were stored: buckets_below_totals or buckets_above_totals, where the totals of analytics/graph are not the sums of its buckets.',
  ['account', 'endpoint', 'what'],
);
export const STORE_SIZE = gauge(
  'proxywatch_store_size_bytes',
  'Size of the store in bytes without its write-ahead log, read at scrape time.',
  [],
);
export const STORE_WAL_SIZE = gauge(
  'proxywatch_store_wal_size_bytes',
  "Size of the store's write-ahead log in bytes, read at scrape time.",
  [],
);
export const STORE_EPOCH = gauge(
  'proxywatch_store_epoch_timestamp_seconds',
  "When the counters of the provider's data began at 0, in seconds since the epoch: the store was made, or an older file of it put back.",
  [],
);
export const STORE_WRITE_ERRORS = counter(
  'proxywatch_store_write_errors_total',
  'Writes to the store that failed since the daemon started.',
  [],
);
export const STORE_CONSECUTIVE_WRITE_ERRORS = gauge(
  'proxywatch_store_consecutive_write_errors',
  'Writes to the store that failed in a row; 0 when the newest one succeeded.',
  [],
);
export const STORE_WRITE_DURATION = histogram(
  'proxywatch_store_write_duration_seconds',
  'Time in seconds that a write to the store took, failed ones too.',
  [],
);
export const STORE_MAINTENANCE_RUNS = counter(
  'proxywatch_store_maintenance_runs_total',
  'Times that history was rolled up and what is long gone deleted since the daemon started, by result: ok or failed.',
  ['result'],
);
export const STORE_MAINTENANCE_DELETED_ROWS = counter(
  'proxywatch_store_maintenance_deleted_rows_total',
  'Rows that maintenance of the store deleted since the daemon started, rolled up ones among them.',
  [],
);
export const STORE_MAINTENANCE_DURATION = gauge(
  'proxywatch_store_maintenance_duration_seconds',
  'Time in seconds that the last maintenance of the store took, its pauses included.',
  [],
);
export const STORE_MAINTENANCE_LAST_SUCCESS = gauge(
  'proxywatch_store_maintenance_last_success_timestamp_seconds',
  'When maintenance of the store last went through, in seconds since the epoch.',
  [],
);
export const RELOAD_SUCCESSFUL = gauge(
  'proxywatch_config_last_reload_successful',
  'Whether the newest attempt to load the configuration succeeded (1) or left the old one running (0).',
  [],
);
export const RELOAD_TIMESTAMP = gauge(
  'proxywatch_config_last_reload_success_timestamp_seconds',
  'When the running configuration was loaded, in seconds since the epoch.',
  [],
);
export const NOTIFICATIONS_WAITING_SINCE = gauge(
  'proxywatch_notifications_waiting_since_timestamp_seconds',
  'Since when notifications wait for the receiver in vain, in seconds since the epoch; absent while none do.',
  ['receiver'],
);
export const NOTIFICATIONS = counter(
  'proxywatch_notifications_total',
  'Requests to receivers of alerts since the daemon started that were sent or failed, failed ones being sent again; notices that were given_up as the receiver refused them, or dropped as it took none for too long.',
  ['receiver', 'result'],
);
export const NOTIFICATIONS_WAITING = gauge(
  'proxywatch_notifications_waiting',
  'What the receiver has not taken yet, read at scrape time: notices in the store, or alerts that an Alertmanager could not be told of.',
  ['receiver'],
);
export const BUILD_INFO = gauge(
  'proxywatch_build_info',
  'Always 1; versions of proxywatch and of Node.js in the labels.',
  ['version', 'node_version'],
);

/** In the order in which /metrics shows them. */
export const DAEMON_FAMILIES = [
  BUILD_INFO,
  API_REQUESTS,
  API_DURATION,
  API_WAITING,
  API_LIMIT,
  API_CONFIGURED,
  API_PAUSED_UNTIL,
  API_REFUSED_SINCE,
  API_REJECTED_SINCE,
  API_KEYS_REJECTED_SINCE,
  API_LAST_SUCCESS,
  API_UNREACHED,
  CLOCK_OFFSET,
  COLLECTOR_RUNS,
  ITEMS_SKIPPED,
  INCONSISTENT_ANSWERS,
  STORE_SIZE,
  STORE_WAL_SIZE,
  STORE_EPOCH,
  STORE_WRITE_ERRORS,
  STORE_CONSECUTIVE_WRITE_ERRORS,
  STORE_WRITE_DURATION,
  STORE_MAINTENANCE_RUNS,
  STORE_MAINTENANCE_DELETED_ROWS,
  STORE_MAINTENANCE_DURATION,
  STORE_MAINTENANCE_LAST_SUCCESS,
  RELOAD_SUCCESSFUL,
  RELOAD_TIMESTAMP,
  NOTIFICATIONS,
  NOTIFICATIONS_WAITING,
  NOTIFICATIONS_WAITING_SINCE,
];

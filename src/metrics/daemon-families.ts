// Defines the metric families about the daemon itself: requests, runs, the store, the configuration and notifications.

import { counter, gauge, histogram } from '../lib/family.ts';
import { REMOTE_WRITE_FAMILIES } from './remote-write-metrics.ts';

export const API_REQUESTS = counter(
  'proxywatch_api_requests_total',
  'Number of requests to the provider since the daemon started, including retries. The label code is the HTTP status, or timeout, network or bad_response.',
  ['account', 'api_endpoint', 'code'],
);
export const API_DURATION = histogram(
  'proxywatch_api_request_duration_seconds',
  "Time in seconds from sending a request to the provider to the end of its answer. The time before the request's turn does not count.",
  ['account', 'api_endpoint'],
);
export const API_WAITING = gauge(
  'proxywatch_api_requests_waiting',
  'Number of requests that wait for their turn in the pace of the account.',
  ['account'],
);
export const API_LIMIT = gauge(
  'proxywatch_api_requests_per_second_limit',
  'Number of requests per second that proxywatch currently allows the account. proxywatch lowers this value when several endpoints answer 429. The value is 0 while the account is paused.',
  ['account'],
);
export const API_CONFIGURED = gauge(
  'proxywatch_api_requests_per_second_configured',
  'Number of requests per second that the configuration allows the account.',
  ['account'],
);
export const API_PAUSED_UNTIL = gauge(
  'proxywatch_api_endpoint_paused_until_timestamp_seconds',
  'End of the pause of an endpoint that answered 429, in seconds since the epoch. The series is missing while the endpoint is not paused.',
  ['account', 'api_endpoint'],
);
export const API_REFUSED_SINCE = gauge(
  'proxywatch_api_refused_since_timestamp_seconds',
  'Time of the first 429 of the endpoint since its last success, in seconds since the epoch. The series is missing if the endpoint has not answered 429 since then.',
  ['account', 'api_endpoint'],
);
export const API_REJECTED_SINCE = gauge(
  'proxywatch_api_rejected_since_timestamp_seconds',
  'Time of the first 401, 403 or 499 of the endpoint since its last success, in seconds since the epoch. The series is missing if the endpoint has not answered 401, 403 or 499 since then. While the endpoint answers other requests, rejections of single parts, such as one graph, do not count.',
  ['account', 'api_endpoint'],
);
export const API_KEYS_REJECTED_SINCE = gauge(
  'proxywatch_api_keys_rejected_since_timestamp_seconds',
  'Time at which the provider began to reject the keys of the account, in seconds since the epoch. The series exists only while no request of the account succeeds. The series also needs one of these conditions: one endpoint answers 401, at least two endpoints answer 403 or 499, or all polled endpoints answer 403 or 499.',
  ['account'],
);
export const API_LAST_SUCCESS = gauge(
  'proxywatch_api_last_success_timestamp_seconds',
  'Time of the last successful request to the endpoint, in seconds since the epoch.',
  ['account', 'api_endpoint'],
);
export const API_UNREACHED = gauge(
  'proxywatch_api_unreached_seconds',
  'Time in seconds from the first to the newest attempt since the last answer with a status from 200 to 499. The series is missing until an attempt fails to get such an answer.',
  ['account'],
);
export const COLLECTOR_UNANSWERED = gauge(
  'proxywatch_collector_unanswered',
  'Whether the provider has answered no request of the account since the collector began to fail (1) or not (0). If the collector failed before the daemon started, the time begins with the start.',
  ['account', 'collector'],
);
export const CLOCK_OFFSET = gauge(
  'proxywatch_provider_clock_offset_seconds',
  "The provider's clock minus the daemon's clock in seconds, from the Date header of the provider's last answer.",
  ['account'],
);
export const COLLECTOR_RUNS = counter(
  'proxywatch_collector_runs_total',
  'Number of runs of the collector since the daemon started, by result: ok, partial, failed, or skipped. proxywatch skips a run if the previous run has not ended.',
  ['account', 'collector', 'result'],
);
export const ITEMS_SKIPPED = counter(
  'proxywatch_items_skipped_total',
  "Number of items without a value, and of items that proxywatch could not decode, in the provider's answers since the daemon started.",
  ['account', 'collector'],
);
export const INCONSISTENT_ANSWERS = counter(
  'proxywatch_inconsistent_answers_total',
  'Number of answers of analytics/graph since the daemon started with totals that differ from the sums of the buckets. The label what is buckets_below_totals or buckets_above_totals. proxywatch stores the buckets of such an answer.',
  ['account', 'api_endpoint', 'what'],
);
export const STORE_SIZE = gauge(
  'proxywatch_store_size_bytes',
  "Size of the store's file in bytes, without its write-ahead log.",
  [],
);
export const STORE_WAL_SIZE = gauge(
  'proxywatch_store_wal_size_bytes',
  "Size of the store's write-ahead log in bytes.",
  [],
);
export const STORE_EPOCH = gauge(
  'proxywatch_store_epoch_timestamp_seconds',
  "Time at which the counters of the provider's data began at 0, in seconds since the epoch. Counters begin when proxywatch creates the store, or when you put back an older store file.",
  [],
);
export const STORE_WRITE_ERRORS = counter(
  'proxywatch_store_write_errors_total',
  'Number of failed writes to the store since the daemon started.',
  [],
);
export const STORE_CONSECUTIVE_WRITE_ERRORS = gauge(
  'proxywatch_store_consecutive_write_errors',
  'Number of failed writes to the store in a row. The value is 0 if the newest write succeeded.',
  [],
);
export const STORE_WRITE_DURATION = histogram(
  'proxywatch_store_write_duration_seconds',
  'Duration of writes to the store in seconds, including failed writes.',
  [],
);
export const STORE_MAINTENANCE_RUNS = counter(
  'proxywatch_store_maintenance_runs_total',
  'Number of maintenance runs since the daemon started, by result: ok or failed. Maintenance rolls up history and deletes data that is older than its retention.',
  ['result'],
);
export const STORE_MAINTENANCE_DELETED_ROWS = counter(
  'proxywatch_store_maintenance_deleted_rows_total',
  'Number of rows that maintenance deleted from the store since the daemon started, including rolled-up rows.',
  [],
);
export const STORE_MAINTENANCE_DURATION = gauge(
  'proxywatch_store_maintenance_duration_seconds',
  'Duration of the last maintenance of the store in seconds, including its pauses.',
  [],
);
export const STORE_MAINTENANCE_LAST_SUCCESS = gauge(
  'proxywatch_store_maintenance_last_success_timestamp_seconds',
  'Time of the last successful maintenance of the store, in seconds since the epoch.',
  [],
);
export const STORE_BACKUPS = counter(
  'proxywatch_store_backups_total',
  'Number of scheduled backups of the store since the daemon started, by result: ok or failed. The series are missing without store.backup.',
  ['result'],
);
export const STORE_BACKUP_LAST_SUCCESS = gauge(
  'proxywatch_store_backup_last_success_timestamp_seconds',
  'Time of the newest scheduled backup of the store, in seconds since the epoch. The series is missing if there is none.',
  [],
);
export const STORE_BACKUP_OVERDUE = gauge(
  'proxywatch_store_backup_overdue_seconds',
  'Time for which a scheduled backup of the store has been due, in seconds; 0 if none is due. The series is missing without store.backup.',
  [],
);
export const RELOAD_SUCCESSFUL = gauge(
  'proxywatch_config_last_reload_successful',
  'Whether the last attempt to load the configuration succeeded (1) or not (0). After a failed attempt, the previous configuration stays active.',
  [],
);
export const RELOAD_TIMESTAMP = gauge(
  'proxywatch_config_last_reload_success_timestamp_seconds',
  'Time at which the daemon loaded the active configuration, in seconds since the epoch.',
  [],
);
export const NOTIFICATIONS_WAITING_SINCE = gauge(
  'proxywatch_notifications_waiting_since_timestamp_seconds',
  'Time since which the oldest notification has waited for the receiver, in seconds since the epoch. The series is missing while no notification waits.',
  ['receiver'],
);
export const NOTIFICATIONS = counter(
  'proxywatch_notifications_total',
  'Number of requests to the receiver since the daemon started, with the result sent or failed. With the result given_up or dropped, the value is the number of notifications that proxywatch did not deliver. The result given_up means that the receiver rejected the notifications. The result dropped means that notifications waited for too long, or that too many notifications waited.',
  ['receiver', 'result'],
);
export const NOTIFICATIONS_WAITING = gauge(
  'proxywatch_notifications_waiting',
  'Number of notifications that the receiver has not accepted yet. If the receiver is an Alertmanager, the value is the number of alerts that the Alertmanager has not accepted yet.',
  ['receiver'],
);
export const BUILD_INFO = gauge(
  'proxywatch_build_info',
  'Versions of proxywatch and of Node.js, in labels. The value is always 1.',
  ['version', 'node_version'],
);
export const SHARD_INFO = gauge(
  'proxywatch_shard_info',
  'Number of this shard, from 0, and the number of shards, in labels. Without shards, the labels are 0 and 1. The value is always 1.',
  ['shard', 'shards'],
);

/** In the order in which /metrics shows them. */
export const DAEMON_FAMILIES = [
  BUILD_INFO,
  SHARD_INFO,
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
  COLLECTOR_UNANSWERED,
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
  STORE_BACKUPS,
  STORE_BACKUP_LAST_SUCCESS,
  STORE_BACKUP_OVERDUE,
  RELOAD_SUCCESSFUL,
  RELOAD_TIMESTAMP,
  NOTIFICATIONS,
  NOTIFICATIONS_WAITING,
  NOTIFICATIONS_WAITING_SINCE,
  ...REMOTE_WRITE_FAMILIES,
];

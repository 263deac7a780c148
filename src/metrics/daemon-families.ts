// Defines the metric families about the daemon itself: requests, runs, the store, the configuration and notifications.

import { counters, gauges, histograms } from '../collectors/families.ts';
import { REMOTE_WRITE_FAMILIES } from './remote-write-metrics.ts';

/** In the order in which /metrics shows them. */
export const families = {
  ...gauges(['version', 'node_version'], {
    proxywatch_build_info: 'Versions of proxywatch and of Node.js, in labels. The value is always 1.',
  }),
  ...gauges(['shard', 'shards'], {
    proxywatch_shard_info:
      'Number of this shard, from 0, and the number of shards, in labels. Without shards, the labels are 0 and 1. The value is always 1.',
  }),
  ...counters(['account', 'api_endpoint', 'code'], {
    proxywatch_api_requests_total:
      'Number of requests to the provider since the daemon started, including retries. The label code is the HTTP status, or timeout, network or bad_response.',
  }),
  ...histograms(['account', 'api_endpoint'], {
    proxywatch_api_request_duration_seconds:
      "Time in seconds from sending a request to the provider to the end of its answer. The time before the request's turn does not count.",
  }),
  ...gauges(['account'], {
    proxywatch_api_requests_waiting:
      'Number of requests that wait for their turn in the pace of the account.',
    proxywatch_api_requests_per_second_limit:
      'Number of requests per second that proxywatch currently allows the account. proxywatch lowers this value when several endpoints answer 429. The value is 0 while the account is paused.',
    proxywatch_api_requests_per_second_configured:
      'Number of requests per second that the configuration allows the account.',
  }),
  ...gauges(['account', 'api_endpoint'], {
    proxywatch_api_endpoint_paused_until_timestamp_seconds:
      'End of the pause of an endpoint that answered 429, in seconds since the epoch. The series is missing while the endpoint is not paused.',
    proxywatch_api_refused_since_timestamp_seconds:
      'Time of the first 429 of the endpoint since its last success, in seconds since the epoch. The series is missing if the endpoint has not answered 429 since then.',
    proxywatch_api_rejected_since_timestamp_seconds:
      'Time of the first 401, 403 or 499 of the endpoint since its last success, in seconds since the epoch. The series is missing if the endpoint has not answered 401, 403 or 499 since then. While the endpoint answers other requests, rejections of single parts, such as one graph, do not count.',
  }),
  ...gauges(['account'], {
    proxywatch_api_keys_rejected_since_timestamp_seconds:
      'Time at which the provider began to reject the keys of the account, in seconds since the epoch. The series exists only while no request of the account succeeds. The series also needs one of these conditions: one endpoint answers 401, at least two endpoints answer 403 or 499, or all polled endpoints answer 403 or 499.',
  }),
  ...gauges(['account', 'api_endpoint'], {
    proxywatch_api_last_success_timestamp_seconds:
      'Time of the last successful request to the endpoint, in seconds since the epoch.',
  }),
  ...gauges(['account'], {
    proxywatch_api_unreached_seconds:
      'Time in seconds from the first to the newest attempt since the last answer with a status from 200 to 499. The series is missing until an attempt fails to get such an answer.',
  }),
  ...gauges(['account', 'collector'], {
    proxywatch_collector_unanswered:
      'Whether the provider has answered no request of the account since the collector began to fail (1) or not (0). If the collector failed before the daemon started, the time begins with the start.',
  }),
  ...gauges(['account'], {
    proxywatch_provider_clock_offset_seconds:
      "The provider's clock minus the daemon's clock in seconds, from the Date header of the provider's last answer.",
  }),
  ...counters(['account', 'collector', 'result'], {
    proxywatch_collector_runs_total:
      'Number of runs of the collector since the daemon started, by result: ok, partial, failed, or skipped. proxywatch skips a run if the previous run has not ended.',
  }),
  ...counters(['account', 'collector'], {
    proxywatch_items_skipped_total:
      "Number of items without a value, and of items that proxywatch could not decode, in the provider's answers since the daemon started.",
  }),
  ...counters(['account', 'api_endpoint', 'what'], {
    proxywatch_inconsistent_answers_total:
      'Number of answers of analytics/graph since the daemon started with totals that differ from the sums of the buckets. The label what is buckets_below_totals or buckets_above_totals. proxywatch stores the buckets of such an answer.',
  }),
  ...gauges([], {
    proxywatch_store_size_bytes: "Size of the store's file in bytes, without its write-ahead log.",
    proxywatch_store_wal_size_bytes: "Size of the store's write-ahead log in bytes.",
    proxywatch_store_epoch_timestamp_seconds:
      "Time at which the counters of the provider's data began at 0, in seconds since the epoch. Counters begin when proxywatch creates the store, or when you put back an older store file.",
  }),
  ...counters([], {
    proxywatch_store_write_errors_total: 'Number of failed writes to the store since the daemon started.',
  }),
  ...gauges([], {
    proxywatch_store_consecutive_write_errors:
      'Number of failed writes to the store in a row. The value is 0 if the newest write succeeded.',
  }),
  ...histograms([], {
    proxywatch_store_write_duration_seconds:
      'Duration of writes to the store in seconds, including failed writes.',
  }),
  ...counters(['result'], {
    proxywatch_store_maintenance_runs_total:
      'Number of maintenance runs since the daemon started, by result: ok or failed. Maintenance rolls up history and deletes data that is older than its retention.',
  }),
  ...counters([], {
    proxywatch_store_maintenance_deleted_rows_total:
      'Number of rows that maintenance deleted from the store since the daemon started, including rolled-up rows.',
  }),
  ...gauges([], {
    proxywatch_store_maintenance_duration_seconds:
      'Duration of the last maintenance of the store in seconds, including its pauses.',
    proxywatch_store_maintenance_last_success_timestamp_seconds:
      'Time of the last successful maintenance of the store, in seconds since the epoch.',
  }),
  ...counters(['result'], {
    proxywatch_store_backups_total:
      'Number of scheduled backups of the store since the daemon started, by result: ok or failed. The series are missing without store.backup.',
  }),
  ...gauges([], {
    proxywatch_store_backup_last_success_timestamp_seconds:
      'Time of the newest scheduled backup of the store, in seconds since the epoch. The series is missing if there is none.',
    proxywatch_store_backup_overdue_seconds:
      'Time for which a scheduled backup of the store has been due, in seconds; 0 if none is due. The series is missing without store.backup.',
    proxywatch_config_last_reload_successful:
      'Whether the last attempt to load the configuration succeeded (1) or not (0). After a failed attempt, the previous configuration stays active.',
    proxywatch_config_last_reload_success_timestamp_seconds:
      'Time at which the daemon loaded the active configuration, in seconds since the epoch.',
  }),
  ...counters(['receiver', 'result'], {
    proxywatch_notifications_total:
      'Number of requests to the receiver since the daemon started, with the result sent or failed. With the result given_up or dropped, the value is the number of notifications that proxywatch did not deliver. The result given_up means that the receiver rejected the notifications. The result dropped means that notifications waited for too long, or that too many notifications waited.',
  }),
  ...gauges(['receiver'], {
    proxywatch_notifications_waiting:
      'Number of notifications that the receiver has not accepted yet. If the receiver is an Alertmanager, the value is the number of alerts that the Alertmanager has not accepted yet.',
    proxywatch_notifications_waiting_since_timestamp_seconds:
      'Time since which the oldest notification has waited for the receiver, in seconds since the epoch. The series is missing while no notification waits.',
  }),
} as const;

export const DAEMON_FAMILIES = [...Object.values(families), ...REMOTE_WRITE_FAMILIES];

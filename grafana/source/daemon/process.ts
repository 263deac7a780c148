// Builds the Daemon dashboard's rows about its store, notifications and process.

import { notifications } from '../alerts.ts';
import type { Row } from '../dashboard.ts';
import { quantileOf } from '../expressions.ts';
import { stat } from '../stat.ts';
import { bars, graph } from '../time-series.ts';

const INSTANCE_SELECTOR = 'instance=~"$instance"';
const max = (name: string): string => `max by (instance) (${name}{${INSTANCE_SELECTOR}})`;
const rate = (name: string): string =>
  `sum by (instance) (rate(${name}{${INSTANCE_SELECTOR}}[$__rate_interval]))`;
const linesByLegend = (names: Readonly<Record<string, string>>, read: (name: string) => string) =>
  Object.fromEntries(Object.entries(names).map(([legend, name]) => [`{{instance}} ${legend}`, read(name)]));
const writeDuration = (quantile: number): string =>
  quantileOf(quantile, 'proxywatch_store_write_duration_seconds', INSTANCE_SELECTOR, '$__rate_interval');

export const storeRow: Row = {
  title: 'Store',
  panels: [
    graph({
      title: 'Size of the store',
      description: 'Size of the store file and of its write-ahead log.',
      unit: 'decbytes',
      width: 8,
      queries: linesByLegend(
        { store: 'proxywatch_store_size_bytes', log: 'proxywatch_store_wal_size_bytes' },
        max,
      ),
    }),
    graph({
      title: 'Write durations',
      description: 'Median and 99th percentile of the duration of a write to the store.',
      unit: 's',
      width: 8,
      queries: { median: writeDuration(0.5), '99th percentile': writeDuration(0.99) },
    }),
    graph({
      title: 'Writes',
      description: 'Number of all writes and of failed writes to the store per second.',
      unit: 'wps',
      width: 8,
      queries: linesByLegend(
        {
          all: 'proxywatch_store_write_duration_seconds_count',
          failed: 'proxywatch_store_write_errors_total',
        },
        rate,
      ),
    }),
    bars({
      title: 'Maintenance per hour',
      description: 'Number of maintenance runs by result, and number of deleted rows.',
      unit: 'short',
      width: 12,
      stacked: false,
      queries: {
        '{{result}}': `sum by (result) (increase(proxywatch_store_maintenance_runs_total{${INSTANCE_SELECTOR}}[$__interval]))`,
        'deleted rows': `sum(increase(proxywatch_store_maintenance_deleted_rows_total{${INSTANCE_SELECTOR}}[$__interval]))`,
      },
    }),
    stat({
      title: 'Last maintenance',
      description:
        'Time since the last successful maintenance, and the duration of the last maintenance. If there are several daemons, the panel shows the longest time of them. The first maintenance begins ten minutes after the start of the daemon.',
      unit: 's',
      width: 12,
      height: 8,
      noValue: 'not yet',
      queries: {
        ago: `time() - min(proxywatch_store_maintenance_last_success_timestamp_seconds{${INSTANCE_SELECTOR}})`,
        took: `max(proxywatch_store_maintenance_duration_seconds{${INSTANCE_SELECTOR}})`,
      },
    }),
    bars({
      title: 'Scheduled backups',
      description:
        'Number of scheduled backups of the store, by result. There is no data without store.backup.',
      unit: 'short',
      width: 12,
      stacked: false,
      queries: {
        '{{result}}': `sum by (result) (increase(proxywatch_store_backups_total{${INSTANCE_SELECTOR}}[$__interval]))`,
      },
    }),
    stat({
      title: 'Newest scheduled backup',
      description:
        'Time since the newest scheduled backup, and the time for which a backup has been due. If there are several daemons, the panel shows the longest time of them. There is no data without store.backup.',
      unit: 's',
      width: 12,
      height: 8,
      noValue: 'none',
      queries: {
        ago: `time() - min(proxywatch_store_backup_last_success_timestamp_seconds{${INSTANCE_SELECTOR}})`,
        overdue: `max(proxywatch_store_backup_overdue_seconds{${INSTANCE_SELECTOR}})`,
      },
    }),
  ],
};

export const notificationRow: Row = {
  title: 'Notifications',
  collapsed: true,
  panels: [
    graph({
      title: 'Delivery results',
      description:
        'Number of requests to each receiver, and number of notifications that proxywatch did not deliver, by result. Only daemons that evaluate alerts themselves send notifications.',
      unit: 'short',
      width: 12,
      queries: { '{{receiver}} {{result}}': notifications.sent },
    }),
    graph({
      title: 'Waiting notifications',
      description:
        'Number of notifications that wait for each receiver. The number rises while a receiver does not accept notifications.',
      unit: 'short',
      width: 12,
      queries: { '{{receiver}}': notifications.waiting },
    }),
  ],
};

const perReceiver = (name: string, ...labels: string[]): string =>
  `sum by (${['receiver', ...labels].join(', ')}) (increase(${name}{${INSTANCE_SELECTOR}}[$__rate_interval]))`;

export const remoteWriteRow: Row = {
  title: 'Remote write',
  collapsed: true,
  panels: [
    graph({
      title: 'Samples',
      description:
        'Number of samples for each receiver: accepted or refused by it, or expired because it was away for too long.',
      unit: 'short',
      width: 8,
      queries: {
        '{{receiver}} {{result}}': perReceiver('proxywatch_remote_write_samples_total', 'result'),
      },
    }),
    graph({
      title: 'Waiting time',
      description: 'Time for which settled history has waited for each receiver.',
      unit: 's',
      width: 8,
      queries: {
        '{{receiver}}': `max by (receiver) (proxywatch_remote_write_lag_seconds{${INSTANCE_SELECTOR}})`,
      },
    }),
    graph({
      title: 'Bytes and failed requests',
      description:
        'Bytes of all requests to each receiver, and the number of requests that proxywatch has to repeat.',
      unit: 'short',
      width: 8,
      queries: {
        '{{receiver}} bytes': perReceiver('proxywatch_remote_write_bytes_total'),
        '{{receiver}} failed': perReceiver('proxywatch_remote_write_failures_total'),
      },
    }),
  ],
};

export const processRow: Row = {
  title: 'Process and Node.js',
  collapsed: true,
  panels: [
    graph({
      title: 'CPU',
      description: 'Share of a processor core that each daemon uses.',
      unit: 'percentunit',
      width: 8,
      queries: linesByLegend(
        { user: 'process_cpu_user_seconds_total', system: 'process_cpu_system_seconds_total' },
        rate,
      ),
    }),
    graph({
      title: 'Memory',
      description: 'Resident memory, heap, and memory outside the heap.',
      unit: 'decbytes',
      width: 8,
      queries: linesByLegend(
        {
          resident: 'process_resident_memory_bytes',
          'heap used': 'nodejs_heap_size_used_bytes',
          heap: 'nodejs_heap_size_total_bytes',
          external: 'nodejs_external_memory_bytes',
        },
        max,
      ),
    }),
    graph({
      title: 'Event loop lag',
      description: 'Delay of timers: the value at the scrape, the 99th percentile and the maximum.',
      unit: 's',
      width: 8,
      queries: linesByLegend(
        {
          'at the scrape': 'nodejs_eventloop_lag_seconds',
          '99th percentile': 'nodejs_eventloop_lag_p99_seconds',
          maximum: 'nodejs_eventloop_lag_max_seconds',
        },
        max,
      ),
    }),
    graph({
      title: 'Garbage collection',
      description: 'Share of time that garbage collection takes, by kind.',
      unit: 'percentunit',
      width: 12,
      queries: {
        '{{kind}}': `sum by (kind) (rate(nodejs_gc_duration_seconds_sum{${INSTANCE_SELECTOR}}[$__rate_interval]))`,
      },
    }),
    graph({
      title: 'Open files',
      description: 'Number of open file descriptors, and the maximum that the system allows.',
      unit: 'short',
      width: 12,
      queries: linesByLegend({ open: 'process_open_fds', allowed: 'process_max_fds' }, max),
    }),
  ],
};

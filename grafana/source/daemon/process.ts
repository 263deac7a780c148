// Builds the Daemon dashboard's rows about its store, notifications and process.

import { notifications } from '../alerts.ts';
import type { Row } from '../dashboard.ts';
import { bars, graph } from '../graph.ts';
import { stat } from '../stat.ts';

const INSTANCE_SELECTOR = 'instance=~"$instance"';
const max = (name: string): string => `max by (instance) (${name}{${INSTANCE_SELECTOR}})`;
const rate = (name: string): string =>
  `sum by (instance) (rate(${name}{${INSTANCE_SELECTOR}}[$__rate_interval]))`;
const linesByLegend = (names: Readonly<Record<string, string>>, read: (name: string) => string) =>
  Object.fromEntries(Object.entries(names).map(([legend, name]) => [`{{instance}} ${legend}`, read(name)]));
const writeDuration = (quantile: number): string =>
  `histogram_quantile(${quantile}, sum by (le) (rate(proxywatch_store_write_duration_seconds_bucket{${INSTANCE_SELECTOR}}[$__rate_interval])))`;

export const storeRow: Row = {
  title: 'Store',
  panels: [
    graph({
      title: 'Size',
      description: 'Of the file of the store and of its write-ahead log.',
      unit: 'bytes',
      width: 8,
      queries: linesByLegend(
        { store: 'proxywatch_store_size_bytes', log: 'proxywatch_store_wal_size_bytes' },
        max,
      ),
    }),
    graph({
      title: 'Write durations',
      description: 'Half and 99 of a hundred writes were faster.',
      unit: 's',
      width: 8,
      queries: { p50: writeDuration(0.5), p99: writeDuration(0.99) },
    }),
    graph({
      title: 'Writes',
      description: 'A second, and those that failed.',
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
      title: 'Maintenance an hour',
      description: 'Times that history was rolled up, by result, and the rows that it deleted.',
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
      description: 'How long ago it went through and how long it took. It comes ten minutes after the start.',
      unit: 's',
      width: 12,
      height: 8,
      noValue: 'not yet',
      queries: {
        ago: `time() - max(proxywatch_store_maintenance_last_success_timestamp_seconds{${INSTANCE_SELECTOR}})`,
        took: `max(proxywatch_store_maintenance_duration_seconds{${INSTANCE_SELECTOR}})`,
      },
    }),
  ],
};

export const notificationRow: Row = {
  title: 'Notifications',
  collapsed: true,
  panels: [
    graph({
      title: 'Notifications sent',
      description: 'By receiver and result, for daemons that evaluate alerts themselves.',
      unit: 'short',
      width: 12,
      queries: { '{{receiver}} {{result}}': notifications.sent },
    }),
    graph({
      title: 'Notifications waiting',
      description: 'To be sent, by receiver: they grow while a receiver is away.',
      unit: 'short',
      width: 12,
      queries: { '{{receiver}}': notifications.waiting },
    }),
  ],
};

export const processRow: Row = {
  title: 'Process and Node.js',
  collapsed: true,
  panels: [
    graph({
      title: 'CPU',
      description: 'Seconds of a core used in a second.',
      unit: 'percentunit',
      width: 8,
      queries: linesByLegend(
        { user: 'process_cpu_user_seconds_total', system: 'process_cpu_system_seconds_total' },
        rate,
      ),
    }),
    graph({
      title: 'Memory',
      description: 'Resident memory, the heap, and memory outside of it.',
      unit: 'bytes',
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
      description: 'How late timers came: at the scrape, for 99 of a hundred, and at worst.',
      unit: 's',
      width: 8,
      queries: linesByLegend(
        {
          'at the scrape': 'nodejs_eventloop_lag_seconds',
          p99: 'nodejs_eventloop_lag_p99_seconds',
          worst: 'nodejs_eventloop_lag_max_seconds',
        },
        max,
      ),
    }),
    graph({
      title: 'Garbage collection',
      description: 'Part of the time that it took.',
      unit: 'percentunit',
      width: 12,
      queries: {
        '{{kind}}': `sum by (kind) (rate(nodejs_gc_duration_seconds_sum{${INSTANCE_SELECTOR}}[$__rate_interval]))`,
      },
    }),
    graph({
      title: 'Open files',
      description: 'File descriptors in use, and how many are allowed.',
      unit: 'short',
      width: 12,
      queries: linesByLegend({ open: 'process_open_fds', allowed: 'process_max_fds' }, max),
    }),
  ],
};

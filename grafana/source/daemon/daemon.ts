// Builds the Daemon dashboard about proxywatch itself: collectors, requests, store, notifications and process.

import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, IS_STALE, toMillis } from '../expressions.ts';
import { redAbove, redBelow, warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';
import { account, instance } from '../variables.ts';
import { collectorRow } from './collectors.ts';
import { notificationRow, processRow, storeRow } from './process.ts';
import { requestRow } from './requests.ts';

const INSTANCE_SELECTOR = 'instance=~"$instance"';

const now = [
  stat({
    title: 'Daemons',
    description:
      'Shows the number of daemons that Prometheus scrapes. If there are none, no value below is current.',
    unit: 'short',
    width: 3,
    steps: redBelow(1),
    noValue: 'none',
    queries: { daemons: `count(proxywatch_build_info{${INSTANCE_SELECTOR}})` },
  }),
  stat({
    title: 'Uptime',
    description: 'Shows the time since the start of the daemon that started last.',
    unit: 's',
    width: 3,
    queries: {
      up: `min(time() - process_start_time_seconds{${INSTANCE_SELECTOR}})`,
    },
  }),
  stat({
    title: 'Stale collectors',
    description: 'Shows the number of collectors that have not succeeded for three intervals, or never.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { stale: `sum${IS_STALE}` },
  }),
  stat({
    title: 'Failing collectors',
    description: 'Shows the number of collectors with a failed last run.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { failing: `sum(1 - proxywatch_collector_success{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Configuration',
    description:
      'Shows whether the last attempt to load the configuration succeeded. If not, the daemon runs with the previous one.',
    unit: 'bool_yes_no',
    width: 3,
    steps: redBelow(1),
    queries: { loaded: `min(proxywatch_config_last_reload_successful{${INSTANCE_SELECTOR}})` },
  }),
  stat({
    title: 'Failed writes',
    description: 'Shows the number of writes to the store that failed in the time range.',
    unit: 'short',
    decimals: 0,
    width: 3,
    steps: redAbove(1),
    queries: { failed: `sum(increase(proxywatch_store_write_errors_total{${INSTANCE_SELECTOR}}[$__range]))` },
  }),
  stat({
    title: 'Clock offset',
    description:
      "Shows the largest difference between the provider's clock, as in its Date header, and the clock of proxywatch. The header has whole seconds.",
    unit: 's',
    width: 3,
    steps: warnAbove(5, 60),
    queries: { offset: `max(abs(proxywatch_provider_clock_offset_seconds{${ACCOUNT_SELECTOR}}))` },
  }),
  stat({
    title: 'Waiting requests',
    description: 'Shows the number of requests that wait for their turn in the pace of their account.',
    unit: 'short',
    width: 3,
    queries: { waiting: `sum(proxywatch_api_requests_waiting{${ACCOUNT_SELECTOR}})` },
  }),
  table({
    title: 'Daemons',
    description:
      'Shows the versions of each daemon, when it started and loaded its configuration, and when its counters began.',
    width: 24,
    height: 5,
    labels: { instance: 'Daemon', version: 'Version', node_version: 'Node.js' },
    columns: Object.fromEntries(
      [
        ['Started', 'process_start_time_seconds'],
        ['Configuration loaded', 'proxywatch_config_last_reload_success_timestamp_seconds'],
        ['Start of the counters', 'proxywatch_store_epoch_timestamp_seconds'],
      ].map(([heading, name]) => [
        heading,
        {
          expr: toMillis(
            `(max by (instance) (${name}{${INSTANCE_SELECTOR}}) * on (instance) group_left (version, node_version) max by (instance, version, node_version) (proxywatch_build_info{${INSTANCE_SELECTOR}}))`,
          ),
          unit: 'dateTimeAsIso',
        },
      ]),
    ),
  }),
];

export const daemon = dashboard({
  uid: 'proxywatch-daemon',
  title: 'proxywatch / Daemon',
  description:
    'Shows the daemon itself: collectors, requests to the provider, store, notifications and process.',
  range: '6h',
  refresh: '1m',
  variables: [instance(), account()],
  rows: [
    { title: 'Current state', panels: now },
    collectorRow,
    requestRow,
    storeRow,
    notificationRow,
    processRow,
  ],
});

// Builds the Daemon dashboard about proxywatch itself: collectors, requests, store, notifications and process.

import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, IS_STALE, toMillis } from '../expressions.ts';
import { redAbove, redBelow, warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';
import { account, instance } from '../variables.ts';
import { collectorRow } from './collectors.ts';
import { notificationRow, processRow, remoteWriteRow, storeRow } from './process.ts';
import { requestRow } from './requests.ts';

const INSTANCE_SELECTOR = 'instance=~"$instance"';

/** Adds labels of a family whose value is always 1. */
const withLabelsOf = (family: string, labels: string): string =>
  `* on (instance) group_left (${labels}) max by (instance, ${labels}) (${family}{${INSTANCE_SELECTOR}})`;

const now = [
  stat({
    title: 'Daemons',
    description:
      'Number of daemons that Prometheus scrapes. If Prometheus scrapes no daemon, all other values of this dashboard are old.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: redBelow(1),
    noValue: 'none',
    queries: { daemons: `count(proxywatch_build_info{${INSTANCE_SELECTOR}})` },
  }),
  stat({
    title: 'Uptime',
    description: 'Time since the newest start of a daemon.',
    unit: 's',
    width: 6,
    height: 3,
    queries: {
      up: `min(time() - process_start_time_seconds{${INSTANCE_SELECTOR}})`,
    },
  }),
  stat({
    title: 'Stale collectors',
    description:
      'Number of collectors that have had no success for three intervals of their schedule, or that never had a success.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: redAbove(1),
    queries: { stale: `sum${IS_STALE}` },
  }),
  stat({
    title: 'Failing collectors',
    description: 'Number of collectors that failed in their last run.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: redAbove(1),
    queries: { failing: `sum(1 - proxywatch_collector_success{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Configuration',
    description:
      'Whether the last attempt to load the configuration succeeded. After a failed attempt, the previous configuration stays active.',
    unit: 'bool_yes_no',
    width: 6,
    height: 3,
    steps: redBelow(1),
    queries: { loaded: `min(proxywatch_config_last_reload_successful{${INSTANCE_SELECTOR}})` },
  }),
  stat({
    title: 'Failed writes',
    description: 'Number of failed writes to the store in the time range.',
    unit: 'short',
    decimals: 0,
    width: 6,
    height: 3,
    steps: redAbove(1),
    queries: { failed: `sum(increase(proxywatch_store_write_errors_total{${INSTANCE_SELECTOR}}[$__range]))` },
  }),
  stat({
    title: 'Clock offset',
    description:
      "Largest difference between the provider's clock and the clock of proxywatch. proxywatch reads the provider's clock from the Date header, which contains whole seconds.",
    unit: 's',
    width: 6,
    height: 3,
    steps: warnAbove(5, 60),
    queries: { offset: `max(abs(proxywatch_provider_clock_offset_seconds{${ACCOUNT_SELECTOR}}))` },
  }),
  stat({
    title: 'Waiting requests',
    description: 'Number of requests that wait for their turn, because of the pace of their account.',
    unit: 'short',
    width: 6,
    height: 3,
    queries: { waiting: `sum(proxywatch_api_requests_waiting{${ACCOUNT_SELECTOR}})` },
  }),
  table({
    title: 'Daemons',
    description:
      'Shard and versions of each daemon, and the times at which the daemon started, loaded its configuration and began its counters.',
    width: 24,
    height: 5,
    labels: { instance: 'Daemon', shard: 'Shard', version: 'Version', node_version: 'Node.js' },
    columns: Object.fromEntries(
      [
        ['Started', 'process_start_time_seconds'],
        ['Configuration loaded', 'proxywatch_config_last_reload_success_timestamp_seconds'],
        ['Start of the counters', 'proxywatch_store_epoch_timestamp_seconds'],
      ].map(([heading, name]) => [
        heading,
        {
          expr: toMillis(
            `(max by (instance) (${name}{${INSTANCE_SELECTOR}}) ${withLabelsOf('proxywatch_build_info', 'version, node_version')} ${withLabelsOf('proxywatch_shard_info', 'shard')})`,
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
  description: 'The daemon itself: collectors, requests to the provider, store, notifications and process.',
  range: '6h',
  refresh: '1m',
  variables: [instance(), account()],
  rows: [
    { title: 'Current state', panels: now },
    collectorRow,
    requestRow,
    storeRow,
    notificationRow,
    remoteWriteRow,
    processRow,
  ],
});

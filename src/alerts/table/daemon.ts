// Defines the alerts about the daemon itself: its store, its configuration, its notifications, and whether it runs.

import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Alert, DaemonAlert, DaemonEvaluationContext } from '../alert.ts';

export const isStoreFailing = ({
  writeFailures,
  threshold,
}: Pick<DaemonEvaluationContext, 'writeFailures' | 'threshold'>): boolean => writeFailures >= threshold;

/** While its condition holds, the daemon is also not ready. */
export const STORE_FAILING_ALERT: DaemonAlert = {
  name: 'StoreFailing',
  scope: 'daemon',
  severity: 'critical',
  // Within this time a disk that was full only for a moment accepts a write again.
  holdMs: 2 * MINUTE,
  keepFiringMs: 15 * MINUTE,
  labels: [],
  threshold: {
    value: 2,
    unit: 'count',
    meaning: 'The alert fires from this number of failed writes in a row',
  },
  unit: 'count',
  expression: (threshold) => `proxywatch_store_consecutive_write_errors >= ${threshold}`,
  summary: 'proxywatch[ at {instance}] cannot write to its store: {value} writes in a row have failed.',
  meaning: 'Writes to the store fail, and none has succeeded since.',
  consequence:
    'proxywatch loses what it polls meanwhile. Once writes succeed, the counters catch up, as far back as the provider still has the data.',
  checks: [
    'Read the error in the log: the disk may be full, or the file system read-only.',
    'Check the rights of the file, and run `proxywatch store check` to see whether the file is damaged.',
  ],
  condition:
    'At least {threshold} writes in a row have failed. If only some writes fail, [`CollectorFailing`](#collectorfailing) names the collectors.',
  *find(evaluation) {
    if (isStoreFailing(evaluation)) yield { labels: {}, value: evaluation.writeFailures };
  },
};

export const DAEMON_ALERTS: readonly Alert[] = [
  {
    name: 'ProxywatchDown',
    scope: 'outside',
    severity: 'critical',
    holdMs: 3 * MINUTE,
    labels: ['instance'],
    unit: 'none',
    expression: () => 'up{job="proxywatch"} == 0 or absent(up{job="proxywatch"})',
    summary: 'Prometheus cannot scrape proxywatch[ at {instance}].',
    meaning: 'No scrape of the job `proxywatch` has succeeded for minutes, or Prometheus has no such job.',
    consequence: 'No other alert of proxywatch can fire in Prometheus until scrapes succeed again.',
    checks: [
      'Check whether the daemon runs, and read its log.',
      'Check whether Prometheus reaches it: look at the targets in Prometheus.',
    ],
    condition:
      '`up` of the job `proxywatch` is 0 or absent. If your job has another name, change it in the rule. Without Prometheus, a [heartbeat receiver](reference/notifications.md#heartbeats) takes the place of this alert.',
  },
  STORE_FAILING_ALERT,
  {
    name: 'ReloadFailed',
    scope: 'daemon',
    severity: 'warning',
    holdMs: 0,
    labels: [],
    unit: 'none',
    expression: () => 'proxywatch_config_last_reload_successful == 0',
    summary:
      'proxywatch[ at {instance}] could not load its configuration and still runs with the previous one.',
    meaning: 'The newest attempt to load the configuration failed.',
    consequence: 'The changes are not in effect. After a restart, proxywatch may not start with this file.',
    checks: [
      'Read the error in the log. Mistakes in the file have a line and a column.',
      'Run `proxywatch check-config`, which prints all mistakes.',
    ],
    remedy: 'Correct the file and reload.',
    condition: 'The newest attempt to load the configuration failed.',
    *find({ isReloadSuccessful }) {
      if (!isReloadSuccessful) yield { labels: {}, value: 0 };
    },
  },
  {
    name: 'NotificationsFailing',
    scope: 'daemon',
    severity: 'warning',
    holdMs: 0,
    labels: ['receiver'],
    threshold: {
      value: (15 * MINUTE) / SECOND,
      unit: 'seconds',
      meaning: 'The alert fires if notifications have waited for longer than this',
    },
    unit: 'seconds',
    expression: (threshold) =>
      `time() - proxywatch_notifications_waiting_since_timestamp_seconds > ${threshold}`,
    summary: 'Notifications of proxywatch[ at {instance}] have waited for receiver {receiver} for {value}.',
    meaning:
      'The receiver rejects notifications or does not respond. proxywatch queues them and tries again.',
    consequence:
      'Until the receiver accepts them, you get no alerts through it. A webhook loses notifications that it does not accept within a day.',
    checks: [
      'Read the error in the log.',
      'Check whether the receiver runs, and whether its URL and keys are right.',
    ],
    condition: 'Notifications have waited for the receiver for more than {threshold}.',
    *find({ now, waitingSince, threshold }) {
      for (const [receiver, since] of waitingSince) {
        const elapsed = (now - since) / SECOND;
        if (elapsed > threshold) yield { labels: { receiver }, value: elapsed };
      }
    },
  },
];

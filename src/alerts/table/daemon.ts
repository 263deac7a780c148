// Defines the alerts about the daemon itself: its store, its configuration, its notifications, and whether it runs.

import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import {
  type Alert,
  type DaemonEvaluationContext,
  daemonAlert,
  type Finding,
  firesIf,
  SAME_LABELS,
} from '../alert.ts';

export const isStoreFailing = ({
  writeFailures,
  threshold,
}: Pick<DaemonEvaluationContext, 'writeFailures' | 'threshold'>): boolean => writeFailures >= threshold;

/** While its condition holds, the daemon is also not ready. */
export const STORE_FAILING_ALERT = daemonAlert({
  name: 'StoreFailing',
  severity: 'critical',
  // Within this time a disk that was full only for a moment accepts a write again.
  holdMs: 2 * MINUTE,
  keepFiringMs: 15 * MINUTE,
  threshold: firesIf(2, 'count', 'at least this number of writes in a row have failed'),
  expression: (threshold) => `proxywatch_store_consecutive_write_errors >= ${threshold}`,
  summary: 'proxywatch[ at {instance}] cannot write to its store: {value} writes in a row have failed.',
  meaning: 'proxywatch cannot write to its store. Several writes in a row have failed.',
  consequence:
    'Until a write succeeds, proxywatch cannot keep the data that it reads from the provider. After the next successful write, the counters catch up with all data that the provider still has.',
  checks: [
    'Open {view}. The notice at the top names the store, and says how many writes have failed.',
    'Run `proxywatch doctor --config config.yaml`. The command checks whether the store is writable, and how much space its disk has.',
  ],
  remedy:
    'Free space on a full disk, make a read-only file system writable, and give proxywatch permission to write to the store file (`store.path`) and its folder. Otherwise, run `proxywatch store check`. If the file is damaged, stop the daemon and restore a backup with `proxywatch store restore`.',
  condition:
    'At least {threshold} writes in a row have failed. If only some writes fail, [`CollectorFailing`](#collectorfailing) reports the collectors with failed runs.',
  *find(evaluation) {
    if (isStoreFailing(evaluation)) yield { labels: {}, value: evaluation.writeFailures };
  },
});

/** Yields the receivers for which something has waited since these times (ms) for longer than the threshold (s). */
function* waitingTooLong(
  since: ReadonlyMap<string, number>,
  { now, threshold }: DaemonEvaluationContext,
): Generator<Finding> {
  for (const [receiver, at] of since) {
    const elapsed = (now - at) / SECOND;
    if (elapsed > threshold) yield { labels: { receiver }, value: elapsed };
  }
}

export const DAEMON_ALERTS: readonly Alert[] = [
  {
    name: 'ProxywatchDown',
    scope: 'outside',
    severity: 'critical',
    holdMs: 3 * MINUTE,
    labels: ['instance'],
    unit: 'none',
    expression: () => `up{job="proxywatch"} == 0 or ${SAME_LABELS} absent(up{job="proxywatch"})`,
    summary: 'Prometheus cannot scrape proxywatch[ at {instance}].',
    meaning: 'Prometheus cannot scrape this daemon, or Prometheus has no job with the name `proxywatch`.',
    consequence: 'Until a scrape succeeds, no other alert of this daemon can fire in Prometheus.',
    checks: [
      'Open {view}. If it opens, open the page `/targets` of Prometheus too, and read the error of the scrape. If this page does not list the daemon, add the daemon to the scrape configuration.',
      'If the status page does not open, run `proxywatch check-config --config config.yaml` and `proxywatch doctor --config config.yaml` on the machine of the daemon.',
    ],
    remedy: 'If the daemon is not running, correct the last error in its log, and start it.',
    condition:
      '`up` of the job `proxywatch` is 0 or has no series in Prometheus. If your job has another name, write it in the expression of the rule. Without Prometheus, configure a [heartbeat receiver](how-to/get-paged.md#heartbeat) instead.',
  },
  STORE_FAILING_ALERT,
  daemonAlert({
    name: 'ReloadFailed',
    severity: 'warning',
    expression: () => 'proxywatch_config_last_reload_successful == 0',
    summary:
      'proxywatch[ at {instance}] could not load its configuration and still uses the previous configuration.',
    meaning: 'The newest attempt to load the configuration failed.',
    consequence:
      'Your changes are not in effect. If proxywatch restarts before you correct the file, proxywatch can fail to start.',
    section: 'alerts',
    checks: [
      'Open {view}. It shows since when the file has errors.',
      'Run `proxywatch check-config --config config.yaml`. The command prints each error in the configuration file, with its line and column.',
    ],
    remedy:
      'Correct the errors in the file. Then reload the configuration, for example with `POST /-/reload`.',
    condition: 'The newest attempt to load the configuration failed.',
    *find({ isReloadSuccessful }) {
      if (!isReloadSuccessful) yield { labels: {}, value: 0 };
    },
  }),
  daemonAlert({
    name: 'NotificationsFailing',
    severity: 'warning',
    labels: ['receiver'],
    threshold: firesIf(
      (15 * MINUTE) / SECOND,
      'seconds',
      'notifications have waited for longer than this time',
    ),
    expression: (threshold) =>
      `time() - proxywatch_notifications_waiting_since_timestamp_seconds > ${threshold}`,
    summary: 'Notifications of proxywatch[ at {instance}] have waited {value} for receiver {receiver}.',
    meaning:
      'The receiver rejects notifications or does not respond. proxywatch tries to send the notifications again.',
    consequence:
      'Until the receiver accepts notifications, you get no alerts through this receiver. If a webhook does not accept a notification within a day, proxywatch drops the notification.',
    section: 'alerts',
    checks: [
      'Open {view}, and click the name of the alert. Its page shows since when each receiver has accepted nothing.',
      'Run `proxywatch notify --config config.yaml --receiver NAME` with the name of the receiver. The command sends a test notification, and prints the answer of the receiver.',
    ],
    remedy:
      'If the receiver does not respond, check whether it runs and proxywatch can reach it. If it rejects notifications, check its address and its password, token or secret under `alerts.receivers`.',
    condition: 'Notifications have waited for the receiver for more than {threshold}.',
    find: (context) => waitingTooLong(context.waitingSince, context),
    isUnknown: ({ unprovenReceivers }, { receiver = '' }) => unprovenReceivers.has(receiver),
  }),
  daemonAlert({
    name: 'RemoteWriteFailing',
    severity: 'warning',
    labels: ['receiver'],
    threshold: firesIf(
      (15 * MINUTE) / SECOND,
      'seconds',
      'settled history has waited for the receiver for longer than this time',
    ),
    expression: (threshold) => `proxywatch_remote_write_lag_seconds > ${threshold}`,
    summary:
      'Receiver {receiver} of remote write has not taken the history of proxywatch[ at {instance}] for {value}.',
    meaning:
      'The receiver does not answer, answers with an error, or refuses all samples. proxywatch keeps the samples in its store and tries again, except for those that the receiver refuses.',
    consequence:
      'Until the receiver takes the samples, its data ends in the past. While it does not answer, nothing is lost for days: samples expire only when the store rolls them up (`store.retention.raw`). Samples that it refuses are lost for this receiver, until you rewind it.',
    section: 'alerts',
    checks: [
      'Open {view}. It shows how long the samples have waited.',
      'Run `proxywatch doctor --config config.yaml`. The command sends the receiver an empty request, and says what its answer means.',
    ],
    remedy:
      'If the receiver works, but has much to take, such as years of history at a first start, wait: `proxywatch_remote_write_samples_total` rises, and proxywatch sends everything.',
    condition:
      'The receiver has taken nothing for more than {threshold}, although settled history waits for it.',
    find: (context) => waitingTooLong(context.unsentSince, context),
    isUnknown: ({ unprovenWriters }, { receiver = '' }) => unprovenWriters.has(receiver),
  }),
  daemonAlert({
    name: 'BackupFailing',
    severity: 'warning',
    threshold: firesIf(
      HOUR / SECOND,
      'seconds',
      'a scheduled backup of the store has been due for longer than this time',
    ),
    expression: (threshold) => `proxywatch_store_backup_overdue_seconds > ${threshold}`,
    summary: 'The backup of the store of proxywatch[ at {instance}] has been due for {value}.',
    meaning:
      'proxywatch could not make the backup that `store.backup` schedules. It tries again every 10 minutes.',
    consequence:
      'If you lose the store, you can only restore an older backup. Polls, metrics and alerts go on.',
    section: 'alerts',
    checks: [
      'Open {view}. It shows for how long the backup has been due.',
      'Run `proxywatch doctor --config config.yaml`. The command checks whether proxywatch can write to the folder `store.backup.path`, and how much space its disk has.',
    ],
    remedy: 'Until the backups work again, make one with `proxywatch store backup`.',
    condition: 'A scheduled backup has been due for more than {threshold}.',
    *find({ backupOverdueMs, threshold }) {
      const elapsed = backupOverdueMs / SECOND;
      if (elapsed > threshold) yield { labels: {}, value: elapsed };
    },
    // Without a backup, a store that an early version created does not know when it began, so it counts from the start.
    isUnknown: ({ hasBackup }) => !hasBackup,
  }),
];

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
  threshold: { value: 2, unit: 'count', meaning: 'failed writes in a row, at least' },
  unit: 'count',
  expression: (threshold) => `proxywatch_store_consecutive_write_errors >= ${threshold}`,
  summary: 'proxywatch{ instance} cannot write to its store: {value} writes in a row have failed.',
  meaning:
    'Writes to the store fail, and none has succeeded since. What was polled meanwhile is not kept; counters make up for it once writes succeed, as far back as the provider still answers. Where only some fail, `CollectorFailing` tells whose.',
  action:
    'See the error in the log: a full disk, a file system that is read-only, rights of the file, a damaged file (`proxywatch store check`).',
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
    summary: 'Prometheus gets nothing from proxywatch {instance}.',
    meaning:
      'No scrape of the job `proxywatch` has succeeded for minutes, or there is no such job any more: nothing else here can be told.',
    action:
      'See whether the daemon runs, what its log says, and whether Prometheus reaches it. Where the job has another name, change it in the rule. Without Prometheus, a receiver of the type heartbeat does this.',
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
    summary: 'proxywatch{ instance} could not load its configuration and still runs with the previous one.',
    meaning:
      'The newest attempt to load the configuration failed, so what was changed in it is not in effect.',
    action: 'See the mistakes with line and column in the log, or by `proxywatch check-config`, and reload.',
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
    threshold: { value: (15 * MINUTE) / SECOND, unit: 'seconds', meaning: 'notifications wait, more than' },
    unit: 'seconds',
    expression: (threshold) =>
      `time() - proxywatch_notifications_waiting_since_timestamp_seconds > ${threshold}`,
    summary: 'Notifications of proxywatch{ instance} have waited for {receiver} for {value}.',
    meaning: 'The receiver does not take what the daemon has to tell. It is kept, and tried again.',
    action: 'See the error in the log, and whether the receiver is there and its url or keys are right.',
    *find({ now, waitingSince, threshold }) {
      for (const [receiver, since] of waitingSince) {
        const elapsed = (now - since) / SECOND;
        if (elapsed > threshold) yield { labels: { receiver }, value: elapsed };
      }
    },
  },
];

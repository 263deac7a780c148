// Builds the dashboards' queries about alerts: firing alerts of Prometheus or the daemon, and thresholds.

import { SAME_LABELS } from '../../src/alerts/alert.ts';
import { ALERTS } from '../../src/alerts/table.ts';

/** The labels, in addition to the account, that name the subjects of alerts. Each alert has some of them. */
export const SUBJECT_LABELS = [...new Set(ALERTS.flatMap(({ labels }) => labels))].toSorted();

const NAMES = ALERTS.map(({ name }) => name).join('|');

/** Alerts about the daemon itself have no account. */
export const ALL_ALERTS = 'account=~"$account|"';

/** One series with the value 1 for each firing alert, whether Prometheus, the daemon or both evaluate it. */
export const firingAlerts = (
  selector: string = ALL_ALERTS,
  subjectLabels: readonly string[] = SUBJECT_LABELS,
): string =>
  `max by (${['alertname', 'severity', 'account', ...subjectLabels].join(', ')}) (` +
  `ALERTS{alertname=~"${NAMES}", alertstate="firing", ${selector}} or ${SAME_LABELS} ` +
  `label_replace(${firingInDaemons(selector)} == 1, "alertname", "$1", "alert", "(.*)"))`;

/** Alerts about an account have the instance of the scrape only here, so they would differ from those of Prometheus. */
const firingInDaemons = (selector: string): string =>
  `(max without (instance) (proxywatch_alert_firing{${selector}, account!=""})` +
  ` or ${SAME_LABELS} proxywatch_alert_firing{${selector}, account=""})`;

/** The number of firing alerts. It has no value if no daemon is scraped, so that it does not look fine then. */
export const firingCount = `count(${firingAlerts()}) or on () sum(proxywatch_collector_success{account=~"$account"}) * 0`;

export const alertThreshold = (alert: string): string =>
  `max by (account) (proxywatch_alert_threshold{alert="${alert}", account=~"$account"})`;

export const notifications = {
  sent: 'sum by (receiver, result) (increase(proxywatch_notifications_total{instance=~"$instance"}[$__rate_interval]))',
  waiting: 'sum by (receiver) (proxywatch_notifications_waiting{instance=~"$instance"})',
};

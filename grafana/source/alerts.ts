// Builds the dashboards' queries about alerts: firing alerts of Prometheus or the daemon, and thresholds.

import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { ALERTS } from '../../src/alerts/table.ts';
import { DATASOURCE } from './panel.ts';

/** The labels, in addition to the account, that name the subjects of alerts. Each alert has some of them. */
export const SUBJECT_LABELS = [...new Set(ALERTS.flatMap(({ labels }) => labels))].toSorted();

const NAMES = ALERTS.map(({ name }) => name).join('|');

/** Alerts about the daemon itself have no account. */
const FIRING = [
  `ALERTS{alertname=~"${NAMES}", alertstate="firing", account=~"$account|"}`,
  'label_replace(proxywatch_alert_firing{account=~"$account|"} == 1, "alertname", "$1", "alert", "(.*)")',
].join(' or ');

/** One series with the value 1 for each firing alert, whether Prometheus, the daemon or both evaluate it. */
export const firing = `max by (alertname, severity, account, ${SUBJECT_LABELS.join(', ')}) (${FIRING})`;

/** The number of firing alerts. It has no value if no daemon is scraped, so that it does not look fine then. */
export const firingCount = `count(${firing}) or sum(proxywatch_collector_success{account=~"$account"}) * 0`;

export const alertThreshold = (alert: string): string =>
  `max by (account) (proxywatch_alert_threshold{alert="${alert}", account=~"$account"})`;

export const notifications = {
  sent: 'sum by (receiver, result) (increase(proxywatch_notifications_total{instance=~"$instance"}[$__rate_interval]))',
  waiting: 'sum by (receiver) (proxywatch_notifications_waiting{instance=~"$instance"})',
};

/** Marks when alerts fired, with one mark for all subjects of an alert. */
export const firingAnnotation = (): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name('Alerts')
    .datasource(DATASOURCE)
    .enable(true)
    .iconColor('red')
    .expr(`count by (alertname, severity, account) (${firing})`)
    .titleFormat('{{alertname}}')
    .textFormat('{{account}}')
    .tagKeys('severity')
    .step('60s');

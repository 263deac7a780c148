// All that the dashboards ask of alerts: which fire, by Prometheus or by the daemon, and their thresholds.

import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { ALERTS } from '../../src/alerts/table.ts';
import { DATASOURCE } from './panel.ts';

/** What alerts are about, beside the account: each has some of these. */
export const SUBJECTS = [...new Set(ALERTS.flatMap(({ labels }) => labels))].toSorted();

const NAMES = ALERTS.map(({ name }) => name).join('|');

/** Those about the process name no account. */
const FIRING = [
  `ALERTS{alertname=~"${NAMES}", alertstate="firing", account=~"$account|"}`,
  'label_replace(proxywatch_alert_firing{account=~"$account|"} == 1, "alertname", "$1", "alert", "(.*)")',
].join(' or ');

/** One series for each that fires, whether Prometheus says so, the daemon, or both: always 1. */
export const firing = `max by (alertname, severity, account, ${SUBJECTS.join(', ')}) (${FIRING})`;

/** How many fire; nothing at all where no daemon is scraped, which is no reason for calm. */
export const firingCount = `count(${firing}) or sum(proxywatch_collector_success{account=~"$account"}) * 0`;

export const alertThreshold = (alert: string): string =>
  `max by (account) (proxywatch_alert_threshold{alert="${alert}", account=~"$account"})`;

export const notifications = {
  sent: 'sum by (receiver, result) (increase(proxywatch_notifications_total{instance=~"$instance"}[$__rate_interval]))',
  waiting: 'sum by (receiver) (proxywatch_notifications_waiting{instance=~"$instance"})',
};

/** Marks when alerts fired, one mark for all subjects of an alert. */
export const firingMarks = (): AnnotationQueryBuilder =>
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

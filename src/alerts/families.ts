// The metric families of alerts.

import { gauge, type SampleSink } from '../lib/family.ts';
import type { StoredAlert } from '../store/alert-store.ts';

const alertThreshold = gauge(
  'proxywatch_alert_threshold',
  'What the condition of the alert is compared with, as configured, in the unit of docs/alerts.md; 1 for an alert without a threshold, absent for one that is turned off.',
  ['alert'],
);

const alertFiring = gauge(
  'proxywatch_alert_firing',
  'Always 1, of every alert that fires as the daemon itself evaluates it; with the labels of what it is about beside those below.',
  ['alert', 'severity'],
);

export const ALERT_FAMILIES = [alertThreshold, alertFiring];

/** Writes the alerts of one account, or of the daemon. */
export const exposeFiring = async (alerts: readonly StoredAlert[], sink: SampleSink): Promise<void> => {
  for (const [index, { alert, severity, labels }] of alerts.entries()) {
    const names = [...alertFiring.labels, ...Object.keys(labels)];
    sink.sample({ ...alertFiring, labels: names }, { alert, severity, ...labels }, 1);
    if (index % AT_ONCE === AT_ONCE - 1) await sink.drain();
  }
};

/** The event loop is free between so many samples. */
const AT_ONCE = 500;

export const exposeThresholds = (thresholds: Readonly<Record<string, number>>, sink: SampleSink): void => {
  for (const [alert, threshold] of Object.entries(thresholds))
    sink.sample(alertThreshold, { alert }, threshold);
};

// Defines and writes the metric families about alerts: their thresholds, and which of them fire.

import { gauge, type SampleSink } from '../lib/family.ts';
import type { StoredAlert } from '../store/alert-store.ts';

const alertThreshold = gauge(
  'proxywatch_alert_threshold',
  'Configured threshold of the alert, in the unit of docs/alerts.md. The value is 1 for an alert without a threshold. The series is missing if you turned the alert off.',
  ['alert'],
);

const alertFiring = gauge(
  'proxywatch_alert_firing',
  "Alerts that fire according to the daemon's own evaluation. Each series also has the labels of the alert's subject. The value is always 1.",
  ['alert', 'severity'],
);

export const ALERT_FAMILIES = [alertThreshold, alertFiring];

/** Writes a sample for each of the alerts, which fire for one account or for the daemon. */
export const exposeFiring = async (alerts: readonly StoredAlert[], sink: SampleSink): Promise<void> => {
  for (const [index, { alert, severity, labels }] of alerts.entries()) {
    const names = [...alertFiring.labels, ...Object.keys(labels)];
    sink.sample({ ...alertFiring, labels: names }, { alert, severity, ...labels }, 1);
    if (index % SAMPLES_PER_TURN === SAMPLES_PER_TURN - 1) await sink.drain();
  }
};

/** After this many samples, other work gets its turn. */
const SAMPLES_PER_TURN = 500;

/** Writes the thresholds, given by the alert's name. */
export const exposeThresholds = (thresholds: Readonly<Record<string, number>>, sink: SampleSink): void => {
  for (const [alert, threshold] of Object.entries(thresholds))
    sink.sample(alertThreshold, { alert }, threshold);
};

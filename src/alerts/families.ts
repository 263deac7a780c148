// Defines and writes the metric families about alerts: their thresholds, and which of them fire.

import { gauge, type SampleSink } from '../lib/family.ts';
import type { StoredAlert } from '../store/alert-store.ts';

const alertThreshold = gauge(
  'proxywatch_alert_threshold',
  'Configured threshold of the alert, in the unit of docs/alerts.md; 1 for an alert without a threshold, absent for an alert that is turned off.',
  ['alert'],
);

const alertFiring = gauge(
  'proxywatch_alert_firing',
  'Always 1, for every alert that fires in the evaluation by the daemon itself. The labels of its subject are added to those below.',
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

// The metric families of alerts.

import { gauge, type SampleSink } from '../lib/family.ts';

const alertThreshold = gauge(
  'proxywatch_alert_threshold',
  'What the condition of the alert is compared with, as configured, in the unit of docs/alerts.md; 1 for an alert without a threshold, absent for one that is turned off.',
  ['alert'],
);

export const ALERT_FAMILIES = [alertThreshold];

export const exposeThresholds = (thresholds: Readonly<Record<string, number>>, sink: SampleSink): void => {
  for (const [alert, threshold] of Object.entries(thresholds))
    sink.sample(alertThreshold, { alert }, threshold);
};

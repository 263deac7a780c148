// Sums up what a fault did to a twin, in comparison with the healthy one.

import { type Change, changedSeries, labelOf, labelsWith } from '../support/twin-comparison.ts';
import type { Twin } from '../support/twins.ts';
import { isAboutPolling } from './families.ts';

export interface ChangedValue {
  readonly series: string;
  readonly family: string;
  readonly change: Change;
}

export interface Outcome {
  /** The series that changed, without those about polling. */
  readonly changed: readonly ChangedValue[];
  /** Collectors whose last run was no success. */
  readonly failed: readonly string[];
  /** Collectors whose last run was a success although parts of it failed. */
  readonly failingParts: readonly string[];
  /** Collectors that skipped items in their last run. */
  readonly skipping: readonly string[];
  /** Alerts that fire and do not fire for the healthy twin, with the collector that they name. */
  readonly alerts: readonly string[];
  /** The texts of warnings and errors in the log, without those about alerts. */
  readonly log: readonly string[];
}

export const outcomeOf = (before: Twin['samples'], healthy: Twin, faulty: Twin): Outcome => {
  const { samples } = faulty;
  const collectorsWith = (family: string, isWanted: (value: number) => boolean) =>
    labelsWith(samples, `proxywatch_collector_${family}`, 'collector', isWanted);
  const failed = collectorsWith('success', (value) => value === 0);
  const calm = new Set([...alertsOf(healthy), ...messagesOf(healthy)]);
  return {
    changed: changedSeries(before, healthy.samples, samples).filter(({ family }) => !isAboutPolling(family)),
    failed,
    failingParts: collectorsWith('failing_parts', (value) => value > 0).filter(
      (name) => !failed.includes(name),
    ),
    skipping: collectorsWith('skipped_items', (value) => value > 0),
    alerts: alertsOf(faulty).filter((alert) => !calm.has(alert)),
    log: messagesOf(faulty).filter((message) => !calm.has(message)),
  };
};

const FIRING = 'proxywatch_alert_firing';

const alertsOf = ({ samples }: Twin): string[] => {
  const firing = [...samples.keys()].filter((series) => series.startsWith(`${FIRING}{`));
  return [...new Set(firing.map((series) => labelOf(series, 'alert') ?? ''))].sort();
};

const messagesOf = ({ log }: Twin): string[] =>
  [
    ...new Set(
      log.flatMap(({ level, message }) =>
        (level === 'warn' || level === 'error') && !ABOUT_ALERTS.test(message) ? [message] : [],
      ),
    ),
  ].sort();

/** The table has a column for alerts. */
const ABOUT_ALERTS = /^alert firing|alerts? fires? or/;

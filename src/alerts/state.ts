// Computes the next state of an alert as Prometheus does: pending during `for`, firing, kept firing, ended. An alert about a
// share that is left also has steps: it rises when the subject passes another one.

import type { StoredAlert } from '../store/alert-store.ts';
import type { Finding, Severity } from './alert.ts';

/** A subject has passed the step when less than `left` is left. Both shares together are 1. */
export interface Step {
  readonly used: number;
  readonly left: number;
}

/** A subject falls back from a step by more than this share. Smaller falls are corrections, and the next rise is not new. */
const MARGIN = 0.01;

export const stepAt = (used: number): Step => ({ used, left: restOf(used) });
export const stepOfThreshold = (left: number): Step => ({ used: restOf(left), left });

/** Returns the used share of the highest step that the subject has passed, if its step was `before`; 0 if there is none. */
export const highestStep = (steps: readonly Step[], left: number, before: number): number =>
  steps.findLast((step) => left < step.left || (step.used <= before && left < step.left + MARGIN))?.used ?? 0;

/** Returns 0.1 for 0.9. The subtraction alone returns a little less, and Prometheus would show and compare that. */
const restOf = (share: number): number => Number((1 - share).toFixed(12));

/** The settings that decide about an alert's state. Times are in ms. */
export interface Rule {
  readonly holdMs: number;
  readonly keepFiringMs: number;
  readonly severity: Severity;
  readonly steps: readonly Step[];
}

/** All subjects of one alert for one account. */
export interface AlertGroup {
  readonly account: string;
  readonly alert: string;
}

/** Returns the alert's state at `now` (ms); undefined if there is none. An alert that has ended has `endedAt`. */
export const nextState = (
  before: StoredAlert | undefined,
  finding: Finding | undefined,
  group: AlertGroup,
  rule: Rule,
  now: number,
): StoredAlert | undefined =>
  finding ? presentState(before, finding, group, rule, now) : before && absentState(before, rule, now);

const presentState = (
  before: StoredAlert | undefined,
  { labels, value }: Finding,
  { account, alert }: AlertGroup,
  { holdMs, severity, steps }: Rule,
  now: number,
): StoredAlert => {
  const since = Math.min(before?.since ?? now, now);
  // After the clock was set back, no stored time may lie in the future.
  const firingSince = before?.firingSince == null ? null : Math.min(before.firingSince, now);
  return {
    ...{ account, alert, labels, severity, value, since },
    step: highestStep(steps, value, before?.step ?? 0),
    firingSince: firingSince ?? (now - since >= holdMs ? now : null),
    absentSince: null,
    endedAt: null,
  };
};

const absentState = (
  before: StoredAlert,
  { keepFiringMs: keepMs }: Rule,
  now: number,
): StoredAlert | undefined => {
  if (before.firingSince === null) return undefined;
  const absentSince = Math.min(before.absentSince ?? now, now);
  return { ...before, absentSince, endedAt: now - absentSince >= keepMs ? now : null };
};

/** Returns the alert's state at `now` (ms) if its condition is still as it was at the last evaluation. */
export const advanceState = (before: StoredAlert, rule: Rule, now: number): StoredAlert | undefined =>
  nextState(before, before.absentSince === null ? before : undefined, before, rule, now);

/** Whether anything but the value has changed. */
export const isChanged = (before: StoredAlert | undefined, after: StoredAlert): boolean =>
  before?.since !== after.since ||
  before.firingSince !== after.firingSince ||
  before.absentSince !== after.absentSince ||
  before.endedAt !== after.endedAt ||
  before.severity !== after.severity ||
  before.step !== after.step;

export const isFiring = ({ firingSince, endedAt }: StoredAlert): boolean =>
  firingSince !== null && endedAt === null;

/** The key of an alert of an account. */
export const groupKey = (account: string, alert: string): string => `${account}\n${alert}`;

/** The key of a subject of an alert. It does not depend on the order of the labels. */
export const labelsKey = (labels: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(labels);
  if (entries.length > 1) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries);
};

/**
 * The key by which a receiver knows an alert: with another severity it is another alert, as in Alertmanager. The severity
 * comes first, so that alerts of a severity are found by the beginning of their keys.
 */
export const severityKey = ({ severity, account, alert, labels }: StoredAlert): string =>
  [severity, account, alert, labelsKey(labels)].join('\n');

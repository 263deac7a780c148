// Computes the next state of an alert as Prometheus does: pending during `for`, firing, kept firing, ended. An alert about a
// share that is left also has steps: it rises when the subject passes another one. Gathers what one evaluation changes in the
// alerts, in slices that are stored one by one so that the event loop stays free.

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
interface AlertGroup {
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
  // After the clock was set back, no stored time may lie in the future.
  const since = Math.min(before?.since ?? now, now);
  const skippedMs = Math.min(before?.skippedMs ?? 0, now - since);
  const firingSince = before?.firingSince == null ? null : Math.min(before.firingSince, now);
  return {
    ...{ account, alert, labels, severity, value, since, skippedMs },
    step: highestStep(steps, value, before?.step ?? 0),
    firingSince: firingSince ?? (firesAt({ since, skippedMs }, holdMs) <= now ? now : null),
    absentSince: null,
    endedAt: null,
  };
};

/** Returns when a pending alert fires if its condition still holds then (ms). */
export const firesAt = (
  { since, skippedMs }: Pick<StoredAlert, 'since' | 'skippedMs'>,
  holdMs: number,
): number => since + skippedMs + holdMs;

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
const isChanged = (before: StoredAlert | undefined, after: StoredAlert): boolean =>
  before?.since !== after.since ||
  before.skippedMs !== after.skippedMs ||
  before.firingSince !== after.firingSince ||
  before.absentSince !== after.absentSince ||
  before.endedAt !== after.endedAt ||
  before.severity !== after.severity ||
  before.step !== after.step;

export const isFiring = ({ firingSince, endedAt }: StoredAlert): boolean =>
  firingSince !== null && endedAt === null;

export const groupKey = (account: string, alert: string): string => `${account}\n${alert}`;

/** The key of a subject of an alert. It does not depend on the order of the labels. */
export const labelsKey = (labels: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(labels);
  if (entries.length > 1) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries);
};

/** To a receiver, as in Alertmanager, another severity is another alert. It comes first, so a prefix finds its alerts. */
export const severityKey = ({ severity, account, alert, labels }: StoredAlert): string =>
  [severity, account, alert, labelsKey(labels)].join('\n');

/** How many alerts a slice has. Storing them with their history takes about 8 ms. */
const SLICE_ALERTS = 250;

export interface ChangeSlice {
  readonly put: readonly StoredAlert[];
  /** Pending alerts whose condition has ended. */
  readonly removed: readonly StoredAlert[];
  /** Alerts of which only the value may have changed. They are not stored. */
  readonly valueUpdates: readonly StoredAlert[];
  /** Alerts that began to fire. These and the resolved ones are reported. */
  readonly fired: readonly StoredAlert[];
  readonly resolved: readonly StoredAlert[];
  /** Alerts that fired already, and now are at another step. */
  readonly stepped: readonly StoredAlert[];
}

export class EvaluationChanges {
  readonly now: number;
  readonly #slices: OpenSlice[] = [];
  readonly #groups = new Set<string>();

  constructor(now: number) {
    this.now = now;
  }

  get slices(): readonly ChangeSlice[] {
    return this.#slices;
  }

  /** Whether the evaluation has added any subject of this alert of the account. */
  includes(account: string, alert: string): boolean {
    return this.#groups.has(groupKey(account, alert));
  }

  add(before: StoredAlert | undefined, after: StoredAlert | undefined): void {
    const subject = after ?? before;
    if (!subject) return;
    this.#groups.add(groupKey(subject.account, subject.alert));
    const slice = this.#openSlice();
    const wasFiring = before !== undefined && isFiring(before);
    const hasNewSeverity = before?.severity !== after?.severity;
    // An alert with a new severity counts as another alert, because receivers route by severity.
    if (wasFiring && (after?.endedAt || hasNewSeverity))
      slice.resolved.push({ ...before, endedAt: this.now });
    if (after && isFiring(after) && (!wasFiring || hasNewSeverity)) slice.fired.push(after);
    else if (after && isFiring(after) && before?.step !== after.step) slice.stepped.push(after);
    if (!after) slice.removed.push(...(before ? [before] : []));
    else if (isChanged(before, after)) slice.put.push(after);
    else slice.valueUpdates.push(after);
  }

  /** Ends the alert immediately, whether its condition holds or not. */
  end(alert: StoredAlert): void {
    this.add(alert, isFiring(alert) ? { ...alert, endedAt: this.now } : undefined);
  }

  #openSlice(): OpenSlice {
    const last = this.#slices.at(-1);
    if (last && last.put.length + last.removed.length + last.valueUpdates.length < SLICE_ALERTS) return last;
    const next = emptySlice();
    this.#slices.push(next);
    return next;
  }
}

/** A slice to which changes are added. */
type OpenSlice = { readonly [K in keyof ChangeSlice]: StoredAlert[] };

const emptySlice = (): OpenSlice => ({
  put: [],
  removed: [],
  valueUpdates: [],
  fired: [],
  resolved: [],
  stepped: [],
});

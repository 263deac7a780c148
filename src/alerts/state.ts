// The life of one alert, as Prometheus has it: pending until its hold is over, firing, kept for a while, ended.

import type { StoredAlert } from '../store/alert-store.ts';
import type { Finding, Severity } from './alert.ts';

/** An alert as it is evaluated for an account or the daemon; times in ms. */
export interface Rule {
  readonly holdMs: number;
  readonly keepMs: number;
  readonly severity: Severity;
}

/** What a finding is about. */
export interface Subject {
  readonly account: string;
  readonly alert: string;
}

/** What becomes of the alert at `now` (ms); undefined when there is none. One that ended has `endedAt`. */
export const nextState = (
  before: StoredAlert | undefined,
  finding: Finding | undefined,
  subject: Subject,
  rule: Rule,
  now: number,
): StoredAlert | undefined =>
  finding ? held(before, finding, subject, rule, now) : before && missed(before, rule, now);

const held = (
  before: StoredAlert | undefined,
  { labels, value }: Finding,
  { account, alert }: Subject,
  { holdMs, severity }: Rule,
  now: number,
): StoredAlert => {
  const since = Math.min(before?.since ?? now, now);
  // A clock that was set back leaves no time of the future standing.
  const firingSince = before?.firingSince == null ? null : Math.min(before.firingSince, now);
  return {
    ...{ account, alert, labels, severity, value, since },
    firingSince: firingSince ?? (now - since >= holdMs ? now : null),
    absentSince: null,
    endedAt: null,
  };
};

const missed = (before: StoredAlert, { keepMs }: Rule, now: number): StoredAlert | undefined => {
  if (before.firingSince === null) return undefined;
  const absentSince = Math.min(before.absentSince ?? now, now);
  return { ...before, absentSince, endedAt: now - absentSince >= keepMs ? now : null };
};

/** What the mere passing of time makes of the alert, its condition being as it was last found. */
export const laterState = (before: StoredAlert, rule: Rule, now: number): StoredAlert | undefined =>
  nextState(before, before.absentSince === null ? before : undefined, before, rule, now);

/** Whether anything but the value is another. */
export const isChanged = (before: StoredAlert | undefined, after: StoredAlert): boolean =>
  before?.since !== after.since ||
  before.firingSince !== after.firingSince ||
  before.absentSince !== after.absentSince ||
  before.endedAt !== after.endedAt ||
  before.severity !== after.severity;

export const isFiring = ({ firingSince, endedAt }: StoredAlert): boolean =>
  firingSince !== null && endedAt === null;

/** One text for each alert of each account. */
export const groupOf = (account: string, alert: string): string => `${account}\n${alert}`;

/** One text for each subject of an alert. */
export const keyOf = (labels: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(labels);
  if (entries.length > 1) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries);
};

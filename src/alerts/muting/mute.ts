// Defines one silence or maintenance window with the alerts that it matches, and when it is in effect.

import type { StoredAlert } from '../../store/alert-store.ts';
import { type Reason, reasonOf } from '../../store/notice.ts';
import type { Silence } from '../../store/silence-store.ts';
import { HORIZON_MS, isInEffect, type MaintenanceWindow, nextChange } from './maintenance-window.ts';

/** What decides whether an alert is muted. */
export type MutedSubject = Pick<StoredAlert, 'account' | 'alert' | 'labels'>;

export interface Mute {
  /** Names the mute, without its end. */
  readonly reason: Reason;
  /** The value of a label, or `label=value`; null matches every subject. */
  readonly subject: string | null;
  /** Whether it matches alerts with this account and name. */
  matchesGroup(account: string, alert: string): boolean;
  /** Returns when it ends (ms), or Infinity; undefined if it is not in effect at `at`. */
  activeUntil(at: number): number | undefined;
}

export const silenceMute = ({ id, comment, subject, startsAt, endsAt, ...silence }: Silence): Mute => ({
  reason: reasonOf('silence', { silence: id, comment }),
  subject,
  matchesGroup: (account, alert) =>
    (silence.account ?? account) === account && (silence.alert ?? alert) === alert,
  activeUntil: (at) => (startsAt <= at && at < endsAt ? endsAt : undefined),
});

export const windowMute = (window: MaintenanceWindow): Mute => {
  const { name, accounts, alerts } = window;
  return {
    reason: reasonOf('maintenance', { maintenance: name }),
    subject: null,
    matchesGroup: (account, alert) =>
      (accounts?.includes(account) ?? true) && (alerts?.includes(alert) ?? true),
    activeUntil: remembered((at) => (isInEffect(window, at) ? nextChange(window, at) : undefined)),
  };
};

/** Whether the subject of a silence is that of the alert. */
export const matchesSubject = ({ labels }: Pick<StoredAlert, 'labels'>, subject: string | null): boolean =>
  subject === null ||
  Object.entries(labels).some(([name, value]) => value === subject || `${name}=${value}` === subject);

/** Returns the end of the last of the mutes that are in effect at `at` or follow without a gap; see `mutedUntil`. */
export const endOf = (mutes: readonly Pick<Mute, 'activeUntil'>[], at: number): number | undefined => {
  let until = at;
  while (until < at + HORIZON_MS) {
    const next = Math.max(until, ...mutes.map((mute) => mute.activeUntil(until) ?? until));
    if (next === until) break;
    until = next;
  }
  return until > at ? until : undefined;
};

/** Keeps the newest end, because it is asked for each of many alerts. */
export const remembered = (endAt: Mute['activeUntil']): Mute['activeUntil'] => {
  let known = { from: 0, until: 0 };
  return (at) => {
    if (at >= known.from && at < known.until) return known.until;
    const until = endAt(at);
    if (until !== undefined) known = { from: at, until };
    return until;
  };
};

// Defines one silence or maintenance window with the alerts that it matches, and when it is in effect.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { Silence } from '../../store/silence-store.ts';
import { isInEffect, nextChange } from './maintenance-window.ts';
import type { WindowOptions } from './window-options.ts';

/** What mutes an alert. */
export type MuteReason =
  | { readonly kind: 'silence'; readonly id: string; readonly comment: string }
  | { readonly kind: 'maintenance'; readonly name: string };

export interface Mute {
  readonly reason: MuteReason;
  /** The value of a label, or `label=value`; null matches every subject. */
  readonly subject: string | null;
  /** Whether it matches alerts with this account and name. */
  matchesGroup(account: string, alert: string): boolean;
  /** Returns when it ends (ms); undefined if it is not in effect at `at`. */
  activeUntil(at: number): number | undefined;
}

/** A window with its time zone. */
export type MaintenanceWindow = WindowOptions & { readonly time_zone: string };

export const silenceMute = ({ id, comment, subject, startsAt, endsAt, ...silence }: Silence): Mute => ({
  reason: { kind: 'silence', id, comment },
  subject,
  matchesGroup: (account, alert) =>
    (silence.account ?? account) === account && (silence.alert ?? alert) === alert,
  activeUntil: (at) => (startsAt <= at && at < endsAt ? endsAt : undefined),
});

export const windowMute = (window: MaintenanceWindow): Mute => {
  const { name, accounts, alerts } = window;
  // The end is kept, because it is asked for each of many alerts.
  let known = { from: 0, until: 0 };
  return {
    reason: { kind: 'maintenance', name },
    subject: null,
    matchesGroup: (account, alert) =>
      (accounts?.includes(account) ?? true) && (alerts?.includes(alert) ?? true),
    activeUntil: (at) => {
      if (at >= known.from && at < known.until) return known.until;
      if (!isInEffect(window, at)) return undefined;
      known = { from: at, until: nextChange(window, at) };
      return known.until;
    },
  };
};

/** Whether the subject of a silence is that of the alert. */
export const matchesSubject = ({ labels }: Pick<StoredAlert, 'labels'>, subject: string | null): boolean =>
  subject === null ||
  Object.entries(labels).some(([name, value]) => value === subject || `${name}=${value}` === subject);

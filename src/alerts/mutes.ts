// Defines what keeps notifications about an alert back for a time: silences and maintenance windows.

import type { StoredAlert } from '../store/alert-store.ts';

export interface Mutes {
  /** Returns until when (ms) the alert is muted at `now`; undefined if it is not. The dispatcher asks again then. */
  mutedUntil(alert: StoredAlert, now: number): number | undefined;
}

export const NO_MUTES: Mutes = { mutedUntil: () => undefined };

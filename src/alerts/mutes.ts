// Defines what keeps notifications about an alert back for a time: silences and maintenance windows.

import type { StoredAlert } from '../store/alert-store.ts';

export interface Mutes {
  /**
   * Returns until when (ms) the alert is muted at `now`; undefined if it is not. The answer for a past `now` matters too:
   * an alert that began while it was muted waits for `group_wait` after the end of the mute.
   */
  mutedUntil(alert: StoredAlert, now: number): number | undefined;
}

export const NO_MUTES: Mutes = { mutedUntil: () => undefined };

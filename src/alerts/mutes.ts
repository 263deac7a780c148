// Defines what keeps notifications about alerts back: silences and maintenance windows.

import type { StoredAlert } from '../store/alert-store.ts';

export interface Mutes {
  /**
   * Returns when the alert stops being muted (ms); undefined if it is not muted at `now`. The dispatcher asks again then.
   * Mutes that follow each other without a gap count as one. The time may be earlier than the end if the end is more than
   * a month ahead.
   */
  mutedUntil(alert: StoredAlert, now: number): number | undefined;
}

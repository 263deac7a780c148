// Tells since when a receiver failed before this process started, which its alert in the store knows.

import type { ActiveAlerts } from '../alerts/active.ts';
import { isFiring } from '../alerts/state.ts';
import { SECOND } from '../lib/time.ts';

export interface KnownReceiver<T> {
  readonly name: string;
  /** Since when something waits for it (ms), as far as this process knows. */
  readonly waitingSince: T;
  /** Whether the receiver has accepted something since the start. The alert tells nothing about it then. */
  readonly isProven: boolean;
}

/**
 * Returns since when something waits for the receiver (ms). `threshold` is that of the alert about it (s): the alert fired
 * when something had waited for so long.
 */
export const knownWaitingSince = <T>(
  active: ActiveAlerts,
  { alert, threshold }: { readonly alert: string; readonly threshold: number | undefined },
  { name, isProven, waitingSince }: KnownReceiver<T>,
): T | number => {
  if (isProven || threshold === undefined) return waitingSince;
  const stored = [...active.group('', alert).values()].find(({ labels }) => labels['receiver'] === name);
  if (!stored || !isFiring(stored)) return waitingSince;
  const since = stored.since - threshold * SECOND;
  return typeof waitingSince === 'number' ? Math.min(waitingSince, since) : since;
};

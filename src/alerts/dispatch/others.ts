// Finds the alerts of a group that a notification names although the receiver knows them already.

import { yieldEvery } from '../../lib/yield-every.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { ActiveAlerts } from '../active.ts';
import { SEVERITIES } from '../alert.ts';
import type { Mutes } from '../mutes.ts';
import type { Group } from './group.ts';
import type { Route } from './route.ts';
import { firingAlert } from './told-key.ts';

/** After this many alerts, other work gets its turn. */
const ALERTS_PER_TURN = 1_000;

interface Others {
  readonly alerts: readonly StoredAlert[];
  /** When the first mute of a muted alert ends (ms). Complete only if fewer than `count` alerts were found. */
  readonly mutedUntil: number;
}

/**
 * Returns up to `count` alerts that still fire, the most severe first. It leaves out muted alerts, and alerts that no
 * longer pass the filters.
 */
export const othersOf = async (
  group: Group,
  count: number,
  { active, mutes, route, now }: { active: ActiveAlerts; mutes: Mutes; route: Route; now: number },
): Promise<Others> => {
  const alerts: StoredAlert[] = [];
  let firstEnd = Number.POSITIVE_INFINITY;
  const yieldTurn = yieldEvery(ALERTS_PER_TURN);
  for (const severity of count > 0 ? SEVERITIES : []) {
    for (const key of group.told) {
      if (alerts.length >= count) return { alerts, mutedUntil: firstEnd };
      await yieldTurn();
      const alert = key.startsWith(`${severity}\n`) ? firingAlert(active, key) : undefined;
      if (!alert || route.rejectedBy(alert)) continue;
      const mutedUntil = mutes.mutedUntil(alert, now) ?? now;
      if (mutedUntil > now) firstEnd = Math.min(firstEnd, mutedUntil);
      else alerts.push(alert);
    }
  }
  return { alerts, mutedUntil: firstEnd };
};

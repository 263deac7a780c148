// Finds the alerts of a group that a notification names although the receiver knows them already.

import { yieldEvery } from '../../lib/yield-every.ts';
import type { Surroundings } from './difference.ts';
import type { Group } from './group.ts';
import { firstListed } from './listed.ts';
import { firingAlert, type KeyedAlert } from './told-key.ts';

/** After this many alerts, other work gets its turn. */
const ALERTS_PER_TURN = 1_000;

export interface Others {
  readonly alerts: readonly KeyedAlert[];
  /** How many alerts are muted. */
  readonly muted: number;
  /** When the first mute of a muted alert ends (ms). */
  readonly mutedUntil: number;
}

/** Returns up to `count` alerts that still fire, without muted ones and without those that no longer pass the filters. */
export const othersOf = async (
  group: Group,
  count: number,
  { active, mutes, route, now }: Surroundings,
): Promise<Others> => {
  let [alerts, muted, firstEnd]: [KeyedAlert[], number, number] = [[], 0, Number.POSITIVE_INFINITY];
  const yieldTurn = yieldEvery(ALERTS_PER_TURN);
  for (const key of group.told.keys()) {
    const alert = firingAlert(active, key);
    const isPassing = alert && !route.rejects(alert);
    const mutedUntil = isPassing ? (mutes.mutedUntil(alert, now) ?? now) : now;
    if (mutedUntil > now) muted += 1;
    // An alert that rose is news, or is muted until it is due.
    if (group.waiting.has(key)) continue;
    if (mutedUntil > now) firstEnd = Math.min(firstEnd, mutedUntil);
    else if (isPassing) alerts.push({ key, alert });
    if (alerts.length >= ALERTS_PER_TURN) alerts = firstListed(alerts, count);
    await yieldTurn();
  }
  return { alerts: firstListed(alerts, count), muted, mutedUntil: firstEnd };
};

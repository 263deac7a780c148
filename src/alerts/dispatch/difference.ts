// Compares what a receiver was notified about a group with the alerts that fire now.

import { yieldEvery } from '../../lib/yield-every.ts';
import type { ActiveAlerts } from '../active.ts';
import type { Mutes } from '../mutes.ts';
import type { Group } from './group.ts';
import type { Route } from './route.ts';
import { firingAlert, type KeyedAlert } from './told-key.ts';

export interface Difference {
  /** Alerts that the receiver is notified of for the first time. */
  readonly added: readonly KeyedAlert[];
  /** Alerts that ended and fired again since the last notification. The receiver knows them as firing. */
  readonly restored: readonly KeyedAlert[];
  readonly resolved: readonly KeyedAlert[];
}

/** What a group is compared with. */
export interface Surroundings {
  readonly active: ActiveAlerts;
  readonly mutes: Mutes;
  readonly route: Route;
  /** ms. */
  readonly now: number;
}

/** After this many alerts, other work gets its turn. */
const ALERTS_PER_TURN = 1_000;

/** Returns the difference at `now` (ms). Muted alerts are left out, and are due when the mute ends. */
export const differenceOf = async (
  group: Group,
  { active, mutes, route, now }: Surroundings,
): Promise<Difference> => {
  const [added, restored, resolved]: [KeyedAlert[], KeyedAlert[], KeyedAlert[]] = [[], [], []];
  const yieldTurn = yieldEvery(ALERTS_PER_TURN);
  for (const [key, dueAt] of group.waiting) {
    await yieldTurn();
    const alert = firingAlert(active, key);
    if (!alert) group.waiting.delete(key);
    if (!alert || route.tellableAt(alert, now) > now) continue;
    const mutedUntil = mutes.mutedUntil(alert, now) ?? now;
    if (mutedUntil > now) group.waiting.set(key, Math.max(dueAt, mutedUntil));
    else (group.ended.has(key) ? restored : added).push({ key, alert });
  }
  const again = new Set(restored.map(({ key }) => key));
  for (const [key, alert] of group.ended) {
    await yieldTurn();
    if (!again.has(key)) resolved.push({ key, alert });
  }
  return { added, restored, resolved };
};

/** Returns the part about the daemon itself. */
export const ownPartOf = ({ added, restored, resolved }: Difference): Difference => {
  const isOwn = ({ alert }: KeyedAlert): boolean => alert.account === '';
  return {
    added: added.filter(isOwn),
    restored: restored.filter(isOwn),
    resolved: resolved.filter(isOwn),
  };
};

/** Splits the difference into parts of at most `size` alerts; an empty difference is one part. */
export function* partsOf(difference: Difference, size: number): Generator<Difference> {
  const { added, restored, resolved } = difference;
  const total = added.length + restored.length + resolved.length;
  for (let start = 0; start === 0 || start < total; start += size) {
    const part = <T>(items: readonly T[], offset: number): T[] =>
      items.slice(Math.max(0, start - offset), Math.max(0, start + size - offset));
    yield {
      added: part(added, 0),
      restored: part(restored, added.length),
      resolved: part(resolved, added.length + restored.length),
    };
  }
}

// Compares what a receiver was notified about a group with the alerts that fire now.

import { yieldEvery } from '../../lib/yield-every.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { ActiveAlerts } from '../active.ts';
import type { Mutes } from '../muting/alert-mutes.ts';
import type { Group } from './group.ts';
import type { Route } from './route.ts';
import { firingAlert, type KeyedAlert } from './told-key.ts';
import { isRisen } from './told-step.ts';

export interface Difference {
  /** Alerts that the receiver is notified of for the first time. */
  readonly added: readonly KeyedAlert[];
  /** Alerts that the receiver knows as firing, and that have passed a further step. */
  readonly risen: readonly KeyedAlert[];
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
  const found: Lists = { added: [], risen: [], restored: [], resolved: [] };
  /** Alerts that ended and fire again. */
  const again = new Set<string>();
  const yieldTurn = yieldEvery(ALERTS_PER_TURN);
  for (const [key, dueAt] of group.waiting) {
    await yieldTurn();
    const alert = firingAlert(active, key);
    const news = alert && newsOf(group, key, alert);
    if (!news) group.waiting.delete(key);
    if (!news || route.tellableAt(alert, now) > now) continue;
    const mutedUntil = mutes.mutedUntil(alert, now) ?? now;
    if (mutedUntil > now) group.waiting.set(key, Math.max(dueAt, mutedUntil));
    else {
      found[news].push({ key, alert });
      if (group.ended.has(key)) again.add(key);
    }
  }
  for (const [key, alert] of group.ended) {
    await yieldTurn();
    if (!again.has(key)) found.resolved.push({ key, alert });
  }
  return found;
};

type Lists = { [kind in keyof Difference]: KeyedAlert[] };

/** Returns what a firing alert is to the receiver; undefined if it fell back before the receiver was notified of its rise. */
const newsOf = (
  group: Group,
  key: string,
  alert: StoredAlert,
): 'added' | 'risen' | 'restored' | undefined => {
  const known = group.knownStep(key);
  if (known === undefined) return 'added';
  if (isRisen(alert, known)) return 'risen';
  return group.told.has(key) ? undefined : 'restored';
};

export const sizeOf = ({ added, risen, restored, resolved }: Difference): number =>
  added.length + risen.length + restored.length + resolved.length;

/** Returns the part about the daemon itself. */
export const ownPartOf = ({ added, risen, restored, resolved }: Difference): Difference => {
  const isOwn = ({ alert }: KeyedAlert): boolean => alert.account === '';
  return {
    added: added.filter(isOwn),
    risen: risen.filter(isOwn),
    restored: restored.filter(isOwn),
    resolved: resolved.filter(isOwn),
  };
};

/** Splits the difference into parts of at most `size` alerts; an empty difference is one part. */
export function* partsOf(difference: Difference, size: number): Generator<Difference> {
  const { added, risen, restored, resolved } = difference;
  const total = sizeOf(difference);
  for (let start = 0; start === 0 || start < total; start += size) {
    let offset = 0;
    const part = <T>(items: readonly T[]): T[] => {
      const from = start - offset;
      offset += items.length;
      return items.slice(Math.max(0, from), Math.max(0, from + size));
    };
    yield {
      added: part(added),
      risen: part(risen),
      restored: part(restored),
      resolved: part(resolved),
    };
  }
}

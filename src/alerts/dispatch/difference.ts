// Compares what a receiver was notified about a group with the alerts that fire now.

import { yieldEvery } from '../../lib/yield-every.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { ActiveAlerts, KeyedAlert } from '../active.ts';
import type { Mutes } from '../muting/alert-mutes.ts';
import { type Group, isRisen } from './group.ts';
import type { Route } from './route.ts';

/**
 * `added`: the receiver is notified of them for the first time.
 * `risen`: the receiver knows them as firing, and they have passed a further step.
 * `restored`: they ended and fired again since the last notification, and the receiver knows them as firing.
 * `resolved`: they ended.
 */
const KINDS = ['added', 'risen', 'restored', 'resolved'] as const;
type Kind = (typeof KINDS)[number];
export type Difference = Readonly<Record<Kind, readonly KeyedAlert[]>>;

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
  const found: Record<Kind, KeyedAlert[]> = { added: [], risen: [], restored: [], resolved: [] };
  /** Alerts that ended and fire again. */
  const again = new Set<string>();
  const yieldTurn = yieldEvery(ALERTS_PER_TURN);
  for (const [key, dueAt] of group.waiting) {
    await yieldTurn();
    const alert = active.firing(key);
    const news = alert && newsOf(group, key, alert);
    if (!news) group.waiting.delete(key);
    if (!news || route.eligibleAt(alert, now) > now) continue;
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

/** Returns what a firing alert is to the receiver; undefined if it fell back before the receiver was notified of its rise. */
const newsOf = (group: Group, key: string, alert: StoredAlert): Exclude<Kind, 'resolved'> | undefined => {
  const known = group.knownStep(key);
  if (known === undefined) return 'added';
  if (isRisen(alert, known)) return 'risen';
  return group.notified.has(key) ? undefined : 'restored';
};

export const sizeOf = (difference: Difference): number =>
  KINDS.reduce((size, kind) => size + difference[kind].length, 0);

const mapLists = (
  difference: Difference,
  map: (alerts: readonly KeyedAlert[]) => readonly KeyedAlert[],
): Difference =>
  Object.fromEntries(KINDS.map((kind) => [kind, map(difference[kind])])) as unknown as Difference;

/** Returns the part about the daemon itself. */
export const ownPartOf = (difference: Difference): Difference =>
  mapLists(difference, (alerts) => alerts.filter(({ alert }) => alert.account === ''));

/** Splits the difference into parts of at most `size` alerts; an empty difference is one part. */
export function* partsOf(difference: Difference, size: number): Generator<Difference> {
  const total = sizeOf(difference);
  for (let start = 0; start === 0 || start < total; start += size) {
    let offset = 0;
    yield mapLists(difference, (alerts) => {
      const from = start - offset;
      offset += alerts.length;
      return alerts.slice(Math.max(0, from), Math.max(0, from + size));
    });
  }
}

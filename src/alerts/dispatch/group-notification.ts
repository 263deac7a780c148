// Builds the notification about a group with the alerts that it lists, whatever the order in which alerts are known.

import { randomUUID } from 'node:crypto';
import { yieldEvery } from '../../lib/steps.ts';
import type { NewNotification } from '../../store/alert-store.ts';
import type { KeyedAlert } from '../active.ts';
import { SEVERITIES } from '../alert.ts';
import type { AlertDescriber, NotificationContent } from '../notification.ts';
import type { Difference, Group, Surroundings } from './group.ts';
import type { Occasion } from './notified-alerts.ts';

/** The most alerts that a notification lists, so that one about 500 failing proxies stays readable. */
export const MAX_LISTED_ALERTS = 100;

const RANKS: ReadonlyMap<string, number> = new Map(SEVERITIES.map((severity, rank) => [severity, rank]));

/** Returns the first `count` alerts: the most severe first, then those that have fired the longest. */
const firstListed = (alerts: readonly KeyedAlert[], count: number): KeyedAlert[] =>
  alerts.toSorted(compare).slice(0, count);

const compare = (one: KeyedAlert, other: KeyedAlert): number =>
  rankOf(one) - rankOf(other) || firingSince(one) - firingSince(other) || (one.key < other.key ? -1 : 1);

const rankOf = ({ alert }: KeyedAlert): number => RANKS.get(alert.severity) ?? SEVERITIES.length;
const firingSince = ({ alert }: KeyedAlert): number => alert.firingSince ?? alert.since;

/** After this many alerts, only the first of those found so far are kept. */
const MAX_FOUND = 1_000;

interface Others {
  readonly alerts: readonly KeyedAlert[];
  readonly muted: number;
  /** When the first mute of a muted alert ends (ms). */
  readonly mutedUntil: number;
}

/** Returns up to `count` alerts that the receiver knows and that still fire, without muted ones and without those that no longer pass the filters. */
export const othersOf = async (
  group: Group,
  count: number,
  { active, mutes, route, now }: Surroundings,
): Promise<Others> => {
  let [alerts, muted, firstEnd]: [KeyedAlert[], number, number] = [[], 0, Number.POSITIVE_INFINITY];
  const yieldTurn = yieldEvery();
  for (const key of group.notified.keys()) {
    const alert = active.firing(key);
    const isPassing = alert && !route.rejects(alert);
    const mutedUntil = isPassing ? (mutes.mutedUntil(alert, now) ?? now) : now;
    if (mutedUntil > now) muted += 1;
    // An alert that rose is news, or is muted until it is due.
    if (group.waiting.has(key)) continue;
    if (mutedUntil > now) firstEnd = Math.min(firstEnd, mutedUntil);
    else if (isPassing) alerts.push({ key, alert });
    if (alerts.length >= MAX_FOUND) alerts = firstListed(alerts, count);
    await yieldTurn();
  }
  return { alerts: firstListed(alerts, count), muted, mutedUntil: firstEnd };
};

/** Grows with each part of a difference, and keeps its id. */
export class GroupNotification {
  readonly #occasion: Occasion;
  readonly #others: Others;
  readonly #describe: AlertDescriber;
  readonly #id = randomUUID();
  readonly #counts: Record<'firing' | 'silenced' | 'added' | 'risen' | 'resolved', number>;
  readonly #listed: Record<'added' | 'risen' | 'resolved', readonly KeyedAlert[]> = {
    added: [],
    risen: [],
    resolved: [],
  };

  constructor(occasion: Occasion, others: Others, describe: AlertDescriber) {
    this.#occasion = occasion;
    this.#others = others;
    this.#describe = describe;
    const { muted: silenced } = others;
    const firing = occasion.group.notified.size - silenced;
    this.#counts = { firing, silenced, added: 0, risen: 0, resolved: 0 };
  }

  /** Adds a part and returns the notification so far. */
  add({ added, risen, restored, resolved: ended }: Difference): NewNotification {
    const { notified, group, now } = this.#occasion;
    const part = { added, risen, resolved: notified.route.options.send_resolved ? ended : [] };
    const begun = [...added, ...risen, ...restored].filter(({ key }) => !group.notified.has(key));
    this.#counts.firing += begun.length;
    for (const kind of ['added', 'risen', 'resolved'] as const) {
      this.#counts[kind] += part[kind].length;
      this.#listed[kind] = firstListed([...this.#listed[kind], ...part[kind]], MAX_LISTED_ALERTS);
    }
    const body = JSON.stringify(this.#content());
    return { receiver: notified.receiver, id: this.#id, createdAt: now, body };
  }

  #content(): NotificationContent {
    const { key: groupKey, labels: groupLabels } = this.#occasion.group;
    const { added, risen, resolved } = this.#listed;
    const listed = [...added, ...risen, ...resolved, ...this.#others.alerts].slice(0, MAX_LISTED_ALERTS);
    return {
      groupKey,
      groupLabels,
      ...this.#counts,
      alerts: listed.map(({ alert }) => this.#describe(alert)),
    };
  }
}

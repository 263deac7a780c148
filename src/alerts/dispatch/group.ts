// Holds a group of alerts at one receiver, and computes when and of which changes the receiver must be notified.

import { yieldEvery } from '../../lib/steps.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { ActiveAlerts, KeyedAlert } from '../active.ts';
import type { Mutes } from '../muting/alert-mutes.ts';
import type { RoutingOptions } from '../receivers/routing-options.ts';
import type { Route } from './route.ts';

type Timers = Pick<RoutingOptions, 'group_interval' | 'repeat_every'>;

/** Alerts are known by their `severityKey`. Times are in ms. */
export class Group {
  readonly key: string;
  /** When the receiver was last notified; undefined if it knows of no alert of the group. */
  notifiedAt: number | undefined;
  /** Firing alerts that the receiver must be notified of, with the time at which they are due. One that rose is also in `notified`. */
  readonly waiting = new Map<string, number>();
  /** Firing alerts that the receiver was notified of, with the step that it knows. */
  readonly notified = new Map<string, number>();
  /** Alerts that the receiver was notified of and that have ended. One that fires again is also waiting. */
  readonly ended = new Map<string, StoredAlert>();
  /** When the receiver was notified that an alert fires that is in `notified` or `ended`. */
  readonly firstNotifiedAt = new Map<string, number>();
  /** Until when no notified alert needs a repetition, because all of them are muted or no longer for the receiver. */
  quietUntil = Number.NEGATIVE_INFINITY;
  /** When the group is due, unless it changes before. */
  checkAt = Number.NEGATIVE_INFINITY;

  constructor(key: string) {
    this.key = key;
  }

  get labels(): Readonly<Record<string, string>> {
    return JSON.parse(this.key);
  }

  get isEmpty(): boolean {
    return this.waiting.size + this.notified.size + this.ended.size === 0;
  }

  /** Whether the receiver knows of no alert of the group any more. */
  get isForgotten(): boolean {
    return this.notified.size + this.ended.size === 0;
  }

  /** Returns the step that the receiver knows of the alert; undefined if it does not know the alert. */
  knownStep(key: string): number | undefined {
    return this.notified.get(key) ?? this.ended.get(key)?.step;
  }

  /** Lets a later rise be a new one, if the receiver knows the alert. */
  fall(key: string, step: number): void {
    const [known, ended] = [this.notified.get(key), this.ended.get(key)];
    if (known !== undefined) this.notified.set(key, knownStepAfter(known, step));
    if (ended) this.ended.set(key, withStep(ended, knownStepAfter(ended.step, step)));
  }

  dueAt(timers: Timers, quietUntil = this.quietUntil): number {
    const repeatAt = Math.max(this.repeatDueAt(timers), quietUntil);
    return Math.min(this.newsDueAt(timers), repeatAt);
  }

  /** Returns when the receiver must be notified of alerts that began or ended. */
  newsDueAt({ group_interval }: Timers): number {
    const next = (this.notifiedAt ?? Number.NEGATIVE_INFINITY) + group_interval;
    return this.ended.size > 0 ? next : Math.max(next, this.#firstWaitingUntil());
  }

  isRepeatDue(timers: Timers, now: number): boolean {
    return now >= this.repeatDueAt(timers);
  }

  /** Returns when a notification is repeated, unless the receiver is notified before or all alerts are muted. */
  repeatDueAt({ group_interval, repeat_every }: Timers): number {
    if (this.notified.size === 0) return Number.POSITIVE_INFINITY;
    return (this.notifiedAt ?? Number.NEGATIVE_INFINITY) + Math.max(group_interval, repeat_every);
  }

  #firstWaitingUntil(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const at of this.waiting.values()) if (at < first) first = at;
    return first;
  }
}

/** Whether the receiver must be notified again of an alert whose step it knows. 0 means that it knows none. */
export const isRisen = ({ step }: StoredAlert, knownStep: number): boolean =>
  knownStep > 0 && step > knownStep;

/** Returns the step that the receiver knows after the alert moved to `step`, so that a later rise from there is a new one. */
export const knownStepAfter = (knownStep: number, step: number): number =>
  knownStep === 0 ? step : Math.min(knownStep, step);

/** Returns the alert with another step. An alert that has this step already is not copied, because there may be many. */
export const withStep = (alert: StoredAlert, step: number): StoredAlert =>
  alert.step === step ? alert : { ...alert, step };

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

/** Returns the difference at `now` (ms). Muted alerts are left out, and are due when the mute ends. */
export const differenceOf = async (
  group: Group,
  { active, mutes, route, now }: Surroundings,
): Promise<Difference> => {
  const found: Record<Kind, KeyedAlert[]> = { added: [], risen: [], restored: [], resolved: [] };
  /** Alerts that ended and fire again. */
  const again = new Set<string>();
  const yieldTurn = yieldEvery();
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

// Knows for one receiver which firing alerts it was notified of and which wait, by group.

import { yieldEvery } from '../../lib/steps.ts';
import type { NotifiedAlert, StoredAlert } from '../../store/alert-store.ts';
import type { ActiveAlerts, KeyedAlert } from '../active.ts';
import { isFiring, severityKey } from '../state.ts';
import { type Difference, Group, isRisen, knownStepAfter, withStep } from './group.ts';
import type { Route } from './route.ts';

export type KeyedTransitions = Readonly<Record<'fired' | 'resolved' | 'stepped', readonly KeyedAlert[]>>;

export class NotifiedAlerts {
  readonly receiver: string;
  readonly groups = new Map<string, Group>();
  /** When the first group is due (ms). */
  checkAt = Number.NEGATIVE_INFINITY;
  route: Route;
  /** The groups of alerts whose receiver was notified in another group than the present `group_by` makes. */
  #formerGroups = new Map<string, Group>();

  constructor(route: Route) {
    this.receiver = route.receiver;
    this.route = route;
  }

  /** Takes over a stored alert that the receiver was notified of. */
  restore({ groupKey, alert, notifiedAt }: NotifiedAlert): void {
    const [key, group] = [severityKey(alert), this.group(groupKey)];
    group.firstNotifiedAt.set(key, notifiedAt);
    if (alert.endedAt === null) group.notified.set(key, alert.step);
    else group.ended.set(key, alert);
  }

  group(key: string): Group {
    const known = this.groups.get(key);
    if (known) return known;
    const group = new Group(key);
    this.groups.set(key, group);
    return group;
  }

  /** Applies other settings or other mutes, or the time after the clock was set back, to all firing alerts. */
  async reroute(route: Route, active: ActiveAlerts, now: number): Promise<void> {
    this.route = route;
    for (const group of this.groups.values()) {
      group.waiting.clear();
      group.quietUntil = Number.NEGATIVE_INFINITY;
      this.#changed(group);
      if (group.notifiedAt !== undefined) group.notifiedAt = Math.min(group.notifiedAt, now);
      if (group.isEmpty) this.groups.delete(group.key);
    }
    await this.#findFormerGroups(active);
    const yieldTurn = yieldEvery();
    for (const alert of active) {
      if (isFiring(alert)) this.#fired({ key: severityKey(alert), alert }, now);
      await yieldTurn();
    }
    this.checkAt = Number.NEGATIVE_INFINITY;
  }

  /** Returns the group in which the receiver knows the alert or waits for it. */
  groupOf(key: string, alert: StoredAlert): Group | undefined {
    return this.#formerGroups.get(key) ?? this.groups.get(this.route.groupKeyOf(alert));
  }

  /** Returns the alerts that ended among those that the receiver was notified of. */
  endingsOf(resolved: readonly KeyedAlert[]): NotifiedAlert[] {
    return resolved.flatMap(({ key, alert }) => {
      const group = this.groupOf(key, alert);
      const step = group?.notified.get(key);
      if (!group || step === undefined) return [];
      return this.#rowOf(group, key, withStep(alert, step));
    });
  }

  /** Returns the alerts that have another step for the receiver from now on, so that a later rise is a new one. */
  fallsOf(firing: readonly KeyedAlert[]): NotifiedAlert[] {
    return firing.flatMap(({ key, alert }) => {
      const group = this.groupOf(key, alert);
      const known = group?.knownStep(key);
      if (!group || known === undefined) return [];
      const step = knownStepAfter(known, alert.step);
      if (step === known) return [];
      return this.#rowOf(group, key, withStep(group.ended.get(key) ?? alert, step));
    });
  }

  /** Applies what began to fire, ended or moved to another step, after it was stored with `endingsOf` and `fallsOf`. */
  apply({ fired, resolved, stepped }: KeyedTransitions, now: number): void {
    for (const { key, alert } of resolved) {
      const group = this.groupOf(key, alert);
      if (!group) continue;
      group.waiting.delete(key);
      const step = group.notified.get(key);
      if (step !== undefined) group.ended.set(key, withStep(alert, step));
      group.notified.delete(key);
      if (group.isEmpty) this.groups.delete(group.key);
      this.#changed(group);
    }
    for (const each of [...fired, ...stepped]) {
      if (each.alert.step > 0) this.groupOf(each.key, each.alert)?.fall(each.key, each.alert.step);
      this.#fired(each, now);
    }
  }

  /** Applies what the receiver was notified of, after it was stored. `notifiedAt` is undefined if there was no notification. */
  queued(
    group: Group,
    { added, risen, restored, resolved }: Difference,
    notifiedAt: number | undefined,
  ): void {
    for (const { key, alert } of [...added, ...risen, ...restored]) {
      group.waiting.delete(key);
      group.ended.delete(key);
      group.notified.set(key, alert.step);
      if (notifiedAt !== undefined && !group.firstNotifiedAt.has(key))
        group.firstNotifiedAt.set(key, notifiedAt);
    }
    for (const { key } of resolved) {
      group.ended.delete(key);
      group.firstNotifiedAt.delete(key);
      this.#formerGroups.delete(key);
    }
    if (notifiedAt !== undefined) group.notifiedAt = notifiedAt;
    group.quietUntil = Number.NEGATIVE_INFINITY;
    if (group.isForgotten) group.notifiedAt = undefined;
    if (group.isEmpty) this.groups.delete(group.key);
  }

  #rowOf(group: Group, key: string, alert: StoredAlert): NotifiedAlert {
    const notifiedAt = group.firstNotifiedAt.get(key) ?? alert.since;
    return { receiver: this.receiver, groupKey: group.key, alert, notifiedAt };
  }

  #fired({ key, alert }: KeyedAlert, now: number): void {
    if (this.route.rejects(alert)) return;
    const group = this.#formerGroups.get(key) ?? this.group(this.route.groupKeyOf(alert));
    const known = group.notified.get(key);
    if (known !== undefined && !isRisen(alert, known)) return;
    // A rise does not wait for other alerts, just as an end does not.
    const { group_wait } = this.route.options;
    group.waiting.set(key, this.route.eligibleAt(alert, now) + (known === undefined ? group_wait : 0));
    this.#changed(group);
  }

  async #findFormerGroups(active: ActiveAlerts): Promise<void> {
    const yieldTurn = yieldEvery();
    this.#formerGroups = new Map();
    for (const group of this.groups.values()) {
      for (const key of [...group.notified.keys(), ...group.ended.keys()]) {
        const alert = group.ended.get(key) ?? active.firing(key);
        if (alert && this.route.groupKeyOf(alert) !== group.key) this.#formerGroups.set(key, group);
        await yieldTurn();
      }
    }
  }

  #changed(group: Group): void {
    group.checkAt = Number.NEGATIVE_INFINITY;
    this.checkAt = Number.NEGATIVE_INFINITY;
  }
}

/** A group of which a receiver may have to be notified at the time `now` (ms). */
export interface Occasion {
  readonly notified: NotifiedAlerts;
  readonly group: Group;
  readonly now: number;
}

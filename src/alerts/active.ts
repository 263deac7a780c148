// All alerts that are pending, firing or just over, in memory as they are in the store, and what an evaluation changes of them.

import type { StoredAlert } from '../store/alert-store.ts';
import { isChanged, isFiring, keyOf } from './state.ts';

type Group = ReadonlyMap<string, StoredAlert>;

const NONE: Group = new Map();

export class ActiveAlerts {
  /** By account and alert, then by the key of the labels. */
  readonly #groups = new Map<string, Map<string, StoredAlert>>();
  /** Those that ended not long ago. */
  #ended: StoredAlert[] = [];

  constructor(stored: readonly StoredAlert[]) {
    for (const alert of stored) this.#take(alert);
  }

  get ended(): readonly StoredAlert[] {
    return this.#ended;
  }

  *[Symbol.iterator](): Generator<StoredAlert> {
    for (const group of this.#groups.values()) yield* group.values();
  }

  of(account: string, alert: string): Group {
    return this.#groups.get(groupOf(account, alert)) ?? NONE;
  }

  /** What the pass has changed; it is in the store already. */
  apply({ put, removed, seen, fired }: Pass): void {
    const again = new Set(fired.map(identityOf));
    if (again.size > 0) this.#ended = this.#ended.filter((alert) => !again.has(identityOf(alert)));
    for (const alert of [...removed, ...put]) this.#drop(alert);
    for (const alert of [...put, ...seen]) this.#take(alert);
  }

  /** Forgets those that ended before `at` (ms); tells whether there were any. */
  forgetEnded(at: number): boolean {
    const count = this.#ended.length;
    this.#ended = this.#ended.filter(({ endedAt }) => endedAt !== null && endedAt >= at);
    return this.#ended.length < count;
  }

  #take(alert: StoredAlert): void {
    if (alert.endedAt !== null) {
      this.#ended.push(alert);
      return;
    }
    const key = groupOf(alert.account, alert.alert);
    const group = this.#groups.get(key) ?? new Map<string, StoredAlert>();
    this.#groups.set(key, group.set(keyOf(alert.labels), alert));
  }

  #drop({ account, alert, labels }: StoredAlert): void {
    this.#groups.get(groupOf(account, alert))?.delete(keyOf(labels));
  }
}

/** One text for each subject of each alert. */
export const identityOf = ({ account, alert, labels }: StoredAlert): string =>
  `${groupOf(account, alert)}\n${keyOf(labels)}`;

const groupOf = (account: string, alert: string): string => `${account}\n${alert}`;

/** What one evaluation changes. */
export class Pass {
  readonly now: number;
  readonly put: StoredAlert[] = [];
  /** Pending ones that are no more. */
  readonly removed: StoredAlert[] = [];
  /** Those of which nothing but the value may be another. */
  readonly seen: StoredAlert[] = [];
  /** To be told: began to fire, and are over. */
  readonly fired: StoredAlert[] = [];
  readonly resolved: StoredAlert[] = [];

  constructor(now: number) {
    this.now = now;
  }

  step(before: StoredAlert | undefined, after: StoredAlert | undefined): void {
    const wasFiring = before !== undefined && isFiring(before);
    const isOther = before?.severity !== after?.severity;
    // Another severity makes another alert of it, for receivers go by it.
    if (wasFiring && (after?.endedAt || isOther)) this.resolved.push({ ...before, endedAt: this.now });
    if (after && isFiring(after) && (!wasFiring || isOther)) this.fired.push(after);
    if (!after) this.removed.push(...(before ? [before] : []));
    else if (isChanged(before, after)) this.put.push(after);
    else this.seen.push(after);
  }

  /** Ends the alert at once, whatever its condition is. */
  end(alert: StoredAlert): void {
    this.step(alert, isFiring(alert) ? { ...alert, endedAt: this.now } : undefined);
  }

  /** Whose firing alerts are others now. */
  get accounts(): ReadonlySet<string> {
    return new Set([...this.fired, ...this.resolved].map(({ account }) => account));
  }
}

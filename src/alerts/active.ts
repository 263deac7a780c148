// All alerts that are pending, firing or just over, in memory as they are in the store.

import { smallestAfter } from '../lib/smallest.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { Changes } from './pass.ts';
import { groupOf, isFiring, keyOf } from './state.ts';

type Group = ReadonlyMap<string, StoredAlert>;

interface Place {
  readonly id: string;
  readonly alert: StoredAlert;
}

const NONE: Group = new Map();

export class ActiveAlerts {
  /** By account and alert, then by the key of the labels. */
  readonly #groups = new Map<string, Map<string, StoredAlert>>();
  /** Those that ended not long ago, by their identity. */
  readonly #ended = new Map<string, StoredAlert>();

  constructor(stored: readonly StoredAlert[]) {
    for (const alert of stored) this.#take(alert);
  }

  get ended(): readonly StoredAlert[] {
    return [...this.#ended.values()];
  }

  *[Symbol.iterator](): Generator<StoredAlert> {
    for (const group of this.#groups.values()) yield* group.values();
  }

  of(account: string, alert: string): Group {
    return this.#groups.get(groupOf(account, alert)) ?? NONE;
  }

  *ofAccount(account: string): Generator<StoredAlert> {
    for (const [, group] of this.#groupsOf(account)) yield* group.values();
  }

  firingOf(account: string): StoredAlert[] {
    return [...this.ofAccount(account)].filter(isFiring);
  }

  /** Up to `limit` of the account's behind the one with the id `after`, in the order of ids; null for the first ones. */
  after(account: string, after: string | null, limit: number): Place[] {
    const found: Place[] = [];
    for (const [alert, group] of this.#groupsOf(account)) {
      const prefix = `${alert} `;
      if (found.length >= limit) break;
      const isIn = after?.startsWith(prefix) ?? false;
      if (after !== null && !isIn && prefix < after) continue;
      const behind = isIn && after !== null ? after.slice(prefix.length) : '';
      for (const key of smallestAfter(group.keys(), behind, limit - found.length)) {
        const item = group.get(key);
        if (item) found.push({ id: `${prefix}${key}`, alert: item });
      }
    }
    return found;
  }

  /** What a slice of an evaluation has changed; it is in the store already. */
  apply({ put, removed, seen, fired }: Changes): void {
    for (const alert of fired) this.#ended.delete(identityOf(alert));
    for (const alert of removed) this.#drop(alert);
    for (const alert of put) this.#take(alert);
    for (const alert of seen) this.#take(alert);
  }

  endedBefore(at: number): StoredAlert[] {
    return this.ended.filter(({ endedAt }) => endedAt === null || endedAt < at);
  }

  /** Of those that ended. */
  forget(ended: readonly StoredAlert[]): void {
    for (const alert of ended) this.#ended.delete(identityOf(alert));
  }

  /** In the order of the alerts' names. */
  #groupsOf(account: string): (readonly [alert: string, group: Group])[] {
    const prefix = groupOf(account, '');
    return [...this.#groups]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, group]) => [key.slice(prefix.length), group] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #take(alert: StoredAlert): void {
    if (alert.endedAt !== null) {
      this.#drop(alert);
      this.#ended.set(identityOf(alert), alert);
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

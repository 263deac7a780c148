// Holds all alerts that are pending, firing or recently ended, in memory. The store has the same, with values that may be older.

import type { StoredAlert } from '../store/alert-store.ts';
import { type ChangeSlice, groupKey, isFiring, labelsKey } from './state.ts';

type Group = ReadonlyMap<string, StoredAlert>;

export interface KeyedAlert {
  readonly key: string;
  readonly alert: StoredAlert;
}

const NONE: Group = new Map();

export class ActiveAlerts {
  /** By `groupKey`, then by `labelsKey`. */
  readonly #groups = new Map<string, Map<string, StoredAlert>>();
  readonly #ended = new Map<string, StoredAlert>();
  #revision = 0;

  constructor(stored: readonly StoredAlert[]) {
    this.restore(stored);
  }

  /** Takes over alerts of the store. */
  restore(stored: readonly StoredAlert[]): void {
    for (const alert of stored) this.#put(alert);
  }

  get ended(): readonly StoredAlert[] {
    return [...this.#ended.values()];
  }

  *[Symbol.iterator](): Generator<StoredAlert> {
    for (const group of this.#groups.values()) yield* group.values();
  }

  group(account: string, alert: string): Group {
    return this.#groups.get(groupKey(account, alert)) ?? NONE;
  }

  *ofAccount(account: string): Generator<StoredAlert> {
    for (const [, group] of this.#groupsOf(account)) yield* group.values();
  }

  firingOf(account: string): StoredAlert[] {
    return [...this.ofAccount(account)].filter(isFiring);
  }

  /** Returns the alert if it fires with the severity of the `severityKey`. */
  firing(key: string): StoredAlert | undefined {
    const [severity, account = '', name = '', labels = ''] = key.split('\n');
    const alert = this.group(account, name).get(labels);
    return alert && isFiring(alert) && alert.severity === severity ? alert : undefined;
  }

  *items(account: string): Generator<{ readonly id: string; readonly alert: StoredAlert }> {
    for (const [alert, group] of this.#groupsOf(account))
      for (const [key, stored] of group) yield { id: `${alert} ${key}`, alert: stored };
  }

  /** Returns the alert with an id of `items`. */
  find(account: string, id: string): StoredAlert | undefined {
    const end = id.indexOf(' ');
    return this.group(account, id.slice(0, end)).get(id.slice(end + 1));
  }

  /** Rises whenever the alerts change. */
  get revision(): number {
    return this.#revision;
  }

  /** Applies a slice of an evaluation that is stored already. */
  apply({ put, removed, valueUpdates, fired }: ChangeSlice): void {
    this.#revision += 1;
    for (const alert of fired) this.#ended.delete(alertKey(alert));
    for (const alert of removed) this.#remove(alert);
    for (const alert of put) this.#put(alert);
    for (const alert of valueUpdates) this.#put(alert);
  }

  endedBefore(at: number): StoredAlert[] {
    return this.ended.filter(({ endedAt }) => endedAt === null || endedAt < at);
  }

  /** The alerts must have ended. */
  forgetEnded(ended: readonly StoredAlert[]): void {
    for (const alert of ended) this.#ended.delete(alertKey(alert));
  }

  /** The groups of the account, ordered by the alert's name. */
  #groupsOf(account: string): (readonly [alert: string, group: Group])[] {
    const prefix = groupKey(account, '');
    return [...this.#groups]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, group]) => [key.slice(prefix.length), group] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #put(alert: StoredAlert): void {
    if (alert.endedAt !== null) {
      this.#remove(alert);
      this.#ended.set(alertKey(alert), alert);
      return;
    }
    const key = groupKey(alert.account, alert.alert);
    const group = this.#groups.get(key) ?? new Map<string, StoredAlert>();
    this.#groups.set(key, group.set(labelsKey(alert.labels), alert));
  }

  #remove({ account, alert, labels }: StoredAlert): void {
    this.#groups.get(groupKey(account, alert))?.delete(labelsKey(labels));
  }
}

export const alertKey = ({ account, alert, labels }: StoredAlert): string =>
  `${groupKey(account, alert)}\n${labelsKey(labels)}`;

// Stores changes of alerts together with earlier changes that are in effect although the store could not save them.

import type {
  AlertChange,
  AlertStore,
  Changes,
  NotifiedAlert,
  NotifiedGroup,
  StoredAlert,
} from '../store/alert-store.ts';
import { alertKey } from './active.ts';
import { severityKey } from './state.ts';

type Unstored = Pick<AlertChange, 'put' | 'removed' | 'notified' | 'groups' | 'events'>;

const NOTHING: Changes<never> = { put: [], removed: [] };
const NO_CHANGE: AlertChange = { ...NOTHING, notifications: [] };
const notifiedRowKey = ({ receiver, alert }: NotifiedAlert): string => `${receiver}\n${severityKey(alert)}`;
const groupRowKey = ({ receiver, groupKey }: NotifiedGroup): string => `${receiver}\n${groupKey}`;

export class AlertWriter {
  readonly #store: AlertStore;
  #unstored: Unstored | undefined;

  constructor(store: AlertStore) {
    this.#store = store;
  }

  /** Stores the change, if there is any; see `AlertStore.save`. Throws StoreError. */
  async save(change: AlertChange = NO_CHANGE): Promise<ReadonlyMap<string, number>> {
    const whole = { ...change, ...this.#withUnstored(change) };
    if (isEmpty(whole)) return new Map();
    const dropped = await this.#store.save(whole);
    this.#unstored = undefined;
    return dropped;
  }

  /** Keeps a change without notifications, and stores it with the next one. */
  keep(change: Unstored): void {
    this.#unstored = this.#withUnstored(change);
  }

  #withUnstored(change: Unstored): Unstored {
    if (!this.#unstored) return change;
    const { notified, groups, events = [], ...alerts } = this.#unstored;
    return {
      ...merged<StoredAlert>(alerts, change, alertKey),
      notified: merged(notified, change.notified, notifiedRowKey),
      groups: merged(groups, change.groups, groupRowKey),
      // The history records all of them, also if an alert has fired and ended meanwhile.
      events: [...events, ...(change.events ?? [])],
    };
  }
}

/** Events come only with other changes. */
const isEmpty = ({ put, removed, notified = NOTHING, groups = NOTHING, ...rest }: AlertChange): boolean =>
  [put, removed, notified.put, notified.removed, groups.put, groups.removed, rest.notifications].every(
    ({ length }) => length === 0,
  ) && rest.receivers === undefined;

/** Adds older changes to newer ones, which take precedence. */
const merged = <T>(
  older: Changes<T> = NOTHING,
  newer: Changes<T> = NOTHING,
  keyOf: (row: T) => string,
): Changes<T> => {
  const changed = new Set([...newer.put, ...newer.removed].map(keyOf));
  const isCurrent = (row: T): boolean => !changed.has(keyOf(row));
  return {
    put: [...older.put.filter(isCurrent), ...newer.put],
    removed: [...older.removed.filter(isCurrent), ...newer.removed],
  };
};

// Applies the changes of an evaluation to the store and to memory, together with the notifications about them.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isUnchanged } from '../config/unchanged.ts';
import type { AlertChange, AlertStore, NewNotification, StoredAlert } from '../store/alert-store.ts';
import { StoreError } from '../store/errors.ts';
import { ActiveAlerts, alertKey } from './active.ts';
import type { ChangeSlice, EvaluationChanges } from './evaluation-changes.ts';
import { type AlertDescriber, type AlertTransitions, NotificationDraft } from './notification.ts';
import { isFiring } from './state.ts';

export interface RecorderOptions {
  /** Describes an alert for notifications. */
  readonly describe: AlertDescriber;
  /**
   * Called after each evaluation with what is in effect, also if only a part of it could be stored. `dropped` has by
   * receiver how many notifications were dropped.
   */
  readonly onTransitions: (changed: AlertTransitions, dropped: ReadonlyMap<string, number>) => void;
  /** Called with notifications that the store could not save. */
  readonly onUnstoredNotifications: (notifications: readonly NewNotification[]) => void;
}

type Dropped = ReadonlyMap<string, number>;

const NO_TRANSITIONS: AlertTransitions = { fired: [], resolved: [] };
const NOTHING_UNSTORED: Pick<AlertChange, 'put' | 'removed'> = { put: [], removed: [] };
/** How many ended alerts one transaction deletes. */
const FORGET_BATCH = 500;

/** Operations throw StoreError. Slices that were stored before the error are in effect and reported. */
export class AlertRecorder {
  readonly #store: AlertStore;
  readonly #options: RecorderOptions;
  #active = new ActiveAlerts([]);
  /** Receivers that have been notified of all firing alerts. */
  #receivers: readonly string[] = [];
  /** Changes that are in effect although the store could not save them. */
  #unstored = NOTHING_UNSTORED;

  constructor(store: AlertStore, options: RecorderOptions) {
    this.#store = store;
    this.#options = options;
  }

  get active(): ActiveAlerts {
    return this.#active;
  }

  async load(): Promise<void> {
    this.#active = new ActiveAlerts(await this.#store.all());
    this.#receivers = await this.#store.receivers();
  }

  /**
   * Stores the changes slice by slice, with notifications for these receivers. A slice and its notifications are one
   * transaction: after a crash between slices no alert is reported twice, and the next evaluation finds the rest.
   */
  async apply(changes: EvaluationChanges, receivers = this.#receivers): Promise<void> {
    const keptReceivers = this.#receivers.filter((name) => receivers.includes(name));
    await this.#applySlices(changes, keptReceivers, (slice, notifications, isLast) =>
      this.#save(slice, notifications, !isLast),
    );
    if (!isUnchanged(receivers, this.#receivers)) await this.#notifyAddedReceivers(receivers, changes.now);
  }

  /**
   * Does the same, also if the store cannot save it, because the failing store may be what the alert reports. The changes
   * are stored as soon as possible.
   */
  async applyEvenIfUnstored(changes: EvaluationChanges): Promise<void> {
    await this.#applySlices(changes, this.#receivers, async (slice, notifications, isLast) => {
      try {
        return await this.#save(slice, notifications, !isLast);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        this.#unstored = this.#withUnstored(slice);
        this.#options.onUnstoredNotifications(notifications);
        return new Map();
      }
    });
  }

  /** Deletes alerts that ended before `at` (ms). */
  async forgetEnded(at: number): Promise<void> {
    const ended = this.#active.endedBefore(at);
    for (let start = 0; start < ended.length; start += FORGET_BATCH) {
      const batch = ended.slice(start, start + FORGET_BATCH);
      await this.#store.forgetEnded(batch);
      this.#active.forgetEnded(batch);
      await yieldToEventLoop();
    }
  }

  async #applySlices(
    { slices, now }: EvaluationChanges,
    receivers: readonly string[],
    save: (
      changes: ChangeSlice,
      notifications: readonly NewNotification[],
      isLast: boolean,
    ) => Promise<Dropped>,
  ): Promise<void> {
    const draft = new NotificationDraft(now, receivers, this.#options.describe);
    const applied: ChangeSlice[] = [];
    const dropped = new Map<string, number>();
    try {
      for (const slice of slices) {
        const isLast = slice === slices.at(-1);
        for (const [name, count] of await save(slice, draft.add(slice), isLast))
          dropped.set(name, (dropped.get(name) ?? 0) + count);
        this.#active.apply(slice);
        applied.push(slice);
        if (slices.length > 1) await yieldToEventLoop();
      }
    } finally {
      this.#store.releaseHeld();
      this.#options.onTransitions(transitionsOf(applied), dropped);
    }
  }

  async #save(
    changes: ChangeSlice,
    notifications: readonly NewNotification[],
    isHeld: boolean,
  ): Promise<Dropped> {
    const { put, removed } = this.#withUnstored(changes);
    if (put.length + removed.length === 0) return new Map();
    const dropped = await this.#store.save({
      put,
      removed,
      notifications,
      isHeld: isHeld,
    });
    this.#unstored = NOTHING_UNSTORED;
    return dropped;
  }

  /** A new receiver gets all firing alerts, so that it never gets the end of an alert that it did not get before. */
  async #notifyAddedReceivers(receivers: readonly string[], now: number): Promise<void> {
    const added = receivers.filter((name) => !this.#receivers.includes(name));
    const fired = [...this.#active].filter(isFiring);
    const notifications = new NotificationDraft(now, added, this.#options.describe).add({
      fired,
      resolved: [],
    });
    const dropped = await this.#store.save({ put: [], removed: [], notifications, receivers });
    this.#receivers = receivers;
    this.#options.onTransitions(NO_TRANSITIONS, dropped);
  }

  /** Adds the changes that are not stored yet. A newer change of the same alert replaces them. */
  #withUnstored({ put, removed }: Pick<AlertChange, 'put' | 'removed'>): typeof NOTHING_UNSTORED {
    if (this.#unstored === NOTHING_UNSTORED) return { put, removed };
    const changed = new Set([...put, ...removed].map(alertKey));
    const isStillUnstored = (alert: StoredAlert): boolean => !changed.has(alertKey(alert));
    return {
      put: [...this.#unstored.put.filter(isStillUnstored), ...put],
      removed: [...this.#unstored.removed.filter(isStillUnstored), ...removed],
    };
  }
}

const transitionsOf = (slices: readonly ChangeSlice[]): AlertTransitions => ({
  fired: slices.flatMap(({ fired }) => fired),
  resolved: slices.flatMap(({ resolved }) => resolved),
});

// Applies the changes of an evaluation to the store, to memory, and to what receivers are to be notified of.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AlertChange, AlertEvent, AlertStore, StoredAlert } from '../store/alert-store.ts';
import { StoreError } from '../store/errors.ts';
import { ActiveAlerts } from './active.ts';
import type { AlertWriter } from './alert-writer.ts';
import type { Dispatcher } from './dispatch/dispatcher.ts';
import type { AlertTransitions } from './notification.ts';
import type { ChangeSlice, EvaluationChanges } from './state.ts';

/** How many ended alerts one transaction deletes. */
const FORGET_BATCH = 500;

/** Operations throw StoreError. Slices that were stored before the error are in effect and reported. */
export class AlertRecorder {
  readonly #store: AlertStore;
  readonly #writer: AlertWriter;
  readonly #dispatcher: Dispatcher;
  readonly #onTransitions: (changed: AlertTransitions) => void;
  #active = new ActiveAlerts([]);

  constructor(
    store: AlertStore,
    writer: AlertWriter,
    dispatcher: Dispatcher,
    onTransitions: (changed: AlertTransitions) => void,
  ) {
    this.#store = store;
    this.#writer = writer;
    this.#dispatcher = dispatcher;
    this.#onTransitions = onTransitions;
  }

  get active(): ActiveAlerts {
    return this.#active;
  }

  async load(): Promise<void> {
    const active = new ActiveAlerts([]);
    let page = await this.#store.page();
    while (page.length > 0) {
      active.restore(page);
      await yieldToEventLoop();
      page = await this.#store.page(page.at(-1));
    }
    this.#active = active;
  }

  /**
   * Stores the changes slice by slice. After a crash between slices, the next evaluation finds the rest. A slice and the
   * ends that receivers must be notified of are one transaction, so no end is lost.
   */
  async apply(changes: EvaluationChanges): Promise<void> {
    await this.#applySlices(changes, async (change) => void (await this.#writer.save(change)));
    await this.#writer.save();
  }

  /** Does the same, also if the store fails, which the alert may report. The changes are stored as soon as possible. */
  async applyEvenIfUnstored(changes: EvaluationChanges): Promise<void> {
    await this.#applySlices(changes, async (change) => {
      try {
        await this.#writer.save(change);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        this.#writer.keep(change);
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
    save: (change: AlertChange) => Promise<void>,
  ): Promise<void> {
    const applied: ChangeSlice[] = [];
    try {
      for (const slice of slices) {
        await save(this.#changeOf(slice, now));
        this.#active.apply(slice);
        this.#dispatcher.apply(slice, now);
        applied.push(slice);
        if (slices.length > 1) await yieldToEventLoop();
      }
    } finally {
      this.#onTransitions(transitionsOf(applied));
    }
  }

  #changeOf(slice: ChangeSlice, now: number): AlertChange {
    const { put, removed, resolved, fired } = slice;
    const notified = { put: this.#dispatcher.notifiedChangesOf(slice), removed: [] };
    const eventOf =
      (kind: 'fired' | 'resolved') =>
      (alert: StoredAlert): AlertEvent => ({ kind, alert, at: now });
    const events = [...resolved.map(eventOf('resolved')), ...fired.map(eventOf('fired'))];
    return { put, removed, notified, events, notifications: [] };
  }
}

const transitionsOf = (slices: readonly ChangeSlice[]): AlertTransitions => ({
  fired: slices.flatMap(({ fired }) => fired),
  resolved: slices.flatMap(({ resolved }) => resolved),
});

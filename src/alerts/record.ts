// What has become of the alerts, in the store and in memory alike, and the notices that tell of it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUnchanged } from '../config/unchanged.ts';
import type { AlertChange, AlertStore, NewNotice, StoredAlert } from '../store/alert-store.ts';
import { StoreError } from '../store/errors.ts';
import { ActiveAlerts, identityOf } from './active.ts';
import { type Changed, Draft, type Teller } from './notice.ts';
import type { Changes, Pass } from './pass.ts';
import { isFiring } from './state.ts';

export interface RecordOptions {
  /** How alerts are told in notices. */
  readonly teller: Teller;
  /** Told of every evaluation once it is stored, or as much of it as is, and by receiver how many notices were dropped. */
  readonly onSettled: (changed: Changed, dropped: ReadonlyMap<string, number>) => void;
  /** Told of notices that the store did not take. */
  readonly onUnstored: (notices: readonly NewNotice[]) => void;
}

type Dropped = ReadonlyMap<string, number>;

const NOTHING_CHANGED: Changed = { fired: [], resolved: [] };
const NOTHING_OWED: Pick<AlertChange, 'put' | 'removed'> = { put: [], removed: [] };
/** Ended alerts that are forgotten in one transaction. */
const FORGOTTEN_AT_ONCE = 500;

/** Operations throw StoreError; slices that were stored before it are in effect, and reported. */
export class AlertRecord {
  readonly #store: AlertStore;
  readonly #options: RecordOptions;
  #active = new ActiveAlerts([]);
  /** Who has been told of all that fires. */
  #receivers: readonly string[] = [];
  /** What the store did not take although it is in effect. */
  #owed = NOTHING_OWED;

  constructor(store: AlertStore, options: RecordOptions) {
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
   * Stores what the pass has changed, slice by slice, with notices for these receivers. A slice and its notices are one
   * transaction: after a crash in between no alert is reported twice, and the next evaluation finds the rest.
   */
  async take(pass: Pass, receivers = this.#receivers): Promise<void> {
    const told = this.#receivers.filter((name) => receivers.includes(name));
    await this.#settle(pass, told, (changes, notices, isLast) => this.#save(changes, notices, !isLast));
    if (!isUnchanged(receivers, this.#receivers)) await this.#tellOthers(receivers, pass.now);
  }

  /** The same, also when the store does not take it: that may be what there is to tell. It is stored as soon as it can be. */
  async takeAnyway(pass: Pass): Promise<void> {
    await this.#settle(pass, this.#receivers, async (changes, notices, isLast) => {
      try {
        return await this.#save(changes, notices, !isLast);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        this.#owed = this.#withOwed(changes);
        this.#options.onUnstored(notices);
        return new Map();
      }
    });
  }

  /** Forgets what ended before `at` (ms). */
  async forgetEnded(at: number): Promise<void> {
    const over = this.#active.endedBefore(at);
    for (let start = 0; start < over.length; start += FORGOTTEN_AT_ONCE) {
      const some = over.slice(start, start + FORGOTTEN_AT_ONCE);
      await this.#store.forgetEnded(some);
      this.#active.forget(some);
      await nextTurn();
    }
  }

  async #settle(
    { slices, now }: Pass,
    receivers: readonly string[],
    save: (changes: Changes, notices: readonly NewNotice[], isLast: boolean) => Promise<Dropped>,
  ): Promise<void> {
    const draft = new Draft(now, receivers, this.#options.teller);
    const taken: Changes[] = [];
    const dropped = new Map<string, number>();
    try {
      for (const changes of slices) {
        const isLast = changes === slices.at(-1);
        for (const [name, count] of await save(changes, draft.with(changes), isLast))
          dropped.set(name, (dropped.get(name) ?? 0) + count);
        this.#active.apply(changes);
        taken.push(changes);
        if (slices.length > 1) await nextTurn();
      }
    } finally {
      this.#store.release();
      this.#options.onSettled(allOf(taken), dropped);
    }
  }

  async #save(changes: Changes, notices: readonly NewNotice[], isKeptBack: boolean): Promise<Dropped> {
    const { put, removed } = this.#withOwed(changes);
    if (put.length + removed.length === 0) return new Map();
    const dropped = await this.#store.save({ put, removed, notices, isKeptBack });
    this.#owed = NOTHING_OWED;
    return dropped;
  }

  /** A new receiver gets all firing alerts, so that it never gets the end of an alert that it did not get before. */
  async #tellOthers(receivers: readonly string[], now: number): Promise<void> {
    const added = receivers.filter((name) => !this.#receivers.includes(name));
    const fired = [...this.#active].filter(isFiring);
    const notices = new Draft(now, added, this.#options.teller).with({ fired, resolved: [] });
    const dropped = await this.#store.save({ put: [], removed: [], notices, receivers });
    this.#receivers = receivers;
    this.#options.onSettled(NOTHING_CHANGED, dropped);
  }

  /** Of each alert what came of it last. */
  #withOwed({ put, removed }: Pick<AlertChange, 'put' | 'removed'>): typeof NOTHING_OWED {
    if (this.#owed === NOTHING_OWED) return { put, removed };
    const changed = new Set([...put, ...removed].map(identityOf));
    const isLeft = (alert: StoredAlert): boolean => !changed.has(identityOf(alert));
    return {
      put: [...this.#owed.put.filter(isLeft), ...put],
      removed: [...this.#owed.removed.filter(isLeft), ...removed],
    };
  }
}

const allOf = (slices: readonly Changes[]): Changed => ({
  fired: slices.flatMap(({ fired }) => fired),
  resolved: slices.flatMap(({ resolved }) => resolved),
});

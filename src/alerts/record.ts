// What has become of the alerts, in the store and in memory alike, and the notices that tell of it.

import { isUnchanged } from '../config/unchanged.ts';
import type { AlertChange, AlertStore, NewNotice, StoredAlert } from '../store/alert-store.ts';
import { StoreError } from '../store/errors.ts';
import { ActiveAlerts, identityOf, type Pass } from './active.ts';
import { noticesOf, type Teller } from './notice.ts';
import { isFiring } from './state.ts';

export interface RecordOptions {
  /** How alerts are told in notices. */
  readonly teller: Teller;
  /** Told of every evaluation once it is stored, and by receiver how many notices were dropped. */
  readonly onSettled: (pass: Pass, dropped: ReadonlyMap<string, number>) => void;
  /** Told of notices that the store did not take. */
  readonly onUnstored: (notices: readonly NewNotice[]) => void;
}

const NOTHING_OWED: Pick<AlertChange, 'put' | 'removed'> = { put: [], removed: [] };
const NOTHING_DROPPED: ReadonlyMap<string, number> = new Map();

/** Operations throw StoreError, and then nothing has changed. */
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

  /** Takes what the pass has changed; from now on these receivers are told. */
  async take(pass: Pass, receivers = this.#receivers): Promise<void> {
    await this.#save(pass, receivers, this.#noticesOf(pass, receivers));
  }

  /** The same, also when the store does not take it: that may be what there is to tell. It is stored as soon as it can be. */
  async takeAnyway(pass: Pass): Promise<void> {
    const notices = this.#noticesOf(pass, this.#receivers);
    try {
      await this.#save(pass, this.#receivers, notices);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#owed = this.#withOwed(pass);
      this.#active.apply(pass);
      this.#options.onUnstored(notices);
      this.#options.onSettled(pass, NOTHING_DROPPED);
    }
  }

  /** Forgets what ended before `at` (ms). */
  async forgetEnded(at: number): Promise<void> {
    if (this.#active.forgetEnded(at)) await this.#store.forgetEnded(at);
  }

  async #save(pass: Pass, receivers: readonly string[], notices: readonly NewNotice[]): Promise<void> {
    const isSame = isUnchanged(receivers, this.#receivers);
    const { put, removed } = this.#withOwed(pass);
    let dropped = NOTHING_DROPPED;
    if (!isSame || put.length + removed.length > 0) {
      dropped = await this.#store.save({ put, removed, notices, ...(!isSame && { receivers }) });
      this.#receivers = receivers;
      this.#owed = NOTHING_OWED;
    }
    this.#active.apply(pass);
    this.#options.onSettled(pass, dropped);
  }

  /** Of each alert what came of it last. */
  #withOwed({ put, removed }: Pass): typeof NOTHING_OWED {
    const anew = new Set(this.#owed === NOTHING_OWED ? [] : [...put, ...removed].map(identityOf));
    const isLeft = (alert: StoredAlert): boolean => !anew.has(identityOf(alert));
    return {
      put: [...this.#owed.put.filter(isLeft), ...put],
      removed: [...this.#owed.removed.filter(isLeft), ...removed],
    };
  }

  #noticesOf(pass: Pass, receivers: readonly string[]): NewNotice[] {
    const known = new Set(this.#receivers);
    const isAnyNew = receivers.some((name) => !known.has(name));
    // Who is new hears of all that fires, so that he is told of no end of what he never heard of.
    const news = { now: pass.now, fired: isAnyNew ? this.#firingAfter(pass) : [], resolved: [] };
    return receivers.flatMap((name) => noticesOf(name, known.has(name) ? pass : news, this.#options.teller));
  }

  #firingAfter(pass: Pass): StoredAlert[] {
    const ended = pass.put.filter(({ endedAt }) => endedAt !== null);
    const told = new Set([...ended, ...pass.fired].map(identityOf));
    const before = [...this.#active].filter((alert) => isFiring(alert) && !told.has(identityOf(alert)));
    return [...before, ...pass.fired];
  }
}

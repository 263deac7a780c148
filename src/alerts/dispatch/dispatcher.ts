// Decides when each receiver is notified of which alerts, from what the store says that it was notified of.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isUnchanged } from '../../config/unchanged.ts';
import type { AlertStore, StoredAlert, ToldAlert } from '../../store/alert-store.ts';
import { StoreError } from '../../store/errors.ts';
import type { ActiveAlerts } from '../active.ts';
import type { AlertWriter } from '../alert-writer.ts';
import type { ChangeSlice } from '../evaluation-changes.ts';
import type { Group } from './group.ts';
import { type KeyedTransitions, Ledger } from './ledger.ts';
import { type Dropped, Notifier, type NotifierOptions } from './notifier.ts';
import { Route, type RouteOptions } from './route.ts';
import { type KeyedAlert, toldKey } from './told-key.ts';

export interface DispatcherOptions extends Omit<NotifierOptions, 'active' | 'writer'> {
  /** Called with how many notifications were dropped, by receiver. */
  readonly onDropped: (dropped: Dropped) => void;
}

/** After this many groups, evaluations get their turn. */
const GROUPS_PER_CALL = 50;

type Transitions = Pick<ChangeSlice, keyof KeyedTransitions>;

/** Asynchronous methods throw StoreError, and must not run at the same time as each other or as an evaluation. */
export class Dispatcher {
  readonly #store: AlertStore;
  readonly #writer: AlertWriter;
  readonly #options: DispatcherOptions;
  readonly #active: () => ActiveAlerts;
  readonly #notifier: Notifier;
  #ledgers = new Map<string, Ledger>();
  /** When alerts were last dispatched (ms). */
  #lastAt = Number.NEGATIVE_INFINITY;
  #isRecheckNeeded = false;

  constructor(
    store: AlertStore,
    writer: AlertWriter,
    active: () => ActiveAlerts,
    options: DispatcherOptions,
  ) {
    this.#store = store;
    this.#writer = writer;
    this.#options = options;
    this.#active = active;
    this.#notifier = new Notifier({ ...options, writer, active });
  }

  /** Applies the settings of all receivers, and loads or deletes what the store has about new or removed ones. */
  async configure(receivers: readonly RouteOptions[], now: number): Promise<void> {
    const names = receivers.map(({ name }) => name);
    const known = await this.#store.receivers();
    for (const name of known) if (!names.includes(name)) await this.#forget(name);
    if (!isUnchanged(known, names.toSorted()))
      this.#options.onDropped(
        await this.#writer.save({ put: [], removed: [], notifications: [], receivers: names }),
      );
    const ledgers = receivers.map((options) => {
      const route = new Route(options);
      return { route, ledger: this.#ledgers.get(options.name) ?? new Ledger(route) };
    });
    await this.#restore(ledgers.map(({ ledger }) => ledger));
    for (const { route, ledger } of ledgers) await ledger.reroute(route, this.#active(), now);
    this.#ledgers = new Map(ledgers.map(({ ledger }) => [ledger.receiver, ledger]));
  }

  /** Returns what must be stored together with a slice of an evaluation: ended alerts, and those that fell to a lower step. */
  toldChangesOf({ fired, resolved, stepped }: Transitions): ToldAlert[] {
    const [ended, firing] = [resolved.map(withKey), [...fired, ...stepped].filter(hasStep).map(withKey)];
    return [...this.#ledgers.values()].flatMap((ledger) => [
      ...ledger.endingsOf(ended),
      ...ledger.fallsOf(firing),
    ]);
  }

  /** Applies a slice that is in effect. */
  apply({ fired, resolved, stepped }: Transitions, now: number): void {
    if (fired.length + resolved.length + stepped.length === 0) return;
    const keyed = {
      fired: fired.map(withKey),
      resolved: resolved.map(withKey),
      stepped: stepped.map(withKey),
    };
    for (const ledger of this.#ledgers.values()) ledger.apply(keyed, now);
  }

  /** To be called when mutes begin or end at another time than they said. */
  mutesChanged(): void {
    this.#isRecheckNeeded = true;
  }

  /** Returns what is known about the receiver, which the caller only reads. */
  ledgerOf(receiver: string): Ledger | undefined {
    return this.#ledgers.get(receiver);
  }

  isDue(now: number): boolean {
    return (
      this.#isRecheckNeeded ||
      now < this.#lastAt ||
      [...this.#ledgers.values()].some(({ checkAt }) => checkAt <= now)
    );
  }

  /** Queues the notifications that are due, for a limited number of groups. Returns whether more groups may be due. */
  async dispatch(now: number): Promise<boolean> {
    if (this.#isRecheckNeeded || now < this.#lastAt) await this.#recheck(now);
    this.#lastAt = now;
    let [left, failure]: [number, unknown] = [GROUPS_PER_CALL, undefined];
    for (const ledger of this.#ledgers.values()) {
      if (ledger.checkAt > now) continue;
      for (const group of ledger.groups.values()) {
        if (!isGroupDue(ledger, group, now)) continue;
        if (left === 0 && failure === undefined) return true;
        left -= 1;
        failure = await this.#notify(ledger, group, now, failure);
      }
      ledger.checkAt = firstCheckOf(ledger);
    }
    if (failure !== undefined) throw failure;
    return false;
  }

  /** Notifies the receiver, unless the store failed before. Returns the StoreError if there is one. */
  async #notify(ledger: Ledger, group: Group, now: number, failure: unknown): Promise<unknown> {
    try {
      if (failure === undefined) this.#options.onDropped(await this.#notifier.notify(ledger, group, now));
      else await this.#notifier.notifyUnstored(ledger, group, now);
      return failure;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await this.#notifier.notifyUnstored(ledger, group, now);
      return error;
    } finally {
      this.#store.releaseHeld();
      isGroupDue(ledger, group, now);
    }
  }

  async #recheck(now: number): Promise<void> {
    for (const ledger of this.#ledgers.values()) await ledger.reroute(ledger.route, this.#active(), now);
    this.#isRecheckNeeded = false;
  }

  async #restore(ledgers: readonly Ledger[]): Promise<void> {
    const added = new Map(
      ledgers
        .filter(({ receiver }) => !this.#ledgers.has(receiver))
        .map((ledger) => [ledger.receiver, ledger]),
    );
    if (added.size === 0) return;
    let page = await this.#store.told();
    while (page.length > 0) {
      for (const told of page) added.get(told.receiver)?.restore(told);
      await yieldToEventLoop();
      page = await this.#store.told(page.at(-1));
    }
    for (const { receiver, groupKey, notifiedAt } of await this.#store.groups()) {
      const ledger = added.get(receiver);
      if (ledger) ledger.group(groupKey).notifiedAt = notifiedAt;
    }
  }

  async #forget(receiver: string): Promise<void> {
    this.#ledgers.delete(receiver);
    while (await this.#store.forgetTold(receiver)) await yieldToEventLoop();
  }
}

const hasStep = ({ step }: StoredAlert): boolean => step > 0;
const withKey = (alert: StoredAlert): KeyedAlert => ({ key: toldKey(alert), alert });

/** Also computes when the group must be checked next. */
const isGroupDue = ({ route }: Ledger, group: Group, now: number): boolean => {
  if (group.checkAt > now) return false;
  group.checkAt = group.dueAt(route.options);
  return group.checkAt <= now;
};

const firstCheckOf = ({ groups }: Ledger): number => {
  let first = Number.POSITIVE_INFINITY;
  for (const { checkAt } of groups.values()) first = Math.min(first, checkAt);
  return first;
};

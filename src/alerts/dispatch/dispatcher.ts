// Decides when each receiver is notified of which alerts, from what the store says that it was notified of.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isUnchanged } from '../../config/unchanged.ts';
import type { AlertStore, NotifiedAlert, StoredAlert } from '../../store/alert-store.ts';
import { StoreError } from '../../store/errors.ts';
import type { ActiveAlerts, KeyedAlert } from '../active.ts';
import type { AlertWriter } from '../alert-writer.ts';
import { reportQueueOf } from '../notification.ts';
import { type ChangeSlice, severityKey } from '../state.ts';
import { type KeyedTransitions, NotifiedAlerts, type Occasion } from './notified-alerts.ts';
import { type Dropped, Notifier, type NotifierOptions } from './notifier.ts';
import { Route, type RouteOptions } from './route.ts';

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
  #receivers = new Map<string, NotifiedAlerts>();
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
    const names = receivers.flatMap(({ name, report }) => (report ? [name, reportQueueOf(name)] : [name]));
    const known = await this.#store.receivers();
    for (const name of known) if (!names.includes(name)) await this.#forget(name);
    if (!isUnchanged(known, names.toSorted()))
      this.#options.onDropped(
        await this.#writer.save({ put: [], removed: [], notifications: [], receivers: names }),
      );
    const routed = receivers.map((options) => {
      const route = new Route(options);
      return { route, notified: this.#receivers.get(options.name) ?? new NotifiedAlerts(route) };
    });
    await this.#restore(routed.map(({ notified }) => notified));
    for (const { route, notified } of routed) await notified.reroute(route, this.#active(), now);
    this.#receivers = new Map(routed.map(({ notified }) => [notified.receiver, notified]));
  }

  /** Returns what must be stored together with a slice of an evaluation: ended alerts, and those that fell to a lower step. */
  notifiedChangesOf({ fired, resolved, stepped }: Transitions): NotifiedAlert[] {
    const [ended, firing] = [
      resolved.map(withKey),
      [...fired, ...stepped].filter(({ step }) => step > 0).map(withKey),
    ];
    return [...this.#receivers.values()].flatMap((notified) => [
      ...notified.endingsOf(ended),
      ...notified.fallsOf(firing),
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
    for (const notified of this.#receivers.values()) notified.apply(keyed, now);
  }

  /** To be called when mutes begin or end at another time than they said. */
  mutesChanged(): void {
    this.#isRecheckNeeded = true;
  }

  /** Returns what is known about the receiver, which the caller only reads; undefined if it gets no notifications. */
  notifiedOf(receiver: string): NotifiedAlerts | undefined {
    return this.#receivers.get(receiver);
  }

  /** Whether `dispatch` has work at `now` (ms). */
  isDue(now: number): boolean {
    return (
      this.#isRecheckNeeded ||
      now < this.#lastAt ||
      [...this.#receivers.values()].some(({ checkAt }) => checkAt <= now)
    );
  }

  /** Queues the notifications that are due, for a limited number of groups. Returns whether more groups may be due. */
  async dispatch(now: number): Promise<boolean> {
    if (this.#isRecheckNeeded || now < this.#lastAt) await this.#recheck(now);
    this.#lastAt = now;
    let [left, failure]: [number, unknown] = [GROUPS_PER_CALL, undefined];
    for (const notified of this.#receivers.values()) {
      if (notified.checkAt > now) continue;
      for (const group of notified.groups.values()) {
        if (!isGroupDue({ notified, group, now })) continue;
        if (left === 0 && failure === undefined) return true;
        left -= 1;
        failure = await this.#notify({ notified, group, now }, failure);
      }
      notified.checkAt = firstCheckOf(notified);
    }
    if (failure !== undefined) throw failure;
    return false;
  }

  /** Notifies the receiver, unless the store failed before. Returns the StoreError if there is one. */
  async #notify(occasion: Occasion, failure: unknown): Promise<unknown> {
    try {
      if (failure === undefined) this.#options.onDropped(await this.#notifier.notify(occasion));
      else await this.#notifier.notifyUnstored(occasion);
      return failure;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await this.#notifier.notifyUnstored(occasion);
      return error;
    } finally {
      this.#store.releaseHeld();
      isGroupDue(occasion);
    }
  }

  async #recheck(now: number): Promise<void> {
    for (const notified of this.#receivers.values())
      await notified.reroute(notified.route, this.#active(), now);
    this.#isRecheckNeeded = false;
  }

  async #restore(receivers: readonly NotifiedAlerts[]): Promise<void> {
    const added = new Map(
      receivers
        .filter(({ receiver }) => !this.#receivers.has(receiver))
        .map((notified) => [notified.receiver, notified]),
    );
    if (added.size === 0) return;
    let page = await this.#store.notified();
    while (page.length > 0) {
      for (const alert of page) added.get(alert.receiver)?.restore(alert);
      await yieldToEventLoop();
      page = await this.#store.notified(page.at(-1));
    }
    for (const { receiver, groupKey, notifiedAt } of await this.#store.groups()) {
      const notified = added.get(receiver);
      if (notified) notified.group(groupKey).notifiedAt = notifiedAt;
    }
  }

  async #forget(receiver: string): Promise<void> {
    this.#receivers.delete(receiver);
    while (await this.#store.forgetReceiver(receiver)) await yieldToEventLoop();
  }
}

const withKey = (alert: StoredAlert): KeyedAlert => ({ key: severityKey(alert), alert });

/** Also computes when the group must be checked next. */
const isGroupDue = ({ notified: { route }, group, now }: Occasion): boolean => {
  if (group.checkAt > now) return false;
  group.checkAt = group.dueAt(route.options);
  return group.checkAt <= now;
};

const firstCheckOf = ({ groups }: NotifiedAlerts): number => {
  let first = Number.POSITIVE_INFINITY;
  for (const { checkAt } of groups.values()) first = Math.min(first, checkAt);
  return first;
};

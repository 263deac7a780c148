// Delivers notifications through a transport one after another. They wait in the store until the receiver accepts them.

import { BackgroundTask } from '../../lib/background-task.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { Loss, NewNotification, QueuedNotification } from '../../store/alert-store.ts';
import { notificationOf } from '../notification.ts';
import { Outage } from './periodic-sender.ts';
import type { Failure, NotificationKey, Outcome, Receiver, ReceiverContext, Transport } from './receiver.ts';

const FIRST_RETRY_MS = 2 * SECOND;
const LONGEST_RETRY_MS = 5 * MINUTE;
/** The longest `Retry-After` of a receiver that is respected. */
const LONGEST_RETRY_AFTER_MS = HOUR;
/** A notification that was tried and is older than this is dropped. */
const MAX_AGE_MS = DAY;

export class QueuedReceiver implements Receiver {
  readonly name: string;
  isProven = false;
  readonly #transport: Transport;
  readonly #context: ReceiverContext;
  readonly #outage: Outage;
  readonly #outcomes = new Map<string, Outcome>();
  readonly #delivering = new BackgroundTask(() => this.#deliver());
  #waitingInStore = 0;
  /** Notifications that the store could not save. They go first, because they may be about the store. */
  readonly #unstored: NewNotification[] = [];
  #oldestAt: number | undefined;
  #hasAccepted = false;
  /** Failed attempts in a row. */
  #failedAttempts = 0;
  /** When the next attempt is due, on the monotonic clock. */
  #nextAt = Number.NEGATIVE_INFINITY;
  /** The number of a delivered notification that is still in the store. It must not be sent again. */
  #deliveredNumber: number | undefined;
  #isStoreFailing = false;

  /** `context.log` names the receiver. */
  constructor(name: string, transport: Transport, context: ReceiverContext) {
    this.name = name;
    this.#transport = transport;
    this.#context = context;
    this.#outage = new Outage(context.log);
  }

  get waiting(): number {
    return this.#waitingInStore + this.#unstored.length;
  }

  get waitingSince(): number | undefined {
    return this.#outage.since === undefined ? undefined : this.#oldestAt;
  }

  get failingSince(): number | undefined {
    const { since } = this.#outage;
    if (since === undefined || this.#hasAccepted) return since;
    // The outage can be older than this process or the settings, because notifications wait in their order.
    return Math.min(since, this.#oldestAt ?? since);
  }

  async outcomeOf(notification: NotificationKey): Promise<Outcome | undefined> {
    const { groupKey, createdAt: at } = notification;
    const known = this.#outcomes.get(textOf(notification));
    if (known) return known;
    const loss = await this.#context.store.lossOf(this.name, groupKey, at);
    if (loss) return { result: loss, at };
    // Notifications that another process delivered are no longer in the queue.
    return this.#oldestAt !== undefined && this.#oldestAt <= at ? undefined : { result: 'sent', at };
  }

  queueUnstored(notification: NewNotification): void {
    this.#unstored.push(notification);
    this.#delivering.start();
  }

  notificationsQueued(): void {
    this.#delivering.start();
  }

  tick(): void {
    const isWaiting = this.waiting > 0 || this.#isStoreFailing;
    if (isWaiting && this.#context.clock.monotonic() >= this.#nextAt) this.#delivering.start();
  }

  idle(): Promise<void> {
    return this.#delivering.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
    await this.idle();
  }

  async #deliver(): Promise<void> {
    const { clock, store, log } = this.#context;
    try {
      for (let hasMore = true; hasMore; ) hasMore = await this.#deliverNext();
      this.#waitingInStore = await store.queuedCount(this.name);
      this.#isStoreFailing = false;
    } catch (error) {
      // No caller waits for this work. The next tick reads or deletes again what failed now.
      const message = error instanceof Error ? error.message : String(error);
      if (!this.#isStoreFailing)
        log.error({ message }, 'the store could not read or delete waiting notifications');
      this.#isStoreFailing = true;
      this.#nextAt = clock.monotonic() + FIRST_RETRY_MS;
    }
  }

  /** Delivers the next notification. Returns whether another one can be tried immediately. */
  async #deliverNext(): Promise<boolean> {
    const { clock } = this.#context;
    const next = this.#unstored[0] ?? (await this.#nextStored());
    this.#oldestAt = next?.createdAt;
    if (!next) this.#outage.reset();
    this.isProven ||= !next;
    if (!next || clock.monotonic() < this.#nextAt) return false;
    const content = notificationOf(next.body);
    const delivery = await this.#transport.send({ id: next.id, content });
    if (!delivery) return false;
    const notification = { ...next, groupKey: content.groupKey };
    if (delivery.isDelivered) return this.#succeeded(notification);
    return this.#failed(notification, delivery);
  }

  async #succeeded(notification: PendingNotification): Promise<true> {
    this.#context.count(this.name, 'sent');
    this.#outage.ended();
    this.#hasAccepted = true;
    this.isProven = true;
    this.#failedAttempts = 0;
    await this.#finish(notification, 'sent');
    return true;
  }

  async #failed(
    notification: PendingNotification,
    { reason, isFinal, retryAfterMs }: Failure,
  ): Promise<boolean> {
    const { clock, log, count } = this.#context;
    if (isFinal) {
      count(this.name, 'given_up');
      log.error({ reason }, 'the receiver rejects a notification; proxywatch gives it up');
      await this.#finish(notification, 'given_up');
      return true;
    }
    count(this.name, 'failed');
    this.#outage.failed(reason, clock.now());
    const backoff = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failedAttempts);
    this.#failedAttempts += 1;
    this.#nextAt = clock.monotonic() + Math.min(LONGEST_RETRY_AFTER_MS, Math.max(backoff, retryAfterMs ?? 0));
    // Only a notification that was tried is dropped, so a daemon that was down for days still delivers old ones.
    if (clock.now() - notification.createdAt > MAX_AGE_MS) {
      count(this.name, 'dropped');
      log.error({ reason }, 'proxywatch drops a notification that the receiver did not accept within a day');
      await this.#finish(notification, 'dropped');
    }
    return false;
  }

  async #nextStored(): Promise<QueuedNotification | undefined> {
    if (this.#deliveredNumber !== undefined) await this.#dequeue(this.#deliveredNumber);
    return this.#context.store.nextNotification(this.name);
  }

  async #finish(notification: PendingNotification, result: Outcome['result']): Promise<void> {
    const { number } = notification;
    this.#outcomes.set(textOf(notification), { result, at: this.#context.clock.now() });
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MAX_OUTCOMES && oldest !== undefined) this.#outcomes.delete(oldest);
    if (number === undefined) this.#unstored.shift();
    else await this.#dequeue(number, result === 'sent' ? undefined : result);
  }

  async #dequeue(number: number, loss?: Loss): Promise<void> {
    this.#deliveredNumber = number;
    await this.#context.store.removeNotification(number, loss);
    this.#deliveredNumber = undefined;
  }
}

type PendingNotification = NewNotification & Partial<QueuedNotification> & NotificationKey;

/** As many as the queue in the store holds. */
const MAX_OUTCOMES = 1_000;

const textOf = ({ groupKey, createdAt }: NotificationKey): string => `${createdAt} ${groupKey}`;

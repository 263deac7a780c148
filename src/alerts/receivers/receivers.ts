// Holds all receivers of the daemon, and replaces them when the configuration changes.

import { isUnchanged } from '../../config/unchanged.ts';
import type { NewNotification } from '../../store/alert-store.ts';
import { reportQueueOf } from '../notification.ts';
import { AlertmanagerReceiver } from './alertmanager.ts';
import { createEmailTransport } from './email.ts';
import { HeartbeatReceiver } from './heartbeat.ts';
import { isRouted, type ReceiverOptions, type RoutedOptions } from './options.ts';
import { QueuedReceiver } from './queued-receiver.ts';
import type { Receiver, ReceiverContext, Transport, TransportContext } from './receiver.ts';
import { createWebhookTransport } from './webhook.ts';

export interface ReceiverEntry {
  readonly options: ReceiverOptions;
  readonly receiver: Receiver;
  /** Sends the reports of the receiver, if it has any. */
  readonly reports?: Receiver | undefined;
}

export class Receivers implements AsyncDisposable {
  readonly #context: ReceiverContext;
  #entries: readonly ReceiverEntry[] = [];

  constructor(context: ReceiverContext) {
    this.#context = context;
  }

  /** The receivers in effect with their options, in the order of the configuration. */
  get entries(): readonly ReceiverEntry[] {
    return this.#entries;
  }

  get list(): readonly Receiver[] {
    return this.#entries.flatMap(receiversOf);
  }

  /** Keeps receivers with unchanged options. Aborts requests of the others, whose waiting notifications stay in the store. */
  async replace(wanted: readonly ReceiverOptions[]): Promise<void> {
    const findUnchanged = (options: ReceiverOptions) =>
      this.#entries.find((entry) => isUnchanged(entry.options, options));
    const kept = wanted.map(findUnchanged);
    const removed = this.#entries.filter((entry) => !kept.includes(entry));
    // The old receivers stop first, so that no notification is sent twice at the same time.
    await Promise.all(removed.flatMap(receiversOf).map((receiver) => receiver[Symbol.asyncDispose]()));
    this.#entries = wanted.map(
      (options, index) =>
        kept[index] ?? { options, receiver: this.#receiverOf(options), reports: this.#reportsOf(options) },
    );
    // A new receiver starts with the notifications that wait under its name.
    this.alertsChanged();
    this.notificationsQueued();
  }

  /** Queues notifications that the store could not save. */
  queueUnstored(notifications: readonly NewNotification[]): void {
    for (const notification of notifications)
      this.list.find(({ name }) => name === notification.receiver)?.queueUnstored?.(notification);
  }

  alertsChanged(): void {
    for (const receiver of this.list) receiver.alertsChanged?.();
  }

  notificationsQueued(): void {
    for (const receiver of this.list) receiver.notificationsQueued?.();
  }

  tick(): void {
    for (const receiver of this.list) receiver.tick();
  }

  async idle(): Promise<void> {
    await Promise.all(this.list.map((receiver) => receiver.idle()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.list.map((receiver) => receiver[Symbol.asyncDispose]()));
  }

  #receiverOf(options: ReceiverOptions): Receiver {
    switch (options.type) {
      case 'alertmanager':
        return new AlertmanagerReceiver(options, this.#context);
      case 'webhook':
      case 'email':
        return this.#queuedReceiverOf(options);
      case 'heartbeat':
        return new HeartbeatReceiver(options, this.#context);
    }
  }

  #reportsOf(options: ReceiverOptions): Receiver | undefined {
    return isRouted(options) && options.report
      ? this.#queuedReceiverOf(options, reportQueueOf(options.name))
      : undefined;
  }

  #queuedReceiverOf(options: RoutedOptions, name = options.name): Receiver {
    const context = { ...this.#context, log: this.#context.log.child({ receiver: name }) };
    return new QueuedReceiver(name, createNotificationTransport(options, context), context);
  }
}

const receiversOf = ({ receiver, reports }: ReceiverEntry): Receiver[] =>
  reports ? [receiver, reports] : [receiver];

export const createNotificationTransport = (options: RoutedOptions, context: TransportContext): Transport =>
  options.type === 'email'
    ? createEmailTransport(options, context)
    : createWebhookTransport(options, context);

// Sends requests to one address at intervals, one at a time, and logs when the receiver starts to fail and recovers.

import { BackgroundTask } from '../../lib/background-task.ts';
import type { Log } from '../../lib/log.ts';
import type { Delivery, ReceiverContext } from './receiver.ts';
import { createSender, type Message, type Sender } from './send.ts';

export abstract class PeriodicSender implements AsyncDisposable {
  readonly name: string;
  isProven = false;
  protected readonly context: ReceiverContext;
  protected readonly outage: Outage;
  /** When to send next, on the monotonic clock. After a start it sends immediately. */
  protected nextAt = Number.NEGATIVE_INFINITY;
  readonly #sender: Sender;
  readonly #task = new BackgroundTask(() => this.work());

  constructor(name: string, context: ReceiverContext, fields: Readonly<Record<string, unknown>> = {}) {
    this.name = name;
    this.context = context;
    this.#sender = createSender(context.clock, context.userAgent);
    this.outage = new Outage(context.log.child({ receiver: name, ...fields }));
  }

  protected abstract work(): Promise<void>;

  start(): void {
    this.#task.start();
  }

  tick(): void {
    if (this.context.clock.monotonic() >= this.nextAt) this.start();
  }

  idle(): Promise<void> {
    return this.#task.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sender[Symbol.asyncDispose]();
    await this.idle();
  }

  /** Sends the request and counts it. Returns undefined if the sender was closed meanwhile. */
  protected async send(message: Message): Promise<Delivery | undefined> {
    const delivery = await this.#sender.send(message);
    if (delivery) this.context.count(this.name, delivery.isDelivered ? 'sent' : 'failed');
    return delivery;
  }
}

export class Outage {
  readonly #log: Log;
  /** When the outage began (ms); undefined while there is none. */
  since: number | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  failed(reason: string, now: number): void {
    if (this.since === undefined)
      this.#log.warn(
        { reason },
        'the receiver rejects notifications or does not respond; proxywatch sends them again',
      );
    this.since ??= now;
  }

  /** Ends the outage without a log line: nothing is left to send, so it is unknown whether the receiver has recovered. */
  reset(): void {
    this.since = undefined;
  }

  ended(): void {
    if (this.since !== undefined) this.#log.info({}, 'the receiver accepts notifications again');
    this.since = undefined;
  }
}

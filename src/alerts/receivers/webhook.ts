// Webhooks: notices wait in the store until the receiver has taken them, one after another.

import { Background } from '../../lib/background.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { NewNotice, QueuedNotice } from '../../store/alert-store.ts';
import type { Notice } from '../notice.ts';
import type { WebhookOptions } from './options.ts';
import { Outage } from './outage.ts';
import type { Receiver, ReceiverContext } from './receiver.ts';
import { createSender, type Failure, type Sender } from './send.ts';
import { webhookHeaders } from './signature.ts';
import { bodyOf } from './templates.ts';

const FIRST_RETRY_MS = 2 * SECOND;
const LONGEST_RETRY_MS = 5 * MINUTE;
/** However long the receiver asks to be left alone. */
const LONGEST_WAIT_MS = HOUR;
/** What nobody took for so long is news no more. */
const MAX_AGE_MS = DAY;

export class WebhookReceiver implements Receiver {
  readonly name: string;
  readonly #options: WebhookOptions;
  readonly #context: ReceiverContext;
  readonly #sender: Sender;
  readonly #outage: Outage;
  readonly #delivering = new Background(() => this.#deliver());
  /** Of the store's queue. */
  #waiting = 0;
  /** What the store did not take goes first, for it may be about the store. */
  readonly #unstored: NewNotice[] = [];
  #oldest: number | undefined;
  /** Attempts in vain in a row, and when the next one is due, on the monotonic clock. */
  #attempts = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  /** The number of a notice that was taken: it is not sent again, whatever the store says. */
  #taken: number | undefined;
  #isStoreFailing = false;

  constructor(options: WebhookOptions, context: ReceiverContext) {
    this.name = options.name;
    this.#options = options;
    this.#context = { ...context, log: context.log.child({ receiver: options.name }) };
    this.#sender = createSender(context.clock, context.userAgent);
    this.#outage = new Outage(this.#context.log);
  }

  get waiting(): number {
    return this.#waiting + this.#unstored.length;
  }

  get waitingSince(): number | undefined {
    return this.#outage.since === undefined ? undefined : this.#oldest;
  }

  tell(notice: NewNotice): void {
    this.#unstored.push(notice);
    this.#delivering.start();
  }

  changed(): void {
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
    await this.#sender[Symbol.asyncDispose]();
    await this.idle();
  }

  async #deliver(): Promise<void> {
    const { clock, store, log } = this.#context;
    try {
      for (let isGoing = true; isGoing; ) isGoing = await this.#deliverNext();
      this.#waiting = await store.waiting(this.name);
      this.#isStoreFailing = false;
    } catch (error) {
      // Whoever asked has gone on; what could not be read or taken out is looked at again.
      const message = error instanceof Error ? error.message : String(error);
      if (!this.#isStoreFailing) log.error({ message }, 'notifications that wait could not be looked at');
      this.#isStoreFailing = true;
      this.#nextAt = clock.monotonic() + FIRST_RETRY_MS;
    }
  }

  /** Whether the next one may be tried at once. */
  async #deliverNext(): Promise<boolean> {
    const { clock } = this.#context;
    const next = this.#unstored[0] ?? (await this.#nextStored());
    this.#oldest = next?.createdAt;
    if (!next) this.#outage.forget();
    if (!next || clock.monotonic() < this.#nextAt) return false;
    const delivery = await this.#sender.send(this.#messageOf(next));
    if (!delivery) return false;
    if (delivery.isDelivered) return this.#succeeded(next);
    return this.#failed(next, delivery);
  }

  #messageOf({ id, body: notice }: NewNotice) {
    const { template, url, secret } = this.#options;
    const body = bodyOf(template, JSON.parse(notice) as Notice);
    const signed = webhookHeaders({ id, at: this.#context.clock.now(), body }, secret?.reveal());
    const headers = { 'content-type': 'application/json', ...signed };
    return { method: 'POST', url: url.reveal(), headers, body } as const;
  }

  async #succeeded(notice: Waiting): Promise<true> {
    this.#context.count(this.name, 'sent');
    this.#outage.ended();
    this.#attempts = 0;
    await this.#finish(notice);
    return true;
  }

  async #failed(notice: Waiting, { reason, isFinal, retryAfterMs }: Failure): Promise<boolean> {
    const { clock, log, count } = this.#context;
    if (isFinal) {
      count(this.name, 'given_up');
      log.error({ reason }, 'the receiver refuses a notification; it is given up');
      await this.#finish(notice);
      return true;
    }
    count(this.name, 'failed');
    this.#outage.failed(reason, clock.now());
    const backoff = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#attempts);
    this.#attempts += 1;
    this.#nextAt = clock.monotonic() + Math.min(LONGEST_WAIT_MS, Math.max(backoff, retryAfterMs ?? 0));
    // Only what was tried: a daemon that was down for days still tells what it had to tell.
    if (clock.now() - notice.createdAt > MAX_AGE_MS) {
      count(this.name, 'dropped');
      log.error({ reason }, 'a notification that no receiver took for a day is dropped');
      await this.#finish(notice);
    }
    return false;
  }

  async #nextStored(): Promise<QueuedNotice | undefined> {
    if (this.#taken !== undefined) await this.#takeOut(this.#taken);
    return this.#context.store.nextNotice(this.name);
  }

  async #finish({ number }: Waiting): Promise<void> {
    if (number === undefined) this.#unstored.shift();
    else await this.#takeOut(number);
  }

  async #takeOut(number: number): Promise<void> {
    this.#taken = number;
    await this.#context.store.finishNotice(number);
    this.#taken = undefined;
  }
}

type Waiting = NewNotice & Partial<QueuedNotice>;

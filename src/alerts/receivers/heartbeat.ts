// Sends heartbeats to a dead man's switch. They stop when the daemon is down or stuck, or its store fails.

import { BackgroundTask } from '../../lib/background-task.ts';
import { Outage } from './deliveries.ts';
import type { HeartbeatOptions } from './options.ts';
import type { Receiver, ReceiverContext } from './receiver.ts';
import { createSender, type Message, type Sender } from './send.ts';
import { objectIn } from './templates/template.ts';

export class HeartbeatReceiver implements Receiver {
  readonly name: string;
  /** Always 0, because a heartbeat that could not be sent is not sent later. */
  readonly waiting = 0;
  isProven = false;
  readonly #options: HeartbeatOptions;
  readonly #context: ReceiverContext;
  readonly #sender: Sender;
  readonly #outage: Outage;
  readonly #beating = new BackgroundTask(() => this.#beat());
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(options: HeartbeatOptions, context: ReceiverContext) {
    this.name = options.name;
    this.#options = options;
    this.#context = context;
    this.#sender = createSender(context.clock, context.userAgent);
    this.#outage = new Outage(context.log.child({ receiver: options.name }));
  }

  get waitingSince(): number | undefined {
    return this.#outage.since;
  }

  get failingSince(): number | undefined {
    return this.#outage.since;
  }

  tick(): void {
    const now = this.#context.clock.monotonic();
    if (now < this.#nextAt) return;
    this.#nextAt = now + this.#options.every;
    this.#beating.start();
  }

  idle(): Promise<void> {
    return this.#beating.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sender[Symbol.asyncDispose]();
    await this.idle();
  }

  async #beat(): Promise<void> {
    const { clock, count, isHealthy } = this.#context;
    if (!(await isHealthy())) return;
    const delivery = await this.#sender.send(heartbeatMessage(this.#options));
    if (!delivery) return;
    count(this.name, delivery.isDelivered ? 'sent' : 'failed');
    this.isProven ||= delivery.isDelivered;
    if (delivery.isDelivered) this.#outage.ended();
    else this.#outage.failed([delivery.reason, delivery.answer ?? []].flat().join(': '), clock.now());
  }
}

/** Returns the request of one heartbeat. */
export const heartbeatMessage = ({ method, url }: HeartbeatOptions): Message => ({
  ...{ method, url: url.reveal(), isAccepted },
});

/**
 * Healthchecks.io answers 200 with `OK (not found)` for a check that does not exist, and `OK (rate limited)` for a ping
 * that it ignores. Source: https://healthchecks.io/docs/http_api/. Other services say `"ok": false`.
 */
const isAccepted = (text: string): boolean => {
  const answer = objectIn(text);
  return !/^\s*OK \(/i.test(text) && !(answer && 'ok' in answer && answer.ok === false);
};

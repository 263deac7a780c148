// Sends heartbeats to a dead man's switch. They stop when the daemon is down or stuck, or its store fails.

import { objectIn } from '../../lib/http-answer.ts';
import type { HeartbeatOptions } from './options.ts';
import { PeriodicSender } from './periodic-sender.ts';
import type { Receiver, ReceiverContext } from './receiver.ts';
import type { Message } from './send.ts';

export class HeartbeatReceiver extends PeriodicSender implements Receiver {
  /** Always 0, because a heartbeat that could not be sent is not sent later. */
  readonly waiting = 0;
  readonly #options: HeartbeatOptions;

  constructor(options: HeartbeatOptions, context: ReceiverContext) {
    super(options.name, context);
    this.#options = options;
  }

  get waitingSince(): number | undefined {
    return this.outage.since;
  }

  get failingSince(): number | undefined {
    return this.outage.since;
  }

  override tick(): void {
    const now = this.context.clock.monotonic();
    if (now < this.nextAt) return;
    this.nextAt = now + this.#options.every;
    this.start();
  }

  protected async work(): Promise<void> {
    const { clock, isHealthy } = this.context;
    const delivery = (await isHealthy()) ? await this.send(heartbeatMessage(this.#options)) : undefined;
    if (!delivery) return;
    this.isProven ||= delivery.isDelivered;
    if (delivery.isDelivered) this.outage.ended();
    else this.outage.failed([delivery.reason, delivery.answer ?? []].flat().join(': '), clock.now());
  }
}

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

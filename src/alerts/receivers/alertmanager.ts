// Alertmanager: every server is told of all that fires, again and again, and for a while of what is over.

import { Background } from '../../lib/background.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { Told } from '../notice.ts';
import type { AlertmanagerOptions } from './options.ts';
import { Outage } from './outage.ts';
import type { Receiver, ReceiverContext } from './receiver.ts';
import { createSender, type Delivery, type Failure, type Sender } from './send.ts';

const RESEND_MS = MINUTE;
/** What is not heard of for so long is over: the daemon may be gone. */
const ENDS_AFTER_MS = 4 * RESEND_MS;
const RETRY_MS = 15 * SECOND;
/** Alerts of one request. */
const AT_ONCE = 250;

export class AlertmanagerReceiver implements Receiver {
  readonly name: string;
  readonly #servers: readonly Server[];

  constructor(options: AlertmanagerOptions, context: ReceiverContext) {
    this.name = options.name;
    this.#servers = options.urls.map((url, index) => new Server(url, index + 1, options, context));
  }

  get waiting(): number {
    return this.#servers.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get waitingSince(): number | undefined {
    const times = this.#servers.flatMap(({ waitingSince }) => waitingSince ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  changed(): void {
    for (const server of this.#servers) server.changed();
  }

  tick(): void {
    for (const server of this.#servers) server.tick();
  }

  async idle(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.idle()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

/** One of the addresses: one that is down holds up no other. */
class Server implements AsyncDisposable {
  readonly #url: string;
  readonly #options: AlertmanagerOptions;
  readonly #context: ReceiverContext;
  readonly #sender: Sender;
  readonly #outage: Outage;
  readonly #sending = new Background(() => this.#sendAll());
  /** On the monotonic clock; at once after a start, before the server takes what it knows for over. */
  #nextAt = Number.NEGATIVE_INFINITY;
  waiting = 0;

  constructor(url: string, number: number, options: AlertmanagerOptions, context: ReceiverContext) {
    this.#url = `${url.replace(/\/$/, '')}/api/v2/alerts`;
    this.#options = options;
    this.#context = context;
    this.#sender = createSender(context.clock, context.userAgent);
    this.#outage = new Outage(context.log.child({ receiver: options.name, server: number }));
  }

  get waitingSince(): number | undefined {
    return this.waiting > 0 ? this.#outage.since : undefined;
  }

  changed(): void {
    this.#sending.start();
  }

  tick(): void {
    if (this.#context.clock.monotonic() >= this.#nextAt) this.#sending.start();
  }

  idle(): Promise<void> {
    return this.#sending.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sender[Symbol.asyncDispose]();
    await this.idle();
  }

  async #sendAll(): Promise<void> {
    const { clock, alerts } = this.#context;
    const { firing, ended } = alerts();
    const all = [...firing, ...ended];
    let [waiting, failure]: [number, Failure | undefined] = [0, undefined];
    for (let start = 0; start < all.length && (!failure || failure.isFinal); start += AT_ONCE) {
      const some = all.slice(start, start + AT_ONCE);
      const delivery = await this.#send(some);
      if (!delivery) return;
      if (delivery.isDelivered) continue;
      failure = delivery;
      // What is refused holds up no other; where nothing is taken, the rest would fare no better.
      waiting += delivery.isFinal ? some.length : all.length - start;
    }
    this.waiting = waiting;
    this.#nextAt = clock.monotonic() + (failure ? RETRY_MS : RESEND_MS);
    if (failure) this.#outage.failed(failure.reason, clock.now());
    else if (all.length > 0) this.#outage.ended();
    else this.#outage.forget();
  }

  async #send(alerts: readonly StoredAlert[]): Promise<Delivery | undefined> {
    const { clock, teller, count } = this.#context;
    const now = clock.now();
    const body = JSON.stringify(alerts.map((alert) => alertJson(teller(alert), now)));
    const headers = { 'content-type': 'application/json', ...authorization(this.#options) };
    const delivery = await this.#sender.send({ method: 'POST', url: this.#url, headers, body });
    if (delivery) count(this.#options.name, delivery.isDelivered ? 'sent' : 'failed');
    return delivery;
  }
}

/** As POST /api/v2/alerts takes them. */
const alertJson = (
  { alert, severity, labels, value, summary, runbook, startsAt, endsAt }: Told,
  now: number,
) => ({
  labels: { alertname: alert, severity, ...labels },
  annotations: { summary, runbook_url: runbook, ...(value !== null && { value: String(value) }) },
  startsAt: new Date(Math.min(startsAt, now)).toISOString(),
  endsAt: new Date(endsAt ?? now + ENDS_AFTER_MS).toISOString(),
});

/** What it is shown of who asks. */
export const authorization = ({ basic_auth, bearer_token }: AlertmanagerOptions): Record<string, string> => {
  if (bearer_token) return { authorization: `Bearer ${bearer_token.reveal()}` };
  if (!basic_auth) return {};
  const { username, password } = basic_auth;
  return {
    authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}`,
  };
};

// Sends all firing alerts, and recently ended ones, to each server of an Alertmanager at a fixed interval.

import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Annotate, Annotations } from '../annotations.ts';
import type { AlertDescription } from '../notification.ts';
import type { AlertmanagerOptions } from './options.ts';
import { PeriodicSender } from './periodic-sender.ts';
import type { Failure, Receiver, ReceiverContext } from './receiver.ts';
import type { Message } from './send.ts';

const RESEND_MS = MINUTE;
/** Alertmanager resolves an alert that was not sent again for this long, because the daemon may be down. */
const EXPIRES_AFTER_MS = 4 * RESEND_MS;
const RETRY_MS = 15 * SECOND;
/** How many alerts one request has. */
const BATCH_SIZE = 250;

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

  get isProven(): boolean {
    return this.#servers.every(({ isProven }) => isProven);
  }

  /** Since when at least one of the servers has failed. */
  get failingSince(): number | undefined {
    return this.waitingSince;
  }

  alertsChanged(): void {
    for (const server of this.#servers) server.start();
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

/** Sends to one address, not delayed by others. It gets the firing alerts at the start, before known ones are resolved. */
class Server extends PeriodicSender {
  readonly #url: string;
  readonly #options: AlertmanagerOptions;
  waiting = 0;

  constructor(url: string, number: number, options: AlertmanagerOptions, context: ReceiverContext) {
    super(options.name, context, { server: number });
    this.#url = url;
    this.#options = options;
  }

  get waitingSince(): number | undefined {
    return this.waiting > 0 ? this.outage.since : undefined;
  }

  protected async work(): Promise<void> {
    const { clock, alerts, describe, annotate } = this.context;
    const { firing, ended } = alerts();
    const all = [...firing, ...ended];
    let [waiting, failure]: [number, Failure | undefined] = [0, undefined];
    for (let start = 0; start < all.length && (!failure || failure.isFinal); start += BATCH_SIZE) {
      const batch = all.slice(start, start + BATCH_SIZE);
      const described = batch.map(describe);
      const times = { annotate, now: clock.now() };
      const delivery = await this.send(alertmanagerMessage(this.#url, this.#options, described, times));
      if (!delivery) return;
      if (delivery.isDelivered) continue;
      failure = delivery;
      // Refused alerts do not delay the others. After any other failure the remaining requests would fail too.
      waiting += delivery.isFinal ? batch.length : all.length - start;
    }
    this.waiting = waiting;
    this.isProven ||= !failure;
    this.nextAt = clock.monotonic() + (failure ? RETRY_MS : RESEND_MS);
    if (failure) this.outage.failed(failure.reason, clock.now());
    else if (all.length > 0) this.outage.ended();
    else this.outage.reset();
  }
}

/** Returns the request that tells the Alertmanager at `url` about the alerts. */
export const alertmanagerMessage = (
  url: string,
  options: AlertmanagerOptions,
  alerts: readonly AlertDescription[],
  { annotate, now }: { readonly annotate: Annotate; readonly now: number },
): Message => {
  const { bearer_token: token, basic_auth: basic } = options;
  return {
    method: 'POST',
    url: `${url}/api/v2/alerts`,
    headers: { 'content-type': 'application/json', ...authorizationHeader(options) },
    body: JSON.stringify(alerts.map((alert) => alertJson(alert, annotate(alert), now))),
    secrets: [token, basic?.password].flatMap((secret) => secret?.reveal() ?? []),
  };
};

/** Formats an alert for POST /api/v2/alerts. */
const alertJson = (
  { alert, severity, labels, value, startsAt, endsAt }: AlertDescription,
  annotations: Annotations,
  now: number,
) => ({
  labels: { alertname: alert, severity, ...labels },
  annotations: { ...annotations, ...(value !== null && { value: String(value) }) },
  startsAt: new Date(Math.min(startsAt, now)).toISOString(),
  endsAt: new Date(endsAt ?? now + EXPIRES_AFTER_MS).toISOString(),
});

/** Returns the `authorization` header; empty if no credentials are configured. */
export const authorizationHeader = ({
  basic_auth,
  bearer_token,
}: AlertmanagerOptions): Record<string, string> => {
  if (bearer_token) return { authorization: `Bearer ${bearer_token.reveal()}` };
  if (!basic_auth) return {};
  const { username, password } = basic_auth;
  return {
    authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}`,
  };
};

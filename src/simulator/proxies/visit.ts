// Holds one connection of a client to a simulated proxy, and what all connections share.

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outage } from '../faults/outages.ts';
import type { Scenario } from '../scenario.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import type { AdmissionContext, Customer } from './admission.ts';
import type { ExitRegistry } from './gateway.ts';
import { faultOfKind, type Moment, type ProxyFault, type ProxyFaults } from './proxy-faults.ts';
import type { SimulatedProxy } from './simulated-proxy.ts';
import type { TargetPorts } from './target.ts';

/** The connections that clients have to the simulated proxies. */
export class OpenVisits {
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void)[] = [];

  add(socket: Socket): void {
    this.#sockets.add(socket);
  }

  delete(socket: Socket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }

  /** Resolves when there is none. */
  async idle(): Promise<void> {
    if (this.#sockets.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

export interface VisitContext extends AdmissionContext {
  readonly scenario: Scenario;
  readonly faults: ProxyFaults;
  readonly outages: () => readonly Outage[];
  readonly recorded: RecordedTraffic;
  readonly exits: ExitRegistry;
  readonly targetPorts: TargetPorts;
  readonly open: OpenVisits;
  readonly closing: AbortSignal;
}

/** Real time after which the proxy closes a connection on which nothing happens. */
const IDLE_MS = 120_000;
/** Real time for which a client can keep a connection that the proxy has ended. */
const LINGER_MS = 5_000;

export class Visit {
  readonly context: VisitContext;
  readonly proxy: SimulatedProxy;
  readonly requestId = randomUUID();
  /** The connection below TLS. */
  readonly raw: Socket;
  /** What the client sends and receives: `raw`, or the inside of TLS. */
  client: Duplex;
  /** Empty until the client names its target. */
  hostname = '';
  isSuccessful = false;
  /** Undefined until the client is authenticated. Only customers are billed. */
  customer: Customer | undefined;

  constructor(context: VisitContext, proxy: SimulatedProxy, raw: Socket) {
    this.context = context;
    this.proxy = proxy;
    this.raw = raw;
    this.client = raw;
    context.open.add(raw);
    raw.once('close', () => this.#close());
    raw.setTimeout(IDLE_MS, () => raw.destroy());
  }

  /** Neither reads nor answers. It is not noticed when the client leaves, so nobody waits for that. */
  keepSilent(): void {
    this.context.open.delete(this.raw);
  }

  /** Reads and drops what the client sends until it leaves. */
  swallow(): void {
    this.client.once('end', () => this.raw.destroy());
    this.client.resume();
  }

  /** The faults that are active now for the proxy and the target, as far as it is known. */
  faults(): readonly ProxyFault[] {
    const { faults, now } = this.context;
    return faults.active(this.proxy.names, this.hostname, now());
  }

  /** Sends an answer of the proxy, as its faults allow. Returns whether the connection goes on. */
  async answer(bytes: Uint8Array): Promise<boolean> {
    const faults = this.faults();
    const slow = faultOfKind(faults, 'slow');
    if (slow) await this.#wait(slow.delay_ms);
    if (this.endAt('request')) return false;
    const drip = faultOfKind(faults, 'drip');
    if (drip) await this.#drip(bytes, drip.interval_ms);
    else this.client.write(bytes);
    return !this.client.destroyed && !this.endAt('answer');
  }

  /** Sends an answer, and then ends the connection. */
  async refuse(bytes: Uint8Array): Promise<void> {
    if (await this.answer(bytes)) this.end();
  }

  /** Closes the connection as far as the proxy is concerned, and drops what the client still sends. */
  end(): void {
    this.client.end();
    this.client.resume();
    this.raw.setTimeout(LINGER_MS, () => this.raw.destroy());
  }

  /** Ends the connection if a fault wants it at this moment. Returns whether it does. */
  endAt(moment: Moment): boolean {
    const fault = this.faults().find(
      (one) => (one.kind === 'early_close' || one.kind === 'reset') && one.after === moment,
    );
    if (fault?.kind === 'reset') this.raw.resetAndDestroy();
    else if (fault) this.end();
    return fault !== undefined;
  }

  async #drip(bytes: Uint8Array, intervalMs: number): Promise<void> {
    for (const byte of bytes) {
      if (this.client.destroyed) return;
      this.client.write(Buffer.from([byte]));
      await this.#wait(intervalMs);
    }
  }

  #wait(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.context.closing, ref: false });
  }

  #close(): void {
    this.#bill();
    this.context.open.delete(this.raw);
  }

  /** The provider bills the raw bytes between it and the client, in both directions. */
  #bill(): void {
    if (!this.customer) return;
    const { user, options } = this.customer;
    const { type, serviceId } = this.proxy;
    this.context.recorded.record({
      ...{ at: this.context.now(), type, serviceId, userId: user.firstId },
      ...{ hostname: this.hostname, isSuccessful: this.isSuccessful },
      bytes: this.raw.bytesRead + this.raw.bytesWritten,
      isSmartpath: options?.isSmartpath ?? false,
    });
  }
}

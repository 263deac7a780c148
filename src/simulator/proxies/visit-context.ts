// Defines what all connections to the simulated proxies share, and waits for the end of all of them.

import type { Socket } from 'node:net';
import type { Outage } from '../faults/outages.ts';
import type { Scenario } from '../scenario.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import type { AdmissionContext } from './admission.ts';
import type { ExitRegistry } from './exits.ts';
import type { ProxyFaults } from './proxy-faults.ts';
import type { TargetPorts } from './target-names.ts';

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
  /** Aborts when the simulator closes. */
  readonly closing: AbortSignal;
}

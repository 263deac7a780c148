// Keeps the connections that clients have to the simulated proxies, to wait for the end of all of them.

import type { Socket } from 'node:net';

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

// Listens for the connections of one simulated proxy, and can stop listening and start again at the same port.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { HostPort } from './addresses.ts';

type Handler = (socket: Socket) => void;

export class Listener implements AsyncDisposable {
  readonly endpoint: HostPort;
  /** Called with each connection. */
  handler: Handler = (socket) => socket.destroy();
  readonly #connections = new Set<Socket>();
  #server: Server | undefined;

  constructor(endpoint: HostPort, server: Server) {
    this.endpoint = endpoint;
    this.#serve(server);
  }

  /** Refuses new connections. Open ones continue. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Returns whether it listens. It does not if another program has taken the port meanwhile. */
  async accept(): Promise<boolean> {
    if (this.#server) return true;
    const server = await listen(this.endpoint).catch(() => undefined);
    if (server) this.#serve(server);
    return server !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    this.refuse();
    const closed = server && once(server, 'close');
    for (const socket of this.#connections) socket.destroy();
    await closed;
  }

  #serve(server: Server): void {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
      // A client that leaves is no error of the simulator.
      socket.on('error', () => undefined);
      this.handler(socket);
    });
  }
}

/** Listens at the first of the `candidates` that is free. A port of 0 is any free port. Throws the last error. */
export const openListener = async (candidates: readonly HostPort[]): Promise<Listener> => {
  let failure: unknown;
  for (const candidate of candidates) {
    try {
      const server = await listen(candidate);
      return new Listener({ host: candidate.host, port: portOf(server) }, server);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};

const listen = async ({ host, port }: HostPort): Promise<Server> => {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: false, noDelay: true });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
};

export const portOf = (server: Pick<Server, 'address'>): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

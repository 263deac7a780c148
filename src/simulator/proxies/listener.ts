// Listens for a simulated proxy, at a loopback address of its own if possible. It can stop, and start again.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import type { HostPort } from './simulated-proxy.ts';

type Handler = (socket: Socket) => void;

export class Listener implements AsyncDisposable {
  readonly endpoint: HostPort;
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

export interface ListenOptions {
  /** One address for all proxies. By default, proxy number 0 has 127.0.113.1, and so on. */
  readonly host?: string;
  /** The port of proxies that have their own address. 0, the default, is a free port for each proxy. */
  readonly port?: number;
}

export interface ProxyListeners {
  /** By the number of the proxy. */
  readonly proxies: readonly Listener[];
  readonly gateways: Readonly<Record<MeteredType, Listener>>;
}

const HOSTS = 254;
const PROXY_NETWORK = '127.0.113';
const GATEWAY_NETWORK = '127.0.112';
const SHARED_HOST = '127.0.0.1';

/** Throws the error of a listener that finds no free address, after it has closed the others. */
export const openListeners = async (count: number, options: ListenOptions): Promise<ProxyListeners> => {
  const endpoints = [
    ...METERED_TYPES.map((_, index) => candidates(GATEWAY_NETWORK, index, options)),
    ...Array.from({ length: count }, (_, index) => candidates(PROXY_NETWORK, index, options)),
  ];
  const [residential, mobile, ...proxies] = await openAll(endpoints);
  if (!residential || !mobile) throw new Error('the gateways have no listeners');
  return { proxies, gateways: { residential, mobile } };
};

export const closeListeners = async ({ proxies, gateways }: ProxyListeners): Promise<void> => {
  await closeAll([...Object.values(gateways), ...proxies]);
};

const openAll = async (endpoints: readonly (readonly HostPort[])[]): Promise<Listener[]> => {
  const opened = await Promise.allSettled(endpoints.map((candidate) => openListener(candidate)));
  const listeners = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opened.find((one) => one.status === 'rejected');
  if (!failed) return listeners;
  await closeAll(listeners);
  throw failed.reason;
};

const closeAll = async (listeners: readonly Listener[]): Promise<void> => {
  await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
};

/** A taken port gives way to a free one, and an address that the system does not have to 127.0.0.1. */
const candidates = (network: string, index: number, { host, port = 0 }: ListenOptions): HostPort[] => {
  if (host !== undefined) return [{ host, port: 0 }];
  const own = `${network}.${(index % HOSTS) + 1}`;
  const first = port === 0 ? [] : [{ host: own, port: port + Math.floor(index / HOSTS) }];
  return [...first, { host: own, port: 0 }, { host: SHARED_HOST, port: 0 }];
};

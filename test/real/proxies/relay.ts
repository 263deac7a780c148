// Relays connections to a proxy, and counts them and their bytes in both directions.

import { connect } from 'node:net';
import { serveSockets } from './listening.ts';

export interface Relay extends AsyncDisposable {
  readonly port: number;
  readonly connections: number;
  /** Bytes from the prober. */
  readonly sent: number;
  /** Bytes to the prober, with those that the prober did not read. */
  readonly delivered: number;
  /** Resolves when all connections of the prober have ended. */
  ended(): Promise<void>;
}

/** `host` is an IP address of this machine at which the proxy listens too. */
export const startRelay = async (host: string, port: number): Promise<Relay> => {
  const counts = { connections: 0, sent: 0, delivered: 0 };
  const closed: Promise<unknown>[] = [];
  const listening = await serveSockets(host, (client) => {
    counts.connections += 1;
    const proxy = connect({ host, port });
    proxy.pipe(client);
    proxy.on('data', (bytes) => {
      counts.delivered += bytes.length;
    });
    // After the proxy has closed, bytes that the prober has already sent are still read and counted.
    proxy.on('error', () => {}).on('close', () => client.end());
    client.on('data', (bytes) => {
      counts.sent += bytes.length;
      if (proxy.writable) proxy.write(bytes);
    });
    // A prober closes its connection whole. Some proxies notice that only much later.
    client.on('end', () => client.end()).on('close', () => proxy.destroy());
    closed.push(new Promise((resolve) => client.on('close', resolve)));
  });
  return {
    port: listening.port,
    get connections() {
      return counts.connections;
    },
    get sent() {
      return counts.sent;
    },
    get delivered() {
      return counts.delivered;
    },
    ended: async () => void (await Promise.all(closed)),
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
};

// Relays connections to a proxy, and counts them and their bytes in both directions.

import { connect, type Socket } from 'node:net';
import { type Listening, serveSockets } from './listening.ts';

export interface Relay extends AsyncDisposable {
  readonly port: number;
  readonly connections: number;
  /** Bytes from the prober. */
  readonly sent: number;
  /** Bytes to the prober, with those that the prober did not read. */
  readonly delivered: number;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

/** `host` is an IP address of this machine at which the proxy listens too. */
export const startRelay = async (host: string, port: number): Promise<Relay> => {
  const counts = { connections: 0, sent: 0, delivered: 0 };
  const closed: Promise<unknown>[] = [];
  const listening: Listening = await serveSockets(host, (client) => {
    counts.connections += 1;
    const proxy = connect({ host, port, allowHalfOpen: true });
    client.on('data', (bytes) => {
      counts.sent += bytes.length;
    });
    proxy.on('data', (bytes) => {
      counts.delivered += bytes.length;
    });
    closed.push(join(client, proxy), join(proxy, client));
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
    idle: async () => void (await Promise.all(closed)),
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
};

/** Passes data, ends and resets on. Resolves when `from` is closed. */
const join = (from: Socket, to: Socket): Promise<void> => {
  from.pipe(to);
  let isReset = false;
  from.on('error', () => {
    isReset = true;
  });
  return new Promise((resolve) => {
    from.on('close', () => {
      if (isReset) to.resetAndDestroy();
      else to.end();
      resolve();
    });
  });
};

// Finds ports for programs that cannot choose one themselves.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to connections and to servers that choose none. */
const [FIRST, COUNT] = [20_000, 12_000];

/** Processes that run side by side begin at different ports. */
let next = (process.pid * 61) % COUNT;

/**
 * Returns a port on which nothing listens. No other caller gets it for as long as this process lives, because a socket for
 * datagrams holds it.
 */
export const freePort = async (host = '127.0.0.1'): Promise<number> => {
  for (let tries = 0; tries < COUNT; tries += 1) {
    next = (next + 1) % COUNT;
    if ((await isFree(FIRST + next, host)) && (await isReserved(FIRST + next))) return FIRST + next;
  }
  throw new Error('no port is free');
};

/** Returns an address of 127.0.0.1 at a free port. */
export const freeAddress = async (): Promise<string> => `127.0.0.1:${await freePort()}`;

const isFree = async (port: number, host: string): Promise<boolean> => {
  await using server = createServer();
  return await succeeds(once(server.listen(port, host), 'listening'));
};

const isReserved = (port: number): Promise<boolean> => {
  const socket = createSocket({ type: 'udp4' }).unref();
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  return succeeds(once(socket, 'listening'));
};

const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

// Starts and stops servers on loopback addresses.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server whose connections are destroyed when it is disposed. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** Listens on a free port. `server` must not have connections that it does not report by `connection`. */
export const listen = async (server: Server, host: string): Promise<Listening> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    // The other end may close or reset its connection at any time.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};

/** Serves raw connections. The handler ends them, also those that the other side has ended. */
export const serveSockets = (host: string, handle: (socket: Socket) => void): Promise<Listening> =>
  listen(createServer({ allowHalfOpen: true }, handle), host);

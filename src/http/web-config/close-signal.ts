// Tells when a client has closed its connection.

import type { Socket } from 'node:net';

/** One for each connection, because a listener for each request would add up on a connection that is used again. */
const signals = new WeakMap<Socket, AbortSignal>();

export const closeSignalOf = (socket: Socket): AbortSignal => {
  const known = signals.get(socket);
  if (known) return known;
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  signals.set(socket, controller.signal);
  return controller.signal;
};

// Connects to several addresses of one name, and uses the first that answers (RFC 8305).

import { isIP, type Socket } from 'node:net';

/** As browsers and curl do, so that a probe is as slow as they are if the first address does not answer. */
const NEXT_AFTER_MS = 250;
/** A name with many addresses would take as many sockets. */
const MAX_ADDRESSES = 8;

export interface Race {
  readonly addresses: readonly string[];
  /** All addresses are tried within this time (ms). */
  readonly limitMs: number;
  readonly open: (address: string) => Socket;
  /** Called once: with a connected socket, or with the errors of all addresses. */
  readonly onEnd: (winner: Socket | AggregateError) => void;
}

/**
 * Returns a function that ends the race and closes its sockets. Node.js has `autoSelectFamily`, but that gives up each
 * address when it tries the next one, so it never uses one that answers slowly.
 */
export const race = ({ addresses, limitMs, open, onEnd }: Race): (() => void) => {
  const waiting = alternate(addresses).slice(0, MAX_ADDRESSES);
  const nextAfterMs = Math.min(NEXT_AFTER_MS, limitMs / waiting.length);
  const sockets = new Set<Socket>();
  const errors: Error[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const tryNext = (): void => {
    clearTimeout(timer);
    const address = waiting.shift();
    if (address === undefined) {
      if (sockets.size === 0) onEnd(new AggregateError(errors));
      return;
    }
    const socket = open(address);
    sockets.add(socket);
    socket.once('connect', () => {
      sockets.delete(socket);
      stop();
      onEnd(socket);
    });
    socket.on('error', (error) => {
      // The sockets of a race that has ended have no part in it.
      if (!sockets.delete(socket)) return;
      errors.push(error);
      tryNext();
    });
    if (waiting.length > 0) timer = setTimeout(tryNext, nextAfterMs);
  };
  tryNext();
  return stop;
};

/** Lists the addresses of both families in turn, because often one whole family does not work. */
const alternate = (addresses: readonly string[]): string[] => {
  const family = isIP(addresses[0] ?? '');
  const same = addresses.filter((address) => isIP(address) === family);
  const other = addresses.filter((address) => isIP(address) !== family);
  return Array.from({ length: Math.max(same.length, other.length) }, (_, index) => [
    ...same.slice(index, index + 1),
    ...other.slice(index, index + 1),
  ]).flat();
};

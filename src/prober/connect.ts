// Resolves a name, and opens the TCP connection to the proxy, or to the target if there is no proxy.

import { connect, isIP, type Socket } from 'node:net';
import type { Attempt } from './attempt.ts';
import type { Answer, Names } from './names.ts';
import { ProbeError } from './probe.ts';
import { socketError } from './socket-errors.ts';

/** Leaves the connection in the phase `connect`, because TLS with the proxy is part of it. */
export const openConnection = async (
  attempt: Attempt,
  names: Names,
  host: string,
  port: number,
): Promise<void> => {
  const addresses = isIP(host) === 0 ? await resolve(attempt, names, host) : [host];
  attempt.begin('connect');
  attempt.trace('*', () => [`connects to ${addresses.map((it) => atPort(it, port)).join(' or ')}`]);
  const [address = ''] = addresses;
  if (addresses.length === 1) await connectTo(attempt, address, port);
  else await connectToFirst(attempt, addresses, port);
  attempt.trace('*', () => [`connected from ${attempt.connection.stream.localAddress}`]);
};

const resolve = async (attempt: Attempt, names: Names, host: string): Promise<readonly string[]> => {
  const { connection, phases } = attempt;
  let leave = (): void => {};
  phases.waitForTurn();
  try {
    const answer = await connection.wait<Answer>((done) => {
      leave = names.ask(host, { onStart: () => attempt.begin('resolve'), onEnd: done });
    });
    if (answer instanceof Error) throw socketError(answer, 'dns');
    if (answer.length === 0) throw new ProbeError('dns', 'the name has no address');
    return answer;
  } finally {
    leave();
  }
};

const connectTo = ({ connection }: Attempt, host: string, port: number): Promise<void> =>
  connection.wait<void>((done) => {
    const socket = connect({ host, port });
    connection.use(socket);
    socket.once('connect', done);
  });

const connectToFirst = async (
  { connection, request }: Attempt,
  addresses: readonly string[],
  port: number,
): Promise<void> => {
  let stop = (): void => {};
  try {
    await connection.wait<void>((done) => {
      const onEnd = (winner: Socket | AggregateError): void => {
        if (winner instanceof AggregateError) {
          connection.fail(socketError(winner));
        } else {
          connection.use(winner);
          done();
        }
      };
      const open = (host: string): Socket => connect({ host, port });
      stop = race({ addresses, limitMs: request.timeouts.connect, open, onEnd });
    });
  } finally {
    stop();
  }
};

const atPort = (address: string, port: number): string =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;

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
 * Connects to several addresses of one name, and uses the first that answers (RFC 8305). Returns a function that ends the
 * race and closes its sockets. Node.js has `autoSelectFamily`, but that gives up each address when it tries the next one,
 * so it never uses one that answers slowly.
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

// Resolves a name, and opens the TCP connection to the proxy, or to the target if there is no proxy.

import { connect, isIP, type Socket } from 'node:net';
import type { Attempt } from './attempt.ts';
import type { Answer, Names } from './names.ts';
import { ProbeError } from './probe-error.ts';
import { race } from './race.ts';
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

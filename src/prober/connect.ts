// Resolves a name, and opens the TCP connection to the proxy, or to the target if there is no proxy.

import { type LookupAddress, lookup } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import type { Attempt } from './attempt.ts';
import { ProbeError } from './probe-error.ts';
import { socketError } from './socket-errors.ts';

/** A slow network needs longer than the default of Node.js, which then gives the first address up. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** Leaves the connection in the phase `connect`, because TLS with the proxy is part of it. */
export const openConnection = async (attempt: Attempt, host: string, port: number): Promise<void> => {
  const addresses = isIP(host) === 0 ? await resolve(attempt, host) : [host];
  attempt.begin('connect');
  const { connection } = attempt;
  attempt.trace('*', () => [`connects to ${addresses.map((it) => atPort(it, port)).join(' or ')}`]);
  await connection.wait<void>((done) => {
    const socket = connectTo(addresses, port);
    connection.use(socket);
    socket.once('connect', done);
  });
  attempt.trace('*', () => [`connected from ${connection.stream.localAddress}`]);
};

const resolve = async (attempt: Attempt, host: string): Promise<readonly string[]> => {
  attempt.begin('resolve');
  const addresses = await attempt.connection.wait<readonly LookupAddress[]>((done) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) attempt.connection.fail(socketError(error, 'dns'));
      else done(found);
    });
  });
  if (addresses.length === 0) throw new ProbeError('dns', 'the name has no address');
  return addresses.map(({ address }) => address);
};

/** With several addresses, the first that answers wins, as in browsers. */
export const connectTo = (addresses: readonly string[], port: number): Socket => {
  const [host = ''] = addresses;
  if (addresses.length === 1) return connect({ host, port });
  return connect({
    ...{ host: 'several', port, autoSelectFamily: true },
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: (_name, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
  });
};

const atPort = (address: string, port: number): string =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;

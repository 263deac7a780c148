// Reads from the kernel what it has counted of the connection between a prober and a relay.

import { execFileSync } from 'node:child_process';

/** What the kernel knows of one end of a connection, in bytes. */
interface End {
  readonly local: string;
  readonly peer: string;
  /** Received, but not read yet. */
  readonly unread: number;
  /** Without what was sent again. */
  readonly sent: number;
  readonly received: number;
  /** The size of the receive buffer. The receive window is never larger. */
  readonly receiveBuffer: number;
}

export interface KernelBytes {
  readonly prober: End;
  readonly relay: End;
}

/** Undefined if no connection to this port of the relay is open. */
export const kernelBytes = (port: number): KernelBytes | undefined => {
  const filter = `( sport = :${port} or dport = :${port} )`;
  const lines = execFileSync('ss', ['-tinmHO', 'state', 'connected', filter], { encoding: 'utf8' });
  const ends = lines
    .split('\n')
    .filter((line) => line !== '')
    .map(endOf);
  // Old connections to a server that had the same port before can still be listed, with one end only.
  const pairs = ends.flatMap((prober) => {
    const relay = ends.find(({ local, peer }) => local === prober.peer && peer === prober.local);
    return relay && prober.peer === `127.0.0.1:${port}` ? [{ prober, relay }] : [];
  });
  return pairs[0];
};

const endOf = (line: string): End => {
  const [, unread, , local = '', peer = ''] = line.split(/\s+/);
  const count = (name: string): number => Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0);
  return {
    ...{ local, peer, unread: Number(unread) },
    sent: count('bytes_sent') - count('bytes_retrans'),
    received: count('bytes_received'),
    receiveBuffer: Number(/\brb(\d+)/.exec(line)?.[1]),
  };
};

// Explains to the operator why the server cannot listen.

import type { ListenAddress } from '../config/network.ts';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there already',
  EACCES: 'the system does not allow this port; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the host name is not known',
};

export const listenError = ({ host, port }: ListenAddress, cause: unknown): Error => {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new Error(`cannot listen on ${address}: ${REASONS[code] ?? message}`, { cause });
};

// Starts SOCKS5 proxies: microsocks and danted, each with and without a password.

import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { PASSWORD, USERNAME } from './names.ts';
import { createFolder, startProgram } from './program.ts';
import { REFUSED_ADDRESS } from './targets.ts';

type Mounts = Readonly<Record<string, string>>;

export interface SocksProxy extends AsyncDisposable {
  readonly port: number;
}

export const startMicrosocks = async (
  mounts: Mounts,
  { host = '127.0.0.1', hasPassword }: { readonly host?: string; readonly hasPassword: boolean },
): Promise<SocksProxy> => {
  const port = await freePort(host);
  const login = hasPassword ? ['-u', USERNAME, '-P', PASSWORD] : [];
  const command = ['microsocks', '-i', host, '-p', String(port), ...login];
  return Object.assign(await startProgram({ command, mounts, listens: [{ host, port }] }), { port });
};

/** Listens at the same port of 127.0.0.1 and ::1. */
export const startDanted = async (
  mounts: Mounts,
  { hasPassword }: { readonly hasPassword: boolean },
): Promise<SocksProxy> => {
  const [port, folder] = [await freePort(), createFolder()];
  const config = folder.write('danted.conf', dantedConfig(port, hasPassword));
  const program = await startProgram({
    command: ['danted', '-f', config, '-p', join(folder.path, 'danted.pid')],
    mounts,
    listens: ['127.0.0.1', '::1'].map((host) => ({ host, port })),
  });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
};

const dantedConfig = (port: number, hasPassword: boolean): string => `
logoutput: stderr
internal: 127.0.0.1 port = ${port}
internal: ::1 port = ${port}
external: lo
clientmethod: none
socksmethod: ${hasPassword ? 'username' : 'none'}
user.unprivileged: nobody
timeout.connect: 1
client pass { from: 0/0 to: 0/0 }
socks block { from: 0/0 to: ${REFUSED_ADDRESS}/32 }
socks pass { from: 0/0 to: 0/0 }
`;

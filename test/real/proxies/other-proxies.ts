// Starts proxies that know no passwords: privoxy, and the dynamic forwarding of OpenSSH.

import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { createFolder, startProgram } from './program.ts';

type Mounts = Readonly<Record<string, string>>;

export interface OpenProxy extends AsyncDisposable {
  readonly port: number;
}

export const startPrivoxy = async (mounts: Mounts): Promise<OpenProxy> => {
  await using stack = new AsyncDisposableStack();
  const [port, folder] = [await freePort(), stack.use(createFolder())];
  const lines = [`listen-address 127.0.0.1:${port}`, 'confdir /etc/privoxy', `logdir ${folder.path}`];
  const command = ['privoxy', '--no-daemon', folder.write('config', lines.join('\n'))];
  stack.use(await startProgram({ command, mounts, listens: [{ host: '127.0.0.1', port }] }));
  return proxyAt(port, stack.move());
};

/** Runs a server and its client, whose port is a SOCKS5 proxy (`ssh -D`). */
export const startSsh = async (mounts: Mounts): Promise<OpenProxy> => {
  await using stack = new AsyncDisposableStack();
  const [server, port] = [await freePort(), await freePort()];
  const folder = stack.use(createFolder());
  const [hostKey, userKey] = ['host', 'user'].map((name) => createKey(folder, name));
  const config = [
    ...[`Port ${server}`, 'ListenAddress 127.0.0.1', `HostKey ${hostKey}`, 'PidFile none'],
    ...[`AuthorizedKeysFile ${userKey}.pub`, 'StrictModes no', 'UsePAM no'],
  ].join('\n');
  const start = async (command: readonly string[], listensAt: number): Promise<void> =>
    void stack.use(
      await startProgram({ command, mounts, listens: [{ host: '127.0.0.1', port: listensAt }] }),
    );
  await start(['/usr/sbin/sshd', '-D', '-e', '-f', folder.write('sshd_config', config)], server);
  const trust = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
  const client = ['ssh', '-N', '-F', 'none', '-i', `${userKey}`, ...trust, '-p', String(server)];
  await start([...client, '-D', `127.0.0.1:${port}`, 'nobody@127.0.0.1'], port);
  return proxyAt(port, stack.move());
};

/** Returns the file of the private key. ssh-keygen gives the file to root, so it is written again. */
const createKey = ({ path, write }: ReturnType<typeof createFolder>, name: string): string => {
  const made = join(path, `${name}-made`);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', made]);
  write(`${name}.pub`, readFileSync(`${made}.pub`, 'utf8'));
  const key = write(name, readFileSync(made, 'utf8'));
  chmodSync(key, 0o600);
  return key;
};

const proxyAt = (port: number, stack: AsyncDisposableStack): OpenProxy => ({
  port,
  [Symbol.asyncDispose]: () => stack.disposeAsync(),
});

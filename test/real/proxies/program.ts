// Starts another program without rights, which sees its own names of hosts and users instead of this machine's.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../cli/program.ts';

const NOBODY = 65_534;

/** A folder that the started program may write to. */
export const createFolder = (files: Readonly<Record<string, string>> = {}) => {
  const path = mkdtempSync(join(tmpdir(), 'proxywatch-proxies-'));
  chownSync(path, NOBODY, NOBODY);
  /** Returns the path of the new file. */
  const write = (name: string, text: string): string => {
    const file = join(path, name);
    writeFileSync(file, text);
    chownSync(file, NOBODY, NOBODY);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    path,
    write,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
};

/** Replaces each file named first by the file named second, for one process and its children. */
const MOUNT = 'while [ "$1" != -- ]; do mount --bind "$2" "$1" || exit 1; shift 2; done; shift; exec "$@"';
const WITHOUT_RIGHTS = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--pdeathsig=KILL',
];

export interface ProgramOptions {
  readonly command: readonly string[];
  /** Files of this machine, and those that the program reads instead. */
  readonly mounts: Readonly<Record<string, string>>;
  /** The program has started as soon as it accepts connections here. */
  readonly listens: readonly { readonly host: string; readonly port: number }[];
}

export const startProgram = async ({
  command,
  mounts,
  listens,
}: ProgramOptions): Promise<AsyncDisposable> => {
  const files = Object.entries(mounts).flat();
  const args = ['--mount', 'sh', '-c', MOUNT, 'sh', ...files, '--', ...WITHOUT_RIGHTS, ...command];
  // A process group of its own, because some programs have children.
  const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const isListening = async () => {
    if (child.exitCode !== null) throw new Error(`${command[0]} ended: ${output}`);
    return (await Promise.all(listens.map(accepts))).every(Boolean);
  };
  await waitUntil(isListening);
  return {
    [Symbol.asyncDispose]: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
};

const accepts = async ({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<boolean> => {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

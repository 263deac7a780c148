// Starts processes on one core, and asks them for measurements.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** Cores of the machine. The measured program runs alone on the first; its servers run on the second. */
export const MEASURED_CORE = 0;
export const OTHER_CORE = 1;

const hasTaskset = spawnSync('which', ['taskset']).status === 0 && availableParallelism() > 1;

export const startPinned = (
  core: number,
  [command = '', ...args]: readonly string[],
  stdio: 'ipc' | 'ignore' = 'ignore',
  env: NodeJS.ProcessEnv = {},
): ChildProcess => {
  const [program = '', ...rest] = hasTaskset
    ? ['taskset', '--cpu-list', String(core), command, ...args]
    : [command, ...args];
  return spawn(program, rest, {
    stdio: ['ignore', 'inherit', 'inherit', stdio],
    env: { ...process.env, ...env },
  });
};

/** Starts a script of this folder with an IPC channel. `flags` are those of Node.js. */
export const startScript = (
  core: number,
  name: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): ChildProcess =>
  startPinned(core, [process.execPath, ...flags, `${import.meta.dirname}/${name}`, ...args], 'ipc');

/** Returns the next message of the process; fails if the process ends before. */
export const messageOf = async <T>(child: ChildProcess): Promise<T> => {
  const ended = new AbortController();
  const fail = (): void => ended.abort(new Error('the process ended without an answer'));
  child.once('exit', fail);
  try {
    const [message] = (await once(child, 'message', { signal: ended.signal })) as [T];
    return message;
  } finally {
    child.off('exit', fail);
  }
};

export const ask = <T>(child: ChildProcess, request: object): Promise<T> => {
  const answer = messageOf<T>(child);
  child.send(request);
  return answer;
};

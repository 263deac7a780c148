// Starts programs as processes of their own, asks them for measurements, and reads their memory and CPU time (Linux).

import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export const ROOT = join(import.meta.dirname, '..');
export const MAIN = join(ROOT, 'dist/main.js');
/** As `proxywatch run` starts itself. */
export const DAEMON_FLAGS = ['-r', join(ROOT, 'src/low-memory.cjs'), '--max-semi-space-size=1'];
const CPU_TICK_MS = 10;

/** Cores of the machine. The measured program runs alone on the first; its servers run on the second. */
export const MEASURED_CORE = 0;
export const OTHER_CORE = 1;

export const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0;
const hasTaskset = isInstalled('taskset') && availableParallelism() > 1;

/** Memory in bytes. */
export interface Memory {
  readonly rss: number;
  /** The highest RSS so far. */
  readonly peak: number;
}

interface StartOptions {
  /** The core on which it runs; any core by default. */
  readonly core?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: SpawnOptions['stdio'];
}

/** A process that the benchmark started. Disposing of it kills it. */
export class Measured implements Disposable {
  readonly child: ChildProcess;

  constructor(command: string, args: readonly string[], { core, env = {}, stdio }: StartOptions = {}) {
    const pinned = core !== undefined && hasTaskset ? ['taskset', '--cpu-list', String(core)] : [];
    const [program = command, ...rest] = [...pinned, command, ...args];
    this.child = spawn(program, rest, {
      ...{ cwd: ROOT, env: { ...process.env, ...env } },
      stdio: stdio ?? ['ignore', 'ignore', 'inherit'],
    });
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN;
  }

  get memory(): Memory {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const bytesOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024;
    return { rss: bytesOf('VmRSS'), peak: bytesOf('VmHWM') };
  }

  /** The CPU time so far. */
  get cpuMs(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(' ');
    return (Number(fields[13]) + Number(fields[14])) * CPU_TICK_MS;
  }

  /** Returns the next message of a script; fails if the process ends before. */
  async message<T>(): Promise<T> {
    const ended = new AbortController();
    const fail = (): void => ended.abort(new Error('the process ended without an answer'));
    this.child.once('exit', fail);
    try {
      const [message] = (await once(this.child, 'message', { signal: ended.signal })) as [T];
      return message;
    } finally {
      this.child.off('exit', fail);
    }
  }

  ask<T>(request: object): Promise<T> {
    const answer = this.message<T>();
    this.child.send(request);
    return answer;
  }

  /** Lets the process end by itself. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exited();
  }

  async exited(): Promise<void> {
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }

  async killed(): Promise<void> {
    this[Symbol.dispose]();
    await this.exited();
  }

  [Symbol.dispose](): void {
    this.child.kill('SIGKILL');
  }
}

/** Starts a script of this folder that answers messages; see `serve`. `flags` are those of Node.js. */
export const startScript = (
  name: string,
  args: readonly string[] = [],
  { flags = [], ...options }: StartOptions & { readonly flags?: readonly string[] } = {},
): Measured =>
  new Measured(process.execPath, [...flags, join(import.meta.dirname, name), ...args], {
    ...{ ...options, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  });

/** In a script: sends the first message, and answers each request. Without the parent process, the script ends. */
export const serve = <R>(first: unknown, answer: (request: R) => unknown): void => {
  process.on('disconnect', () => process.exit());
  process.on('message', async (request: R) => process.send?.(await answer(request)));
  process.send?.(first);
};

/** Builds the program as `npm start` does. */
export const build = (): void => {
  execFileSync(process.execPath, [join(ROOT, 'start.mjs'), '--version'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};

/** Starts a command of the built program, without flags of Node.js. */
export const startProgram = (...args: string[]): Measured => new Measured(process.execPath, [MAIN, ...args]);

/** Starts a simulated provider in a process of its own, with a scenario as JSON. */
export const startProvider = async (
  folder: string,
  scenario: object,
): Promise<Measured & { readonly url: string }> => {
  const [port, file] = [await freePort(), join(folder, 'scenario.yaml')];
  writeFileSync(file, JSON.stringify(scenario));
  const provider = startProgram('simulate', '--listen', `127.0.0.1:${port}`, '--scenario', file);
  await answers(`http://127.0.0.1:${port}/`);
  return Object.assign(provider, { url: `http://127.0.0.1:${port}/1.0` });
};

export interface Configured {
  readonly config: string;
  readonly address: string;
  readonly store: string;
}

/** Writes a configuration with an equal account for each of the addresses of providers. */
export const writeConfig = async (
  folder: string,
  urls: readonly string[],
  account: object = {},
  section: object = {},
): Promise<Configured> => {
  const [address, config] = [`127.0.0.1:${await freePort()}`, join(folder, 'config.yaml')];
  const [store, keys] = [
    join(folder, 'proxywatch.db'),
    { public_key: 'demo-public', private_key: 'demo-private' },
  ];
  const settings = {
    ...{ server: { listen: address }, store: { path: store }, log: { level: 'error' }, ...section },
    accounts: urls.map((base_url, n) => ({ name: accountName(n), base_url, ...keys, ...account })),
  };
  writeFileSync(config, JSON.stringify(settings));
  return { config, address, store };
};

export const accountName = (index: number): string => `account-${index + 1}`;

/** Waits until the address answers (with 2xx if `isOk`), and returns how long that took (ms). */
export const answers = async (url: string, isOk = false, everyMs = 5): Promise<number> => {
  const startedAt = performance.now();
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response && (response.ok || !isOk)) return performance.now() - startedAt;
    await setTimeout(everyMs);
  }
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
};

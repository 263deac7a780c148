// Starts programs as processes of their own, and reads their memory and CPU time (Linux).

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sum } from './harness.ts';

export const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** Memory in MB. */
export interface Memory {
  readonly rss: number;
  /** The highest RSS so far. */
  readonly peak: number;
  /** Memory that no other process shares, and that is not a page of a file. */
  readonly dirty: number;
}

/** They end with the benchmark, however it ends. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** A process that the benchmark started. Disposing of it kills it. */
export class Measured implements AsyncDisposable {
  readonly child: ChildProcess;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.child = spawn(command, args, {
      ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] },
    });
    running.add(this.child);
    this.child.on('exit', () => running.delete(this.child));
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN;
  }

  get memory(): Memory {
    return {
      ...{ rss: this.#mbOf('status', 'VmRSS'), peak: this.#mbOf('status', 'VmHWM') },
      dirty: this.#mbOf('smaps_rollup', 'Private_Dirty'),
    };
  }

  /** The CPU time of all threads so far. It is exact, whereas /proc/PID/stat counts in steps of 10 ms. */
  get cpuMs(): number {
    return sum(
      readdirSync(`/proc/${this.pid}/task`).map((task) => {
        const [ns] = readFileSync(`/proc/${this.pid}/task/${task}/schedstat`, 'utf8').split(' ');
        return Number(ns) / 1e6;
      }),
    );
  }

  #mbOf(file: string, name: string): number {
    const text = readFileSync(`/proc/${this.pid}/${file}`, 'utf8');
    return (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1]) * 1_024) / 1e6;
  }

  async killed(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.killed();
  }
}

/** Starts a script of this folder. */
export const startScript = (name: string, ...args: readonly string[]): Measured =>
  new Measured(process.execPath, [join(import.meta.dirname, name), ...args]);

/** The first catch-up of 100 accounts takes minutes. */
const ANSWERS_WITHIN_MS = 600_000;

/** Waits until the address answers (with 2xx if `isOk`), and returns how long that took (ms). Throws if it never does. */
export const answers = async (url: string, isOk = false, everyMs = 5): Promise<number> => {
  const startedAt = performance.now();
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response && (response.ok || !isOk)) return performance.now() - startedAt;
    if (performance.now() - startedAt > ANSWERS_WITHIN_MS) throw new Error(`${url} does not answer`);
    await setTimeout(everyMs);
  }
};

/** Lets a server listen on a free port until the stack is disposed of, and returns the port. */
export const listen = async (
  stack: AsyncDisposableStack,
  server: Server,
  host = '127.0.0.1',
): Promise<number> => {
  await once(stack.use(server).listen(0, host, 4_096), 'listening');
  return (server.address() as AddressInfo).port;
};

export const freePort = async (): Promise<number> => {
  await using stack = new AsyncDisposableStack();
  return await listen(stack, createServer());
};

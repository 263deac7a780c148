// Runs the built program as a process of its own, and reads its memory and CPU time from /proc (Linux).

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export const ROOT = join(import.meta.dirname, '..');
export const MAIN = join(ROOT, 'dist/main.js');
const CPU_TICK_MS = 10;

/** Returns the CPU time of the process so far. */
export const cpuMsOf = ({ pid }: Pick<ChildProcess, 'pid'>): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return (Number(fields[13]) + Number(fields[14])) * CPU_TICK_MS;
};

/** Memory in bytes. */
export interface Memory {
  readonly rss: number;
  /** The highest RSS so far. */
  readonly peak: number;
}

/** A process that the benchmark started. Disposing of it kills it. */
export class Measured implements Disposable {
  readonly #child: ChildProcess;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  get memory(): Memory {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const bytesOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024;
    return { rss: bytesOf('VmRSS'), peak: bytesOf('VmHWM') };
  }

  get cpuMs(): number {
    return cpuMsOf(this.#child);
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** Lets the process end by itself. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.exited();
  }

  async exited(): Promise<void> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

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
): Promise<Measured & { url: string }> => {
  const [port, file] = [await freePort(), join(folder, 'scenario.yaml')];
  writeFileSync(file, JSON.stringify(scenario));
  const provider = startProgram('simulate', '--listen', `127.0.0.1:${port}`, '--scenario', file);
  const url = `http://127.0.0.1:${port}/1.0`;
  await answers(`http://127.0.0.1:${port}/`);
  return Object.assign(provider, { url });
};

/** Writes a configuration for one account, or several equal ones, and returns its path and the daemon's address. */
export const writeConfig = async (
  folder: string,
  url: string,
  account: object = {},
  accounts = 1,
): Promise<{ config: string; address: string }> => {
  const [address, config] = [`127.0.0.1:${await freePort()}`, join(folder, 'config.yaml')];
  const keys = { public_key: 'demo-public', private_key: 'demo-private' };
  const settings = {
    server: { listen: address },
    store: { path: join(folder, 'proxywatch.db') },
    log: { level: 'error' },
    accounts: Array.from({ length: accounts }, (_, n) => {
      const name = n === 0 ? 'main' : `main-${n + 1}`;
      return { name, base_url: url, ...keys, ...account };
    }),
  };
  writeFileSync(config, JSON.stringify(settings));
  return { config, address };
};

/** Waits until the address answers, whatever its status, and returns how long that took (ms). */
export const answers = async (url: string): Promise<number> => {
  const startedAt = performance.now();
  for (;;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return performance.now() - startedAt;
    } catch {
      await setTimeout(5);
    }
  }
};

/** Reads an answer as Prometheus does, compressed. */
export const scrape = async (address: string): Promise<void> => {
  const response = await fetch(`http://${address}/metrics`, { headers: { 'accept-encoding': 'gzip' } });
  await response.arrayBuffer();
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
};

export const temporaryFolder = (): Disposable & { readonly path: string } => {
  const path = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};

export const inMb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

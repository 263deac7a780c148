// The world of a measured daemon: its configuration, its clock, and a simulated provider, which is always that of this tree.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from './harness.ts';
import { answers, freePort, Measured } from './processes.ts';
import { ROOT, type Version } from './versions.ts';

/** Daemon and provider must have the same clock. */
export interface WorldClock {
  readonly speed?: number;
  /** ms */
  readonly behind?: number;
}

/** Both clocks and both versions agree on this time, at which the benchmark started. */
const ORIGIN = String(Date.now());

const startNode = (
  main: string,
  args: readonly string[],
  { speed = 1, behind = 0 }: WorldClock,
  blockFile = '',
): Measured => {
  const isPlain = speed === 1 && behind === 0 && blockFile === '';
  const preload = isPlain ? [] : ['--import', join(import.meta.dirname, 'clock.mjs')];
  const env = { CLOCK_SPEED: String(speed), CLOCK_BEHIND: String(behind), CLOCK_ORIGIN: ORIGIN };
  return new Measured(process.execPath, [...preload, main, ...args], { ...env, BLOCK_FILE: blockFile });
};

/** Returns the address of a simulated provider, on a port that may be that of an earlier one. */
export const startProvider = async (
  stack: AsyncDisposableStack,
  scenario: object,
  clock: WorldClock = {},
  port?: string,
): Promise<string> => {
  const [ownPort, file] = [port ?? (await freePort()), join(temporaryFolder(stack), 'scenario.yaml')];
  writeFileSync(file, JSON.stringify(scenario));
  const args = ['simulate', '--listen', `127.0.0.1:${ownPort}`, '--scenario', file];
  stack.use(startNode(join(ROOT, 'dist/main.js'), args, clock));
  await answers(`http://127.0.0.1:${ownPort}/`);
  return `http://127.0.0.1:${ownPort}/1.0`;
};

export interface DaemonOptions {
  /** With the store of an earlier daemon, or an empty one by default. */
  readonly folder?: string;
  /** The base urls of the accounts. */
  readonly urls: readonly string[];
  /** Settings of each account, and further sections. */
  readonly account?: object;
  readonly sections?: object;
  readonly clock?: WorldClock;
  /** For `longestBlock`. */
  readonly watchesBlocks?: boolean;
}

export interface Daemon {
  readonly process: Measured;
  /** http://host:port */
  readonly origin: string;
  readonly store: string;
  readonly folder: string;
  readonly blockFile: string;
}

/** Starts the daemon of a version. */
export const startDaemon = async (
  stack: AsyncDisposableStack,
  { main }: Version,
  options: DaemonOptions,
): Promise<Daemon> => {
  const { urls, account = {}, sections = {}, clock = {}, watchesBlocks = false } = options;
  const { folder = temporaryFolder(stack) } = options;
  const [listen, config] = [`127.0.0.1:${await freePort()}`, join(folder, 'config.yaml')];
  const store = join(folder, 'proxywatch.db');
  const keys = { public_key: 'demo-public', private_key: 'demo-private' };
  const settings = {
    ...{ server: { listen }, store: { path: store }, log: { level: 'error' }, ...sections },
    accounts: urls.map((base_url, n) => ({ name: `account-${n + 1}`, base_url, ...keys, ...account })),
  };
  writeFileSync(config, JSON.stringify(settings));
  const blockFile = watchesBlocks ? join(folder, 'block') : '';
  const process = stack.use(startNode(main, ['run', '--config', config], clock, blockFile));
  return { process, origin: `http://${listen}`, store, folder, blockFile };
};

/** Returns the longest block of the event loop since the last call (CPU ms), and then sets the clock ahead by so much (ms). */
export const longestBlock = async ({ process, blockFile }: Daemon, ahead = 0): Promise<number> => {
  rmSync(blockFile, { force: true });
  writeFileSync(`${blockFile}.ahead`, String(ahead));
  process.child.kill('SIGUSR2');
  while (!existsSync(blockFile)) await setTimeout(10);
  return Number(readFileSync(blockFile, 'utf8'));
};

const AGENT = new Agent({ keepAlive: true });

/** Downloads as Prometheus does, without the decompression, which would be measured as part of it. */
export const scrape = async (url: string): Promise<Buffer> => {
  const response = await new Promise<Parameters<typeof buffer>[0]>((resolve, reject) => {
    get(url, { agent: AGENT, headers: { 'accept-encoding': 'gzip' } }, resolve).on('error', reject);
  });
  return buffer(response);
};

export const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

// The world of a measured daemon: its configuration, its clock, and a simulated provider, which is always that of this tree.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
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

/** Returns a simulated provider in a process of its own, with a scenario, on a port that may be that of an earlier one. */
export const startProvider = async (
  folder: string,
  scenario: object,
  clock: WorldClock = {},
  port?: number,
): Promise<{ readonly url: string; readonly port: number; readonly process: Measured }> => {
  const [ownPort, file] = [port ?? (await freePort()), join(folder, 'scenario.yaml')];
  writeFileSync(file, JSON.stringify(scenario));
  const args = ['simulate', '--listen', `127.0.0.1:${ownPort}`, '--scenario', file];
  const process = startNode(join(ROOT, 'dist/main.js'), args, clock);
  await answers(`http://127.0.0.1:${ownPort}/`);
  return { url: `http://127.0.0.1:${ownPort}/1.0`, port: ownPort, process };
};

export interface DaemonOptions {
  /** The base urls of the accounts. */
  readonly urls: readonly string[];
  /** Settings of each account, and further sections. */
  readonly account?: object;
  readonly sections?: object;
  readonly clock?: WorldClock;
  /** Writes the longest block into a file of the folder; see `longestBlock`. */
  readonly watchesBlocks?: boolean;
}

export interface Daemon {
  readonly process: Measured;
  /** http://host:port */
  readonly origin: string;
  readonly store: string;
  readonly folder: string;
}

export const accountName = (index: number): string => `account-${index + 1}`;

/** Starts the daemon of a version on the store of the folder. */
export const startDaemon = async (
  { main }: Version,
  folder: string,
  { urls, account = {}, sections = {}, clock = {}, watchesBlocks = false }: DaemonOptions,
): Promise<Daemon> => {
  const [listen, config] = [`127.0.0.1:${await freePort()}`, join(folder, 'config.yaml')];
  const store = join(folder, 'proxywatch.db');
  const keys = { public_key: 'demo-public', private_key: 'demo-private' };
  const settings = {
    ...{ server: { listen }, store: { path: store }, log: { level: 'error' }, ...sections },
    accounts: urls.map((base_url, n) => ({ name: accountName(n), base_url, ...keys, ...account })),
  };
  writeFileSync(config, JSON.stringify(settings));
  const args = ['run', '--config', config];
  const process = startNode(main, args, clock, watchesBlocks ? blockFileOf(folder) : '');
  return { process, origin: `http://${listen}`, store, folder };
};

const blockFileOf = (folder: string): string => join(folder, 'block');

/** Returns the longest block of the event loop since the last call (CPU ms), and then sets the clock ahead by so much (ms). */
export const longestBlock = async ({ process, folder }: Daemon, ahead = 0): Promise<number> => {
  const file = blockFileOf(folder);
  rmSync(file, { force: true });
  writeFileSync(`${file}.ahead`, String(ahead));
  process.child.kill('SIGUSR2');
  while (!existsSync(file)) await setTimeout(10);
  return Number(readFileSync(file, 'utf8'));
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

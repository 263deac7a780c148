// Runs one daemon with many accounts and observes it for a time: CPU, memory, event loop, scrapes, lag of polls, store (Linux).

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { MINUTE, SECOND } from '../src/lib/time.ts';
import { delayOf } from '../src/schedule/delay.ts';
import { freePort, MAIN, Measured } from './daemon-process.ts';

const OBSERVE_EVERY_MS = 5_000;
const OBSERVATIONS_PER_SCRAPE = 3;

/** What was observed of a daemon. Times are in ms and sizes in bytes. */
export interface Observed {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rss: readonly number[];
  /** The 99th percentile of the event loop's delay, between two scrapes. */
  readonly loopDelays: readonly number[];
  readonly scrapes: readonly Scrape[];
  /** How much later than scheduled the newest polls of the traffic began. */
  readonly lags: readonly number[];
  /** The time since the newest successful polls of the traffic began. */
  readonly ages: readonly number[];
  readonly skipped: number;
  readonly storeBefore: number;
  readonly storeAfter: number;
}

interface Scrape {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** After compression. */
  readonly bytes: number;
}

export interface ScaleDaemon extends Disposable {
  readonly program: Measured;
  readonly address: string;
  readonly store: string;
  readonly config: string;
}

/** Starts a daemon with an account for each url. */
export const startDaemon = async (
  folder: string,
  urls: readonly string[],
  account: object,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<ScaleDaemon> => {
  const [address, config] = [`127.0.0.1:${await freePort()}`, join(folder, 'config.yaml')];
  const store = join(folder, 'proxywatch.db');
  const keys = { public_key: 'demo-public', private_key: 'demo-private' };
  const settings = {
    ...{ server: { listen: address }, store: { path: store }, log: { level: 'error' } },
    // A new counter would show 0 for two minutes, and a benchmark compares it with the store.
    metrics: { first_step_hold: '0s' },
    accounts: urls.map((base_url, n) => ({ name: nameOf(n), base_url, ...keys, ...account })),
  };
  writeFileSync(config, JSON.stringify(settings));
  return startOn({ address, config, store }, flags, env);
};

/** Starts a daemon on the configuration and the store of another one, which has ended. */
export const startOn = (
  { address, config, store }: Pick<ScaleDaemon, 'address' | 'config' | 'store'>,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): ScaleDaemon => {
  const program = new Measured(process.execPath, [...flags, MAIN, 'run', '--config', config], env);
  return { program, address, store, config, [Symbol.dispose]: () => program[Symbol.dispose]() };
};

export const nameOf = (index: number): string => `account-${index + 1}`;

/** Waits until the daemon is ready and returns how long that took (ms). */
export const ready = async (address: string, everyMs = 1_000): Promise<number> => {
  const startedAt = performance.now();
  for (;;) {
    const response = await fetch(`http://${address}/-/ready`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return performance.now() - startedAt;
    await setTimeout(everyMs);
  }
};

/** Scrapes as Prometheus does, and samples the process, until the span is over. */
export const observe = async (daemon: ScaleDaemon, spanMs: number): Promise<Observed> => {
  const { program, store, address } = daemon;
  const samples = {
    ...{ rss: [] as number[], loopDelays: [] as number[], scrapes: [] as Scrape[] },
    ...{ lags: [] as number[], ages: [] as number[] },
  };
  const [storeBefore, skippedBefore] = [sizeOf(store), skippedIn(await traffic(address))];
  const [cpuMs, startedAt] = [program.cpuMs, performance.now()];
  let skipped = 0;
  for (let n = 1; n * OBSERVE_EVERY_MS <= spanMs; n += 1) {
    await setTimeout(Math.max(0, startedAt + n * OBSERVE_EVERY_MS - performance.now()));
    samples.rss.push(program.memory.rss);
    if (n % OBSERVATIONS_PER_SCRAPE > 0) continue;
    // The delay is measured since the last request, so the small one comes before the whole scrape.
    const text = await traffic(address);
    samples.loopDelays.push(SECOND * (valuesOf(text, 'nodejs_eventloop_lag_p99_seconds')[0]?.value ?? 0));
    samples.lags.push(...lagsIn(text));
    samples.ages.push(...agesIn(text));
    skipped = skippedIn(text) - skippedBefore;
    samples.scrapes.push(await scrape(daemon));
  }
  const totals = { wallMs: performance.now() - startedAt, cpuMs: program.cpuMs - cpuMs };
  return { ...totals, ...samples, skipped, storeBefore, storeAfter: sizeOf(store) };
};

/** Returns the size without free pages: the file itself grows in large steps. */
const sizeOf = (path: string): number => {
  using database = new DatabaseSync(path, { readOnly: true });
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
};

/** Reads the series of the collector `traffic` and of the daemon itself. */
const traffic = async (address: string): Promise<string> =>
  await (await fetch(`http://${address}/metrics?collector=traffic`)).text();

interface Value {
  readonly labels: string;
  readonly value: number;
}

const valuesOf = (text: string, family: string): Value[] =>
  [...text.matchAll(new RegExp(`^${family}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(
    ([, labels = '', value = '']) => ({ labels, value: Number(value) }),
  );

const lagsIn = (text: string): number[] => {
  const attempts = valuesOf(text, 'proxywatch_collector_last_attempt_timestamp_seconds');
  return attempts.map(({ labels, value }) => {
    const account = /account="([^"]+)"/.exec(labels)?.[1];
    return (SECOND * value - delayOf(`${account}/traffic`, MINUTE, attempts.length) + MINUTE) % MINUTE;
  });
};

const agesIn = (text: string): number[] =>
  valuesOf(text, 'proxywatch_collector_last_success_timestamp_seconds').map(
    ({ value }) => Date.now() - SECOND * value,
  );

const skippedIn = (text: string): number =>
  valuesOf(text, 'proxywatch_collector_runs_total')
    .filter(({ labels }) => labels.includes('result="skipped"'))
    .reduce((sum, { value }) => sum + value, 0);

const scrape = async ({ program, address }: ScaleDaemon): Promise<Scrape> => {
  const [cpuMs, startedAt] = [preciseCpuMs(program.pid), performance.now()];
  const bytes = await new Promise<number>((resolve, reject) => {
    const count = (response: IncomingMessage): void => {
      let sum = 0;
      response.on('data', (chunk: Buffer) => {
        sum += chunk.length;
      });
      response.on('end', () => resolve(sum)).on('error', reject);
    };
    get(`http://${address}/metrics`, { headers: { 'accept-encoding': 'gzip' } }, count).on('error', reject);
  });
  return { wallMs: performance.now() - startedAt, cpuMs: preciseCpuMs(program.pid) - cpuMs, bytes };
};

/** Returns the CPU time of all threads, which /proc/PID/stat rounds to 10 ms. */
const preciseCpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const [ns] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    return sum + Number(ns) / 1e6;
  }, 0);

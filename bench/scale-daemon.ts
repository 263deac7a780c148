// Runs daemons with many accounts against simulated providers, and observes them for a time (Linux).

import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { MINUTE, SECOND } from '../src/lib/time.ts';
import { delayOf } from '../src/schedule/ticker.ts';
import { sum } from './harness.ts';
import { type Configured, MAIN, Measured, startScript, writeConfig } from './processes.ts';

/** A process of Node.js has one core, so it serves at most this many accounts. */
const ACCOUNTS_PER_PROCESS = 100;
/** The provider's default limit of requests. Its documentation names no times of answers, so these are assumptions. */
export const PACED = {
  pace: 10,
  response_delay_ms: 200,
  test_run_delay_ms: 5_000,
  users: 2_000,
  proxies: 100,
};

export interface Providers extends Disposable {
  /** The base urls of the accounts. */
  readonly urls: readonly string[];
  /** CPU time of all processes so far. */
  readonly cpuMs: number;
  /** Sets how far the clocks of the providers are behind (ms). */
  setBehind(ms: number): void;
}

export const startProviders = async (
  accounts: number,
  scenario: object,
  behindMs = 0,
): Promise<Providers> => {
  const scripts: Measured[] = [];
  const urls: Promise<string[]>[] = [];
  for (let first = 0; first < accounts; first += ACCOUNTS_PER_PROCESS) {
    const count = Math.min(ACCOUNTS_PER_PROCESS, accounts - first);
    const args = [String(count), String(first + 1), JSON.stringify(scenario)];
    const script = startScript('scale-simulators.ts', args, { env: { CLOCK_BEHIND_MS: String(behindMs) } });
    scripts.push(script);
    urls.push(script.message<string[]>());
  }
  return {
    urls: (await Promise.all(urls)).flat(),
    get cpuMs() {
      return sum(scripts.map(({ cpuMs }) => cpuMs));
    },
    setBehind: (ms) => {
      for (const { child } of scripts) child.send(ms);
    },
    [Symbol.dispose]: () => {
      for (const script of scripts) script[Symbol.dispose]();
    },
  };
};

export interface ScaleDaemon extends Disposable, Configured {
  readonly program: Measured;
}

interface Process {
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a daemon with an account for each url. */
export const startDaemon = async (
  folder: string,
  urls: readonly string[],
  account: object,
  process: Process = {},
): Promise<ScaleDaemon> =>
  // A new counter would show 0 for two minutes, and a benchmark compares it with the store.
  startOn(await writeConfig(folder, urls, account, { metrics: { first_step_hold: '0s' } }), process);

/** Starts a daemon on the configuration and the store of another one, which has ended. */
export const startOn = (configured: Configured, { flags = [], env = {} }: Process = {}): ScaleDaemon => {
  const program = new Measured(process.execPath, [...flags, MAIN, 'run', '--config', configured.config], {
    env,
  });
  return { ...configured, program, [Symbol.dispose]: () => program[Symbol.dispose]() };
};

const OBSERVE_EVERY_MS = 5_000;
const OBSERVATIONS_PER_SCRAPE = 3;

interface Scrape {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** After compression. */
  readonly bytes: number;
}

/** What was observed of a daemon. Times are in ms and sizes in bytes. */
export type Observed = Awaited<ReturnType<typeof observe>>;

/** Scrapes as Prometheus does, and samples the process, until the span is over. */
export const observe = async (daemon: ScaleDaemon, spanMs: number) => {
  const { program, store, address } = daemon;
  const rss: number[] = [];
  /** The 99th percentile of the event loop's delay, between two scrapes. */
  const loopDelays: number[] = [];
  const scrapes: Scrape[] = [];
  /** How much later than scheduled the newest polls of the traffic began, and the time since successful ones began. */
  const [lags, ages]: [number[], number[]] = [[], []];
  const [storeBefore, skippedBefore] = [sizeOf(store), skippedIn(await traffic(address))];
  const [cpuMs, startedAt] = [program.cpuMs, performance.now()];
  let skipped = 0;
  for (let n = 1; n * OBSERVE_EVERY_MS <= spanMs; n += 1) {
    await setTimeout(Math.max(0, startedAt + n * OBSERVE_EVERY_MS - performance.now()));
    rss.push(program.memory.rss);
    if (n % OBSERVATIONS_PER_SCRAPE > 0) continue;
    // The delay is measured since the last request, so the small one comes before the whole scrape.
    const text = await traffic(address);
    loopDelays.push(SECOND * (valuesOf(text, 'nodejs_eventloop_lag_p99_seconds')[0]?.value ?? 0));
    lags.push(...lagsIn(text));
    const successes = valuesOf(text, 'proxywatch_collector_last_success_timestamp_seconds');
    ages.push(...successes.map(({ value }) => Date.now() - SECOND * value));
    skipped = skippedIn(text) - skippedBefore;
    scrapes.push(await scrape(daemon));
  }
  const totals = { wallMs: performance.now() - startedAt, cpuMs: program.cpuMs - cpuMs };
  const sizes = { storeBefore, storeAfter: sizeOf(store) };
  return { ...totals, rss, loopDelays, scrapes, lags, ages, skipped, ...sizes };
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

const valuesOf = (text: string, family: string) =>
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

const skippedIn = (text: string): number =>
  sum(
    valuesOf(text, 'proxywatch_collector_runs_total')
      .filter(({ labels }) => labels.includes('result="skipped"'))
      .map(({ value }) => value),
  );

const scrape = async ({ program, address }: ScaleDaemon): Promise<Scrape> => {
  const [cpuMs, startedAt] = [preciseCpuMs(program.pid), performance.now()];
  const bytes = await new Promise<number>((resolve, reject) => {
    get(`http://${address}/metrics`, { headers: { 'accept-encoding': 'gzip' } }, async (response) => {
      let size = 0;
      for await (const chunk of response) size += (chunk as Buffer).length;
      resolve(size);
    }).on('error', reject);
  });
  return { wallMs: performance.now() - startedAt, cpuMs: preciseCpuMs(program.pid) - cpuMs, bytes };
};

/** Returns the CPU time of all threads, which /proc/PID/stat rounds to 10 ms. */
const preciseCpuMs = (pid: number): number =>
  sum(
    readdirSync(`/proc/${pid}/task`).map((task) => {
      const [ns] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
      return Number(ns) / 1e6;
    }),
  );

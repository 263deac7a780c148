// Measures how the cost of one daemon grows with accounts of 2,000 users and 100 proxies, and compares it with three
// daemons side by side (Linux). The clock is real, because a driven clock hides the lag of polls.

import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { DAY, MINUTE } from '../src/lib/time.ts';
import {
  type Bench,
  inMb,
  inMs,
  inSeconds,
  median,
  optionsOf,
  printHead,
  printRow,
  quantile,
  sum,
  temporaryFolder,
} from './harness.ts';
import { answers, build } from './processes.ts';
import {
  type Observed,
  observe,
  PACED,
  type ScaleDaemon,
  startDaemon,
  startProviders,
} from './scale-daemon.ts';

/** The first catch-up is short, because it takes one to two seconds of a core for each account and is not measured. */
const ACCOUNT = {
  traffic: { catch_up: '2h' },
  inventory: {},
  proxy_tests: {
    urls: ['https://www.example.com/', 'https://shop.example/'],
    proxies: [{ search: { proxy_status: 'in_use' } }],
  },
};
const SHARDS = 3;
/** First runs begin when the daemon starts. After this time, every account has begun a run by its schedule. */
const SETTLE_MS = 75_000;

interface Result {
  readonly accounts: number;
  /** CPU seconds a minute of all daemons, and their mean memory in MB. */
  readonly cpu: number;
  readonly rss: number;
}

/**
 * Options: `--accounts` (1,10,100,300; 0 leaves these rows out), `--minutes` of each row (5, so that each user is polled once), `--shards` (100),
 * the accounts of each of three daemons in the last row (0 leaves the row out), and `--profile`, a folder for CPU
 * profiles of the daemons.
 */
export const scale: Bench = async (args) => {
  const defaults = { accounts: '1,10,100,300', minutes: 5, shards: 100, profile: '' };
  const { accounts, minutes, shards, profile } = optionsOf(args, defaults);
  const flags = profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  build();
  printHead(...HEAD);
  let before: Result | undefined;
  for (const count of accounts.split(',').map(Number))
    if (count > 0) before = await measure([count], minutes * MINUTE, flags, before);
  if (shards > 0) await measure(Array<number>(SHARDS).fill(shards), minutes * MINUTE, flags);
  return undefined;
};

/** `counts` are the accounts of each daemon. */
const measure = async (
  counts: readonly number[],
  spanMs: number,
  flags: readonly string[],
  before?: Result,
): Promise<Result> => {
  using folder = temporaryFolder();
  using providers = await startProviders(sum(counts), PACED);
  using stack = new DisposableStack();
  const daemons: ScaleDaemon[] = [];
  for (const [index, count] of counts.entries()) {
    const first = sum(counts.slice(0, index));
    const path = `${folder.path}/${index}`;
    mkdirSync(path);
    const urls = providers.urls.slice(first, first + count);
    daemons.push(stack.use(await startDaemon(path, urls, ACCOUNT, { flags })));
  }
  const starts = daemons.map(({ address }) => answers(`http://${address}/-/ready`, true, 1_000));
  const startMs = Math.max(...(await Promise.all(starts)));
  await setTimeout(SETTLE_MS);
  const cpuMs = providers.cpuMs;
  const observed = await Promise.all(daemons.map((daemon) => observe(daemon, spanMs)));
  const simulators = (providers.cpuMs - cpuMs) / spanMs;
  if (flags.length > 0) await Promise.all(daemons.map(({ program }) => program.stop()));
  const result = report(counts, observed, before);
  console.error(
    `ready after ${inSeconds(startMs)}; the simulators took ${simulators.toFixed(2)} cores` +
      (simulators > 1 ? ', MORE THAN ONE: they may bound the figures' : ''),
  );
  return result;
};

const HEAD = [
  ...['daemons', 'accounts', 'CPU s/min', 'RSS mean', 'RSS highest', 'loop delay p99, median / highest'],
  ...['scrape: time, CPU, compressed size', 'lag of polls p50 / p99', 'age of data p50 / highest', 'skipped'],
  ...['store per day', 'CPU of one more account', 'memory of one more account'],
];

/** Memory, CPU and store are sums over the daemons. The other values are over the observations of all of them. */
const report = (
  counts: readonly number[],
  observed: readonly Observed[],
  before: Result | undefined,
): Result => {
  const accounts = sum(counts);
  const cpu = sum(observed.map((it) => (it.cpuMs / it.wallMs) * 60));
  const rss = sum(observed.map((it) => sum(it.rss) / it.rss.length)) / 1e6;
  const scrapes = observed.flatMap((it) => it.scrapes);
  const delays = observed.flatMap((it) => it.loopDelays);
  const [lags, ages] = [observed.flatMap((it) => it.lags), observed.flatMap((it) => it.ages)];
  const more = accounts - (before?.accounts ?? accounts);
  const marginal = (value: number, earlier: number | undefined, unit: string, digits: number): string =>
    more > 0 && earlier !== undefined ? `${((value - earlier) / more).toFixed(digits)} ${unit}` : '';
  const middle = (figure: keyof (typeof scrapes)[number]): number => median(scrapes.map((it) => it[figure]));
  printRow(
    ...[counts.length === 1 ? '1 daemon' : `${counts.length} daemons`, accounts],
    ...[cpu.toFixed(2), `${rss.toFixed(0)} MB`, inMb(sum(observed.map((it) => Math.max(...it.rss))))],
    `${median(delays).toFixed(1)} / ${inMs(Math.max(...delays), 1)}`,
    `${inMs(middle('wallMs'))}, ${inMs(middle('cpuMs'))}, ${inMb(middle('bytes'), 1)}`,
    `${inSeconds(median(lags))} / ${inSeconds(quantile(lags, 0.99))}`,
    `${inSeconds(median(ages))} / ${inSeconds(Math.max(...ages))}`,
    sum(observed.map((it) => it.skipped)),
    inMb(sum(observed.map((it) => ((it.storeAfter - it.storeBefore) / it.wallMs) * DAY))),
    marginal(cpu, before?.cpu, 's/min', 4),
    marginal(rss, before?.rss, 'MB', 2),
  );
  return { accounts, cpu, rss };
};

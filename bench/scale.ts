// Measures how the cost of one daemon grows with accounts of 2,000 users and 100 proxies, and compares it with three
// daemons side by side (Linux). The clock is real, because a driven clock hides the lag of polls.

import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DAY, MINUTE } from '../src/lib/time.ts';
import { build, temporaryFolder } from './daemon-process.ts';
import { type Figure, median } from './figure.ts';
import { type Observed, observe, ready, type ScaleDaemon, startDaemon } from './scale-daemon.ts';
import { PACED, startProviders } from './scale-providers.ts';

const SCENARIO = { ...PACED, users: 2_000, proxies: 100 };
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

interface Row {
  readonly name: string;
  /** Accounts of each daemon. */
  readonly accounts: readonly number[];
}

interface Result {
  readonly row: Row;
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
export const scale = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    accounts: { type: 'string', default: '1,10,100,300' },
    minutes: { type: 'string', default: '5' },
    shards: { type: 'string', default: '100' },
    profile: { type: 'string' },
  } as const;
  const { accounts, minutes, shards, profile } = parseArgs({ args: [...args], options }).values;
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  build();
  const counts = accounts.split(',').map(Number);
  const single = counts
    .filter((count) => count > 0)
    .map((count) => ({ name: '1 daemon', accounts: [count] }));
  const several = { name: `${SHARDS} daemons`, accounts: Array<number>(SHARDS).fill(Number(shards)) };
  printHead();
  let before: Result | undefined;
  for (const row of [...single, ...(Number(shards) > 0 ? [several] : [])])
    before = await measure(row, Number(minutes) * MINUTE, flags, row === several ? undefined : before);
  return [];
};

const measure = async (
  row: Row,
  spanMs: number,
  flags: readonly string[],
  before: Result | undefined,
): Promise<Result> => {
  using folder = temporaryFolder();
  const accounts = sum(row.accounts);
  using providers = await startProviders(accounts, SCENARIO);
  using stack = new DisposableStack();
  const daemons: ScaleDaemon[] = [];
  for (const [index, count] of row.accounts.entries()) {
    const first = sum(row.accounts.slice(0, index));
    const path = `${folder.path}/${index}`;
    mkdirSync(path);
    const urls = providers.urls.slice(first, first + count);
    daemons.push(stack.use(await startDaemon(path, urls, ACCOUNT, flags)));
  }
  const startMs = Math.max(...(await Promise.all(daemons.map(({ address }) => ready(address)))));
  await setTimeout(SETTLE_MS);
  const cpuMs = providers.cpuMs;
  const observed = await Promise.all(daemons.map((daemon) => observe(daemon, spanMs)));
  const simulators = (providers.cpuMs - cpuMs) / spanMs;
  if (flags.length > 0) await Promise.all(daemons.map(({ program }) => program.stop()));
  const result = report(row, accounts, observed, before);
  console.error(
    `ready after ${(startMs / 1_000).toFixed(0)} s; the simulators took ${simulators.toFixed(2)} cores` +
      (simulators > 1 ? ', MORE THAN ONE: they may bound the figures' : ''),
  );
  return result;
};

const HEAD = [
  ...['daemons', 'accounts', 'CPU s/min', 'RSS mean', 'RSS highest', 'loop delay p99, median / highest'],
  ...['scrape: time, CPU, compressed size', 'lag of polls p50 / p99', 'age of data p50 / highest', 'skipped'],
  ...['store per day', 'CPU of one more account', 'memory of one more account'],
];

const printHead = (): void => {
  console.log(`| ${HEAD.join(' | ')} |\n|${'---|'.repeat(HEAD.length)}`);
};

/** Memory, CPU and store are sums over the daemons. The other values are over the observations of all of them. */
const report = (
  row: Row,
  accounts: number,
  observed: readonly Observed[],
  before: Result | undefined,
): Result => {
  const cpu = sum(observed.map((it) => (MINUTE / 1_000) * (it.cpuMs / it.wallMs)));
  const rss = sum(observed.map((it) => sum(it.rss) / it.rss.length)) / 1e6;
  const scrapes = observed.flatMap((it) => it.scrapes);
  const delays = observed.flatMap((it) => it.loopDelays);
  const [lags, ages] = [observed.flatMap((it) => it.lags), observed.flatMap((it) => it.ages)];
  const growth = sum(observed.map((it) => ((it.storeAfter - it.storeBefore) / it.wallMs) * DAY)) / 1e6;
  const more = accounts - (before?.accounts ?? accounts);
  const marginal = (value: number, earlier: number | undefined, unit: string, digits: number): string =>
    more > 0 && earlier !== undefined ? `${((value - earlier) / more).toFixed(digits)} ${unit}` : '';
  const cells = [
    ...[row.name, String(accounts), cpu.toFixed(2), mb(rss)],
    mb(sum(observed.map((it) => Math.max(...it.rss))) / 1e6),
    `${median(delays).toFixed(1)} / ${Math.max(...delays).toFixed(1)} ms`,
    `${ms(scrapes.map((it) => it.wallMs))}, ${ms(scrapes.map((it) => it.cpuMs))}, ${(median(scrapes.map((it) => it.bytes)) / 1e6).toFixed(1)} MB`,
    `${seconds(percentile(lags, 0.5))} / ${seconds(percentile(lags, 0.99))}`,
    `${seconds(percentile(ages, 0.5))} / ${seconds(Math.max(...ages))}`,
    String(sum(observed.map((it) => it.skipped))),
    mb(growth),
    marginal(cpu, before?.cpu, 's/min', 4),
    marginal(rss, before?.rss, 'MB', 2),
  ];
  console.log(`| ${cells.join(' | ')} |`);
  return { row, accounts, cpu, rss };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
const mb = (value: number): string => `${value.toFixed(0)} MB`;
const ms = (values: readonly number[]): string => `${median(values).toFixed(0)} ms`;
const seconds = (value: number): string => `${(value / 1_000).toFixed(1)} s`;

// Measures how the cost of a daemon grows with users, proxies, accounts and days of history (Linux). Each size has a
// daemon and a simulated provider of its own. All of them run at the same time.

import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build, inMb, startProgram, startProvider, temporaryFolder, writeConfig } from './daemon-process.ts';
import type { Figure } from './figure.ts';
import { storeDays } from './stored-days.ts';

const SCRAPE_EVERY_MS = 15_000;
/** The first catch-up does not count. That of 100 accounts takes minutes. */
const SETTLE_MS = 300_000;
/** In this time, a daemon creates the graphs whose history is then filled in. */
const FIRST_RUN_MS = 60_000;
const URLS = ['https://www.example.com/', 'https://shop.example/'];

interface Size {
  readonly what: string;
  readonly count: number;
  readonly scenario?: object;
  readonly account?: object;
  readonly accounts?: number;
  /** Days of history that the store already has. */
  readonly days?: number;
}

/** The cost of one daemon: shares of a core, and bytes. */
interface Cost {
  readonly cpu: number;
  readonly peak: number;
  readonly scrape: number;
  readonly store: number;
  readonly series: number;
}

const NO_PACE = { pace: null, test_runs_per_day: 10_000_000 };

const usersOf = (count: number): Size => ({
  ...{ what: 'users', count },
  ...{ scenario: { ...NO_PACE, users: count }, account: { requests_per_second: 1_000 } },
});

const proxiesOf = (count: number): Size => ({
  ...{ what: 'tested proxies', count },
  scenario: { ...NO_PACE, proxies: count },
  account: {
    requests_per_second: 1_000,
    inventory: {},
    proxy_tests: {
      ...{ urls: URLS, max_runs_per_day: 10_000_000, max_series: 1_000_000 },
      proxies: [{ search: { proxy_status: 'in_use' } }],
    },
  },
});

const daysOf = (count: number): Size => ({ what: 'days of history', count, scenario: NO_PACE, days: count });

const accountsOf = (count: number): Size => ({ what: 'accounts', count, scenario: NO_PACE, accounts: count });

/** Options: `--minutes` (10) and `--largest` (100000), the largest number of users. */
export const growth = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    minutes: { type: 'string', default: '10' },
    largest: { type: 'string', default: '100000' },
  } as const;
  const { minutes, largest } = parseArgs({ args: [...args], options }).values;
  build();
  const users = Number(largest);
  const sizes = [
    ...[users / 100, users / 10, users].map(usersOf),
    ...[users / 1_000, users / 100, users / 10].map(proxiesOf),
    ...[1, 10, 100].map(accountsOf),
    ...[10, 100, 400].map(daysOf),
  ];
  const costs = await Promise.all(sizes.map((size) => costOf(size, Number(minutes) * 60_000)));
  report(sizes, costs);
  return [];
};

const costOf = async (
  { scenario = {}, account = {}, accounts = 1, days }: Size,
  spanMs: number,
): Promise<Cost> => {
  using folder = temporaryFolder();
  using provider = await startProvider(folder.path, scenario);
  const { config, address } = await writeConfig(folder.path, provider.url, account, accounts);
  if (days !== undefined) await prepare(config, `${folder.path}/proxywatch.db`, days);
  using program = startProgram('run', '--config', config);
  await setTimeout(SETTLE_MS);
  const [cpuMs, startedAt] = [program.cpuMs, performance.now()];
  let text = '';
  for (let passed = 0; passed < spanMs; passed += SCRAPE_EVERY_MS) {
    await setTimeout(SCRAPE_EVERY_MS);
    text = await (await fetch(`http://${address}/metrics`)).text();
  }
  return {
    cpu: (program.cpuMs - cpuMs) / (performance.now() - startedAt),
    peak: program.memory.peak,
    scrape: text.length,
    store: statSync(`${folder.path}/proxywatch.db`).size,
    series: text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
  };
};

/** Stores days of history under the graphs of the daemon that will run. */
const prepare = async (config: string, store: string, days: number): Promise<void> => {
  using program = startProgram('run', '--config', config);
  await setTimeout(FIRST_RUN_MS);
  program[Symbol.dispose]();
  await program.exited();
  storeDays(store, days);
};

const report = (sizes: readonly Size[], costs: readonly Cost[]): void => {
  console.log(
    '| size | series | share of a core | highest RSS | a scrape | store |\n|---|---|---|---|---|---|',
  );
  for (const [index, { what, count }] of sizes.entries()) {
    const { series, cpu, peak, scrape, store } = costs[index] as Cost;
    const cells = [
      `${count.toLocaleString('en')} ${what}`,
      series.toLocaleString('en'),
      `${(100 * cpu).toFixed(2)}%`,
      ...[peak, scrape, store].map(inMb),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
};

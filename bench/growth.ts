// Measures how the cost of a daemon grows with users, proxies, accounts and days of history (Linux).

import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import { type Bench, inMb, optionsOf, printHead, printRow, temporaryFolder } from './harness.ts';
import { build, startProgram, startProvider, writeConfig } from './processes.ts';

const SCRAPE_EVERY_MS = 15_000;
/** The first catch-up does not count. That of 100 accounts takes minutes. */
const SETTLE_MS = 5 * MINUTE;
const NO_PACE = { pace: null, test_runs_per_day: 10_000_000 };
const FAST = { requests_per_second: 1_000 };
const TESTED = {
  ...{ ...FAST, inventory: {} },
  proxy_tests: {
    urls: ['https://www.example.com/', 'https://shop.example/'],
    ...{ max_runs_per_day: 10_000_000, max_series: 1_000_000 },
    proxies: [{ search: { proxy_status: 'in_use' } }],
  },
};

interface Size {
  readonly what: string;
  readonly count: number;
  readonly scenario?: object;
  readonly account?: object;
  readonly accounts?: number;
  /** Days of history that the store already has. */
  readonly days?: number;
}

/**
 * Measures how the cost of a daemon grows with users, proxies, accounts and days of history. Each size has a daemon and a
 * simulated provider of its own. Options: `--minutes` (10) and `--largest` (100000), the largest number of users.
 */
export const growth: Bench = async (args) => {
  const { minutes, largest } = optionsOf(args, { minutes: 10, largest: 100_000 });
  build();
  const sizes: Size[] = [
    ...[largest / 100, largest / 10, largest].map((count) => ({
      ...{ what: 'users', count, scenario: { users: count }, account: FAST },
    })),
    ...[largest / 1_000, largest / 100, largest / 10].map((count) => ({
      ...{ what: 'tested proxies', count, scenario: { proxies: count }, account: TESTED },
    })),
    ...[1, 10, 100].map((count) => ({ what: 'accounts', count, accounts: count })),
    ...[10, 100, 400].map((count) => ({ what: 'days of history', count, days: count })),
  ];
  const rows = await Promise.all(sizes.map((size) => rowOf(size, minutes * MINUTE)));
  printHead('size', 'series', 'share of a core', 'highest RSS', 'a scrape', 'store');
  for (const row of rows) printRow(...row);
  return undefined;
};

const rowOf = async (size: Size, spanMs: number): Promise<string[]> => {
  const { scenario = {}, account = {}, accounts = 1, days } = size;
  using folder = temporaryFolder();
  using provider = await startProvider(folder.path, { ...NO_PACE, ...scenario });
  const urls = Array<string>(accounts).fill(provider.url);
  const { config, address, store } = await writeConfig(folder.path, urls, account);
  if (days !== undefined) await prepare(config, store, days);
  using program = startProgram('run', '--config', config);
  await setTimeout(SETTLE_MS);
  const [cpuMs, startedAt] = [program.cpuMs, performance.now()];
  let text = '';
  for (let passed = 0; passed < spanMs; passed += SCRAPE_EVERY_MS) {
    await setTimeout(SCRAPE_EVERY_MS);
    text = await (await fetch(`http://${address}/metrics`)).text();
  }
  const share = (program.cpuMs - cpuMs) / (performance.now() - startedAt);
  return [
    `${size.count.toLocaleString('en')} ${size.what}`,
    text
      .split('\n')
      .filter((line) => /^[^#]/.test(line))
      .length.toLocaleString('en'),
    `${(100 * share).toFixed(2)}%`,
    ...[program.memory.peak, text.length, statSync(store).size].map((bytes) => inMb(bytes)),
  ];
};

/** Lets a daemon create its graphs, and fills in their history as its own maintenance would have kept it. */
const prepare = async (config: string, store: string, days: number): Promise<void> => {
  using program = startProgram('run', '--config', config);
  await setTimeout(MINUTE);
  await program.killed();
  const db = new Database(store);
  const midnight = Date.now() - (Date.now() % DAY);
  // The provider itself still has the newest 8 days, which the daemon reads.
  for (const [resolution, width, first, last] of [
    ['hourly', HOUR, 8, 60],
    ['daily', DAY, 60, 400],
  ] as const) {
    const slots = {
      resolution,
      width,
      from: midnight - Math.min(days, last) * DAY,
      to: midnight - first * DAY,
    };
    if (slots.from >= slots.to) continue;
    db.prepare(BUCKETS).run(slots);
    for (const product_type of ['residential', 'mobile']) db.prepare(USAGE).run({ ...slots, product_type });
  }
  db.close();
};

const SLOTS = `WITH RECURSIVE slot (at) AS
  (SELECT :from UNION ALL SELECT at + :width FROM slot WHERE at + :width < :to)`;
const BUCKETS = `${SLOTS} INSERT OR IGNORE INTO rolled_up_bucket
  (graph_id, resolution, at, width_ms, bytes, requests, successful, failed, concurrency_average, concurrency_max, concurrency_ms)
  SELECT id, :resolution, at, :width, 1e9 + at % 7919, 1e5 + at % 7919, 1e5, at % 7919, 20.5, 60, :width FROM graph, slot`;
const USAGE = `${SLOTS} INSERT OR IGNORE INTO user_usage (account_id, resolution, until, product_type, since, bytes)
  SELECT id, :resolution, at + :width, :product_type, at, 1e8 + at % 7919 FROM account, slot`;

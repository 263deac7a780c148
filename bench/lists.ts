// Measures the lists of the API at 20 requests a second, and the views of the status page in Chromium, over a store with
// 100,000 users and 10,000 proxies.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Bench,
  costOf,
  type Figure,
  figure,
  inMs,
  median,
  optionsOf,
  printHead,
  printRow,
  quantile,
  temporaryFolder,
} from './harness.ts';
import { fillLists, LARGE_SUBJECTS, startApiServer, startLargePage } from './lists-data.ts';

/** Lists as people use them: sorted, filtered, searched, and on later pages. */
const QUERIES = [
  'users',
  'users?limit=15&sort=exhaustion&product_type=residential',
  'users?sort=-used_bytes',
  'users?sort=left_bytes&state=low&state=exhausted',
  'users?q=user-000421',
  'users?sort=id&include_deleted=true',
  'users/summary',
  'proxies?limit=12',
  'proxies?sort=-last_tested_at&limit=25',
  'proxies?sort=uptime_24h&limit=12',
  'proxies?q=42&product_type=isp&limit=25',
  'inventory?sort=ip_address',
  'inventory?q=paris&country_id=fr',
  'inventory?sort=-updated_at&status=in_use',
  'services',
  'testers',
  'targets?fault=false',
  'alerts',
] as const;

/** Options: `--users` (100000), `--proxies` (10000), `--seconds` (30) and `--rate` (20) of the requests. */
export const api: Bench = async (args) => {
  const { users, proxies, seconds, rate } = optionsOf(args, {
    ...{ users: 100_000, proxies: 10_000, seconds: 30, rate: 20 },
  });
  using folder = temporaryFolder();
  await using server = await startApiServer(folder.path, proxies);
  await fillLists(server.store, users, proxies);
  const before = heapBytes();
  // The first requests compute the indexes.
  for (const query of ['users', 'proxies', 'proxies?sort=uptime_24h', 'inventory']) {
    const { wallMs, blockMs } = await costOf(() => timeOf(server.url, query));
    console.log(`first request to ${query}: ${inMs(wallMs)}, event loop at most ${inMs(blockMs, 1)}`);
  }
  console.log(`memory of the indexes: ${((heapBytes() - before) / 1e6).toFixed(1)} MB`);
  return await measure(server.url, rate, seconds);
};

const heapBytes = (): number => {
  global.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const measure = async (url: string, rate: number, seconds: number): Promise<readonly Figure[]> => {
  for (const query of QUERIES) await timeOf(url, query);
  const times = new Map<string, number[]>(QUERIES.map((query) => [query, []]));
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const cpu = process.cpuUsage();
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    await delay(Math.max(0, startedAt + (1_000 * sent) / rate - performance.now()));
    const query = QUERIES[sent % QUERIES.length] ?? '';
    pending.push(timeOf(url, query).then((ms) => void times.get(query)?.push(ms)));
  }
  await Promise.all(pending);
  loop.disable();
  const { user, system } = process.cpuUsage(cpu);
  printHead('query', 'median', 'p99');
  for (const [query, own] of times) printRow(query, inMs(median(own), 1), inMs(quantile(own, 0.99), 1));
  const share = (user + system) / 1e4 / seconds;
  console.log(`share of a core, with the client in the same process: ${share.toFixed(0)}%`);
  const p99 = quantile([...times.values()].flat(), 0.99);
  // Without the millisecond of the timer itself.
  const blockOf = (ns: number): number => Math.max(0, Math.round(ns / 1e5) / 10 - 1);
  return [
    figure(`answers of lists at ${rate} a second, p99`, p99, 'ms', 50),
    figure('event loop during these answers, p99', blockOf(loop.percentile(99)), 'ms', 10),
    figure('event loop during these answers, longest', blockOf(loop.max), 'ms', 50),
  ];
};

const timeOf = async (url: string, query: string): Promise<number> => {
  const startedAt = performance.now();
  const response = await fetch(`${url}${query}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${query}: ${response.status}`);
  return performance.now() - startedAt;
};

/** Options: `--users` (100000), `--proxies` (10000) and `--rounds` (3). */
export const page: Bench = async (args) => {
  const { users, proxies, rounds } = optionsOf(args, { users: 100_000, proxies: 10_000, rounds: 3 });
  const { openBrowser } = await import('../test/real/browser.ts');
  const { addressesOf, costOf: costOfView } = await import('../test/real/views.ts');
  using folder = temporaryFolder();
  const browser = await openBrowser();
  try {
    await using server = await startLargePage(folder.path, users, proxies);
    printHead('view', 'scripting', 'requests', 'answers', 'largest answer', 'rows', 'elements');
    let slowest = 0;
    for (const [view, address] of addressesOf(new URL('/', server.url).href, 'main', LARGE_SUBJECTS)) {
      const { scriptMs: first, ...cost } = await costOfView(browser, address);
      // The fastest round, because other programs may use the machine at the same time.
      let scriptMs = first;
      for (let round = 1; round < rounds; round += 1)
        scriptMs = Math.min(scriptMs, (await costOfView(browser, address)).scriptMs);
      slowest = Math.max(slowest, scriptMs);
      const { requests, bytes, largestAnswer, rows, elements } = cost;
      const largest = `${inKb(largestAnswer.bytes)} (${largestAnswer.path.replace(/\?.*/, '')})`;
      printRow(view, inMs(scriptMs), requests, inKb(bytes), largest, rows, elements);
    }
    return [figure('scripting of the slowest view of the page', slowest, 'ms', 100)];
  } finally {
    await browser.close();
  }
};

const inKb = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`;

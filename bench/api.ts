// Measures the lists of the API at 20 requests a second over a store with 100,000 users and 10,000 proxies:
// node bench/main.ts api [--users 100000] [--proxies 10000] [--seconds 30] [--rate 20]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillLists } from './api-data.ts';
import { startApiServer } from './api-server.ts';
import type { Figure } from './figure.ts';

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

export const api = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const option = (value: string) => ({ type: 'string', default: value }) as const;
  const options = {
    users: option('100000'),
    proxies: option('10000'),
    seconds: option('30'),
    rate: option('20'),
  };
  const { values } = parseArgs({ args: [...args], options });
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  try {
    await using server = await startApiServer(folder, Number(values.proxies));
    await fillLists(server.store, Number(values.users), Number(values.proxies));
    const memory = heapMb();
    await printFirst(server.url);
    console.log(`memory of the indexes: ${(heapMb() - memory).toFixed(1)} MB`);
    return await measure(server.url, Number(values.rate), Number(values.seconds));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const heapMb = (): number => {
  global.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
};

/** The first requests compute the indexes. */
const printFirst = async (url: string): Promise<void> => {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  for (const query of ['users', 'proxies', 'proxies?sort=uptime_24h', 'inventory']) {
    loop.reset();
    loop.enable();
    const ms = await timeOf(url, query);
    loop.disable();
    console.log(`first request to ${query}: ${ms.toFixed(0)} ms, event loop at most ${blockOf(loop.max)} ms`);
  }
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
  console.log('| query | median | p99 |\n|---|---|---|');
  for (const [query, own] of times)
    console.log(`| ${query} | ${quantile(own, 0.5).toFixed(1)} ms | ${quantile(own, 0.99).toFixed(1)} ms |`);
  console.log(
    `share of a core, with the client in the same process: ${((user + system) / 1e4 / seconds).toFixed(0)}%`,
  );
  const all = [...times.values()].flat();
  return [
    { what: `answers of lists at ${rate} a second, p99`, value: quantile(all, 0.99), unit: 'ms', goal: 50 },
    {
      what: 'event loop during these answers, p99',
      value: blockOf(loop.percentile(99)),
      unit: 'ms',
      goal: 10,
    },
    { what: 'event loop during these answers, longest', value: blockOf(loop.max), unit: 'ms', goal: 50 },
  ];
};

const timeOf = async (url: string, query: string): Promise<number> => {
  const startedAt = performance.now();
  const response = await fetch(`${url}${query}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${query}: ${response.status}`);
  return performance.now() - startedAt;
};

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] ?? Number.NaN;

/** Without the millisecond of the timer itself. */
const blockOf = (ns: number): number => Math.max(0, Math.round(ns / 1e5) / 10 - 1);

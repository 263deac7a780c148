// Measures maintenance that rolls up ten days of minutes of 50 graphs at once: node bench/maintenance.ts

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DAY, MINUTE } from '../src/lib/time.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { bucketAt } from './bucket.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const GRAPHS = 50;
const DAYS = 18;
const RETENTION = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
const NOW = START + DAYS * DAY;

export const maintenance = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  try {
    using store = openSqliteStore({ path: join(folder, 'store.db'), firstStepHoldMs: 0 });
    const names = Array.from({ length: GRAPHS }, (_, n) => `graph-${n}`);
    for (const name of names) await fill(store, name);
    console.log(`before: file ${mb(store.size().bytes)}`);
    await measure(store, names, 'ten days of 50 graphs');
    await measure(store, names, 'nothing left to do');
    console.log(`after: file ${mb(store.size().bytes)}, log ${mb(store.size().walBytes)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const measure = async (store: Store, graphs: readonly string[], what: string): Promise<void> => {
  const accounts = [{ name: 'main', zone: 'UTC', graphs, areUsersPolled: true }];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  delay.enable();
  const plan = { now: NOW, retention: RETENTION, accounts, signal: new AbortController().signal };
  const { deletedRows } = await store.maintain(plan);
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${what}: ${deletedRows} rows in ${ms(performance.now() - startedAt)}, CPU ${ms((user + system) / 1_000)}, event loop delay p99 ${ms(delay.percentile(99) / 1e6)}, most ${ms(delay.max / 1e6)}`,
  );
};

const fill = async (store: Store, name: string): Promise<void> => {
  const identity = { account: 'main', name, slice: '', requestFormat: '', zone: 'UTC', bucketMs: MINUTE };
  const { id } = await store.traffic.openGraph(identity, START, START);
  for (let day = 0; day < DAYS; day += 1) {
    const buckets = Array.from({ length: DAY / MINUTE }, (_, n) => bucketAt(START + day * DAY + n * MINUTE));
    await store.traffic.saveWindow(id, { buckets, watermark: START, now: NOW });
  }
};

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

if (import.meta.main) await maintenance();

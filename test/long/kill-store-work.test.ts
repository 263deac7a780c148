// Tests kill -9 during migrations, rollup and vacuum, and restores: no store is damaged, and nothing is lost or counted
// twice.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { draw } from '../../src/simulator/random.ts';
import { checkFile } from '../../src/store/sqlite/file/check.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createFolder } from '../config/support.ts';
import { bucketAt, START } from '../store/support.ts';

/** Kills of each kind. */
const KILLS = Number(process.env.PROXYWATCH_KILLS ?? 6);
const SEED = 20_260_713;
const MINUTES = 20_000;
const NOW = START + 2 * MINUTES * MINUTE;
const FIXTURES = join(import.meta.dirname, '../fixtures/stores');
const MAIN = join(import.meta.dirname, '../../src/main.ts');
const WORK = join(import.meta.dirname, '../support/store-work.ts');

const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });

/** Runs the work to its end. Returns how long it took from its first output on (ms). */
const finish = async (args: readonly string[]): Promise<number> => {
  const child = start(...args);
  await once(child.stdout ?? child, 'data');
  const startedAt = performance.now();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return performance.now() - startedAt;
};

/** Kills the work at a random moment of its duration. Returns whether it had ended by itself before. */
const killDuring = async (args: readonly string[], durationMs: number, seed: number): Promise<boolean> => {
  const child = start(...args);
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout ?? child, 'data'), closed]);
  await Promise.race([delay(draw(SEED, seed) * durationMs), closed]);
  child.kill('SIGKILL');
  const [code] = await closed;
  return code === 0;
};

const removeStore = (path: string): void => {
  for (const ending of ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal', '.sequence'])
    rmSync(path + ending, { force: true });
};

/** Everything that counts: the counters, and the sum of the history over all its tiers. */
const contentOf = (path: string): unknown => {
  expect([...checkFile(path)].filter(({ damage }) => damage !== null)).toEqual([]);
  using stack = new DisposableStack();
  const sql = stack.adopt(new SQLite(path), (open) => open.close());
  const counters = sql.prepare('SELECT owner, name, net, served FROM counter ORDER BY owner, name').all();
  const traffic = sql
    .prepare(
      `SELECT graph_id, sum(bytes) AS bytes, sum(requests) AS requests FROM (
         SELECT graph_id, bytes, requests FROM bucket UNION ALL
         SELECT graph_id, bytes, requests FROM rolled_up_bucket) GROUP BY graph_id`,
    )
    .all();
  return { counters, traffic };
};

const rowsOf = (path: string, table: string): number => {
  using stack = new DisposableStack();
  const sql = stack.adopt(new SQLite(path), (open) => open.close());
  return sql.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
};

const writeHistory = async (path: string, factor: number): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
  for (const name of ['', 'shop']) {
    const identity = {
      account: 'main',
      name,
      slice: '{}',
      requestFormat: 'UTC',
      zone: 'UTC',
      bucketMs: MINUTE,
    };
    const { id } = await store.traffic.openGraph(identity, START - DAY, START);
    await store.traffic.saveWindow(id, { buckets: [], watermark: START, now: START, baselinedAt: START });
    for (let from = 0; from < MINUTES; from += 1_000) {
      const buckets = Array.from({ length: 1_000 }, (_, index) =>
        bucketAt(START + (from + index) * MINUTE, { bytes: factor * (from + index), requests: 1 }),
      );
      const now = START + (from + 1_000) * MINUTE;
      await store.traffic.saveWindow(id, { buckets, watermark: now, now });
    }
  }
};

describe.concurrent('kill -9', { timeout: 600_000 }, () => {
  test('during migrations leaves a store that the next start migrates', async ({
    expect,
    onTestFinished,
  }) => {
    const path = join(createFolder({}, onTestFinished), 'store.db');
    const reset = (): void => {
      removeStore(path);
      writeFileSync(path, gunzipSync(readFileSync(join(FIXTURES, 'v1.db.gz'))));
    };
    reset();
    const args = [WORK, 'migrate', path];
    const durationMs = await finish(args);
    const expected = contentOf(path);
    for (let kill = 0; kill < KILLS; kill += 1) {
      reset();
      await killDuring(args, durationMs, kill);
      await finish(args);
      expect(contentOf(path)).toEqual(expected);
    }
  });

  test('during rollup and vacuum keeps every sum', async ({ expect, onTestFinished }) => {
    const path = join(createFolder({}, onTestFinished), 'store.db');
    await writeHistory(path, 1);
    copyFileSync(path, `${path}.full`);
    const expected = contentOf(path);
    const args = [WORK, 'maintain', path, String(NOW)];
    const durationMs = await finish(args);
    expect(rowsOf(path, 'bucket')).toBeLessThan(MINUTES / 2);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const hasEnded = await killDuring(args, durationMs, 1_000 + kill);
      expect(contentOf(path)).toEqual(expected);
      if (!hasEnded) continue;
      removeStore(path);
      copyFileSync(`${path}.full`, path);
    }
    await finish(args);
    expect(contentOf(path)).toEqual(expected);
    expect(rowsOf(path, 'bucket')).toBeLessThan(MINUTES / 2);
  });

  test('during restores leaves the old store or the backup, whole', async ({ expect, onTestFinished }) => {
    const folder = createFolder(
      {
        'config.yaml': JSON.stringify({
          store: { path: 'store.db' },
          accounts: [{ name: 'main', public_key: 'public', private_key: 'private' }],
        }),
      },
      onTestFinished,
    );
    const [path, backup] = [join(folder, 'store.db'), join(folder, 'backup.db')];
    await writeHistory(path, 1);
    await writeHistory(backup, 2);
    copyFileSync(path, `${path}.old`);
    const [oldContent, newContent] = [path, backup].map((file) => JSON.stringify(contentOf(file)));
    const args = [MAIN, 'store', 'restore', backup, '--config', join(folder, 'config.yaml')];
    const startedAt = performance.now();
    await finish(args);
    const durationMs = performance.now() - startedAt;
    for (let kill = 0; kill < KILLS; kill += 1) {
      removeStore(path);
      copyFileSync(`${path}.old`, path);
      const child = start(...args);
      await Promise.race([delay(draw(SEED, 2_000 + kill) * durationMs), once(child, 'close')]);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      expect([oldContent, newContent]).toContain(JSON.stringify(contentOf(path)));
    }
    await finish(args);
    // The counters of the backup stay until the next start begins a new epoch.
    expect(JSON.stringify(contentOf(path))).toBe(newContent);
  });
});

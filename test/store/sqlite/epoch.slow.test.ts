// Tests that an older file is recognized and begins a new epoch, which resets every counter.

import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { MINUTE, type Range } from '../../../src/lib/time.ts';
import { createDatabase } from '../../../src/store/sqlite/file/database.ts';
import { createEpochs } from '../../../src/store/sqlite/file/epoch.ts';
import { openFile } from '../../../src/store/sqlite/file/open.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { TABLES } from '../../../src/store/sqlite/tables.ts';
import type { Store } from '../../../src/store/store.ts';
import { writeEmptyStore } from '../../support/empty-store.ts';
import { bucketAt, makeFolder, observationOf, START } from '../support.ts';

const newPath = (): string => join(makeFolder(), 'store.db');
const sidecarOf = (path: string): string => `${path}.sequence`;
const open = (path: string): Store => {
  writeEmptyStore(path);
  return openSqliteStore({
    ...{ path, firstStepHoldMs: 2 * MINUTE, clock: { now: () => START }, isDurable: false },
  });
};

const record = (store: Store): Promise<void> =>
  store.runs.record({
    account: 'main',
    collector: 'traffic',
    startedAt: START,
    finishedAt: START,
    result: 'ok',
    isSuccess: true,
    errorKind: null,
    errorMessage: null,
    skippedItems: 0,
    failingParts: 0,
    intervalMs: MINUTE,
  });

/** Opens the store and returns whether that begins a new epoch. If not, it records a run. */
const isNewEpoch = async (path: string): Promise<boolean> => {
  using store = open(path);
  if (!store.epoch.isNew) await record(store);
  return store.epoch.isNew;
};

/** Returns the path of a closed store that recorded two runs. */
const usedStore = async (path = newPath()): Promise<string> => {
  using store = open(path);
  await record(store);
  await record(store);
  return path;
};

const copyOf = (path: string): string => {
  const copy = newPath();
  copyFileSync(path, copy);
  return copy;
};

/** Writes a store of the first version, which had no epochs. */
const fixture = (path = newPath()): string => {
  const stores = join(import.meta.dirname, '../../fixtures/stores/v1.db.gz');
  writeFileSync(path, gunzipSync(readFileSync(stores)));
  return path;
};

describe('a store continues its epoch', () => {
  it('when it is new and when it is opened again', async () => {
    const path = newPath();
    using store = open(path);
    expect(store.epoch).toMatchObject({ beganAt: START, isNew: false });
    store[Symbol.dispose]();
    for (let opening = 0; opening < 3; opening += 1) expect(await isNewEpoch(path)).toBe(false);
  });

  it('when it was moved with or without its sidecar, or to the path of another store', async () => {
    const path = await usedStore();
    const [withIt, without, toAnother] = [newPath(), newPath(), await usedStore()];
    renameSync(path, withIt);
    renameSync(sidecarOf(path), sidecarOf(withIt));
    expect(await isNewEpoch(withIt)).toBe(false);
    renameSync(withIt, without);
    expect(await isNewEpoch(without)).toBe(false);
    renameSync(without, toAnother);
    expect(await isNewEpoch(toAnother)).toBe(false);
  });

  it.each(['', 'garbage', '0123456789abcdef0123456789abcdef 99\n'])('beside a sidecar %j', async (text) => {
    const path = await usedStore();
    writeFileSync(sidecarOf(path), text);
    expect(await isNewEpoch(path)).toBe(false);
  });

  it('when a crash left an outdated sidecar or none', async () => {
    const path = await usedStore();
    const behind = readFileSync(sidecarOf(path));
    {
      using store = open(path);
      await record(store);
      writeFileSync(sidecarOf(path), behind);
    }
    expect(await isNewEpoch(path)).toBe(false);
    rmSync(sidecarOf(path));
    expect(await isNewEpoch(path)).toBe(false);
  });

  it('when a version without epochs wrote it', async () => {
    expect(await isNewEpoch(fixture())).toBe(false);
  });
});

describe('a new epoch begins, once,', () => {
  it('for a file from before a run', async () => {
    const path = await usedStore();
    const older = copyOf(path);
    await usedStore(path);
    copyFileSync(older, path);
    expect(await isNewEpoch(path)).toBe(true);
    expect(await isNewEpoch(path)).toBe(false);
  });

  it('for a file from before an opening, which showed what a killed process had stored', async () => {
    const path = await usedStore();
    const older = copyOf(path);
    open(path)[Symbol.dispose]();
    copyFileSync(older, path);
    expect(await isNewEpoch(path)).toBe(true);
  });

  it('for a file from before the upgrade that added epochs', async () => {
    const path = fixture();
    expect(await isNewEpoch(path)).toBe(false);
    fixture(path);
    expect(await isNewEpoch(path)).toBe(true);
    expect(await isNewEpoch(path)).toBe(false);
  });

  it('for a file that is put back after another store replaced it', async () => {
    const path = await usedStore();
    const older = copyOf(path);
    await usedStore(path);
    rmSync(path);
    await usedStore(path);
    copyFileSync(older, path);
    expect(await isNewEpoch(path)).toBe(true);
  });

  it('for a file that is marked as restored, whatever its sidecar says', async () => {
    const path = await usedStore();
    const sql = openFile(path);
    createEpochs(createDatabase(sql, 0, () => {})).markRestored(START);
    sql.close();
    rmSync(sidecarOf(path));
    expect(await isNewEpoch(path)).toBe(true);
    expect(await isNewEpoch(path)).toBe(false);
  });
});

it('a graph is read again in a new epoch as far back as configured, and earlier buckets never count', async () => {
  const path = newPath();
  const identity = { account: 'main', name: '', slice: '', requestFormat: '', zone: 'UTC', bucketMs: MINUTE };
  const bytes = (at: number, value: number) => ({
    ...{
      at,
      bytes: value,
      requests: 1,
      successful: 1,
      failed: 0,
      concurrencyAverage: null,
      concurrencyMax: null,
    },
    ...{ smartpathBytes: 0, smartpathRequests: 0, smartpathMoneySaved: 0 },
  });
  const save = (store: Store, graph: number, value: number) =>
    store.traffic.saveWindow(graph, {
      buckets: [bytes(START - 60 * MINUTE, value), bytes(START - 20 * MINUTE, value)],
      watermark: START,
      now: START,
      baselinedAt: START,
    });
  {
    using store = open(path);
    await save(store, (await store.traffic.openGraph(identity, START - 90 * MINUTE, START)).id, 10);
  }
  const older = copyOf(path);
  await usedStore(path);
  copyFileSync(older, path);
  using store = open(path);
  const floor = START - 30 * MINUTE;
  const graph = await store.traffic.openGraph(identity, floor, START);
  expect(graph).toMatchObject({ floor, baselinedAt: null, watermark: null, deepReadAt: null });
  expect(await store.traffic.buckets(graph.id, 0, START)).toHaveLength(2);
  await save(store, graph.id, 100);
  await save(store, graph.id, 1_000);
  expect((await store.traffic.counters(graph.id)).bytes).toMatchObject({ net: 900, served: 900 });
  expect((await store.traffic.openGraph(identity, START, START)).floor).toBe(floor);
});

it.each([
  ['as a gap', {}],
  ['by a deep reread', { deepReadAt: START }],
])('history that is read after the baseline of a new epoch, %s, is a starting point', async (_, more) => {
  const path = newPath();
  const identity = {
    account: 'main',
    name: '',
    slice: '',
    requestFormat: '',
    zone: 'UTC',
    bucketMs: MINUTE,
  };
  const [old, fresh] = [START - 80 * MINUTE, START - MINUTE];
  const missed = { from: START - 90 * MINUTE, to: START - 30 * MINUTE };
  {
    using store = open(path);
    const { id } = await store.traffic.openGraph(identity, missed.from, old);
    const window = { buckets: [bucketAt(old, { bytes: 10 })], now: old + MINUTE };
    await store.traffic.saveWindow(id, { ...window, watermark: old + MINUTE, baselinedAt: old });
  }
  const older = copyOf(path);
  await usedStore(path);
  copyFileSync(older, path);
  using store = open(path);
  const { id } = await store.traffic.openGraph(identity, missed.from, START);
  const netOf = async () => (await store.traffic.counters(id)).bytes.net;
  const read = (range: Range, at: number, bytes: number, rest: object) =>
    store.traffic.saveWindow(id, {
      buckets: [bucketAt(at, { bytes })],
      now: START,
      readRange: range,
      ...rest,
    });
  const newest = { from: missed.to, to: START };
  await read(newest, fresh, 7, { watermark: START, baselinedAt: START, skippedRange: missed });
  expect(await netOf()).toBe(0);
  // This bucket was revised and counted since the file was current.
  await read(missed, old, 100, more);
  expect(await netOf()).toBe(0);
  await read(missed, old, 130, {});
  expect(await netOf()).toBe(30);
});

describe('usage of a user whose first answer in a new epoch is a fall', () => {
  it.each([
    ['a wrong zero', [0, 1000, 1100], 100],
    ['wrong answers above 0', [100, 100, 1000, 1100], 100],
    ['wrong answers that grow', [100, 150, 170, 1000, 1100], 100],
    ['a reset', [100, 100, 170], 70],
    ['a reset and a return above the old usage', [100, 100, 600, 1100], 1000],
  ])('counts correctly after %s', async (_, answers, counted) => {
    const path = newPath();
    const observe = async (store: Store, usedBytes: number, at: number): Promise<void> => {
      const user = observationOf('a', { residential: { limitBytes: null, usedBytes } });
      await store.users.savePage('main', [user], at);
      await store.users.completeListing('main', new Set(['a']), at, at);
    };
    {
      using store = open(path);
      await observe(store, 1000, START);
    }
    const older = copyOf(path);
    await usedStore(path);
    copyFileSync(older, path);
    using store = open(path);
    for (const [index, used] of answers.entries()) await observe(store, used, START + (index + 1) * MINUTE);
    expect((await store.users.find('main', 'a'))?.quotas.residential.usage).toMatchObject({
      ...{ net: counted, served: counted },
    });
  });
});

it('a sidecar that cannot be written is a StoreError that names the sidecar', async () => {
  const path = await usedStore();
  rmSync(sidecarOf(path));
  mkdirSync(`${sidecarOf(path)}.new`);
  expect(() => open(path)).toThrow(
    expect.objectContaining({ kind: 'unwritable', message: expect.stringContaining(sidecarOf(path)) }),
  );
});

describe('the statements of a new epoch', () => {
  const COUNTER =
    /(^|_)(cells|net|served|results|successes|counts?|sum|sum_ms|total|changes|baselined_at|counted_to)$/;
  /** Columns with such names that are no counters: they are shown as gauges or not at all. */
  const NO_COUNTERS = [
    ...['test_sum.results', 'test_sum.successes', 'test_sum.sum_ms'],
    ...['test_cells.hour_results', 'test_cells.hour_successes', 'test_cells.hour_sum_ms'],
    'service_adjustment.changes',
  ];

  const columnsOf = (sql: SQLite.Database): string[] =>
    sql
      .prepare<[], string>(
        `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
      )
      .pluck()
      .all()
      .filter((column) => COUNTER.test(column.split('.')[1] ?? '') && !NO_COUNTERS.includes(column));

  const valuesOf = (sql: SQLite.Database, column: string): string[] => {
    const [table, name] = column.split('.');
    const select =
      column === 'test_cells.cells'
        ? 'SELECT DISTINCT (value ->> 3) + (value ->> 4) FROM test_cells, json_each(cells)'
        : `SELECT DISTINCT coalesce(${name}, '') FROM ${table}`;
    return sql.prepare<[], string>(select).pluck().all().map(String);
  };

  it('set every counter to 0 and clear every baseline', () => {
    const sql = openFile(fixture());
    // The fixture is older than probes and the log.
    sql.exec("INSERT INTO probe_phase SELECT id, 'check', 'tls', 0, '[1,2]', 5.0, 2, 0 FROM account LIMIT 1");
    sql.exec('INSERT INTO request_log (account_id, counted_to) SELECT id, 1 FROM account LIMIT 1');
    const columns = columnsOf(sql);
    const resets = TABLES.filter(([, { reset }]) => reset?.startsWith('UPDATE'));
    expect(new Set(columns.map((column) => column.split('.')[0]))).toEqual(
      new Set(resets.map(([table]) => table)),
    );
    const isReset = (value: string) => /^(0?|0\.0|\[0(,0)*\])$/.test(value);
    expect(columns.filter((column) => valuesOf(sql, column).every(isReset))).toEqual([]);
    for (const [, { reset = '' }] of resets) sql.prepare(reset).run({ heldUntil: START });
    expect(columns.filter((column) => !valuesOf(sql, column).every(isReset))).toEqual([]);
    sql.close();
  });
});

it("a new epoch drops the older file's notifications and keeps its alerts", async () => {
  const path = newPath();
  const firing = {
    ...{ account: 'main', alert: 'DataStale', labels: { collector: 'traffic' }, severity: 'warning' },
    ...{
      value: 250,
      step: 0,
      since: START,
      firingSince: START,
      absentSince: null,
      skippedMs: 0,
      endedAt: null,
    },
  };
  const notification = { receiver: 'hook', id: 'first', createdAt: START, body: '{}' };
  {
    using store = open(path);
    await store.alerts.save({
      put: [firing],
      removed: [],
      notifications: [notification],
      receivers: ['hook'],
    });
  }
  const older = copyOf(path);
  await isNewEpoch(path);
  await isNewEpoch(path);
  copyFileSync(older, path);
  using store = open(path);
  expect(store.epoch.isNew).toBe(true);
  expect(await store.alerts.nextNotification('hook')).toBeUndefined();
  expect(await store.alerts.receivers()).toEqual(['hook']);
  expect(await store.alerts.page()).toEqual([firing]);
});

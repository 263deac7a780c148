// Tests that a backup made while the daemon polls is a consistent snapshot of the store.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { checkFile } from '../../../src/store/sqlite/file/check.ts';
import { openAnyVersion } from '../../../src/store/sqlite/file/open.ts';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import { Harness } from '../../support/harness.ts';
import { makeFolder } from '../support.ts';

const START = '2026-07-05T12:00:30Z';
const BYTES_SERIES = 'proxywatch_traffic_bytes_total{account="main"}';
const WORK = { overwrite: false, signal: new AbortController().signal, onProgress: () => {} };

const build = (): Promise<Harness> =>
  Harness.build({
    now: START,
    firstStepHold: '0s',
    scenario: {
      start: '2026-07-03T00:00:00Z',
      traffic: { late: { ratio: 0 }, revised: { ratio: 0 } },
    },
    account: { traffic: { catch_up: '24h', reread: '5m', graphs: [] } },
  });

const readRows = <T>(path: string, query: string): T[] => {
  const sql = openAnyVersion(path);
  const rows = sql.prepare<[], T>(query).all();
  sql.close();
  return rows;
};

interface BucketRow {
  readonly at: number;
  readonly bytes: number;
}
const bucketsOf = (path: string): Map<number, number> =>
  new Map(readRows<BucketRow>(path, 'SELECT at, bytes FROM bucket').map(({ at, bytes }) => [at, bytes]));

const soleNumber = (path: string, query: string): number =>
  readRows<{ n: number }>(path, query)[0]?.n ?? Number.NaN;

/** Returns the growth of the rows since the baseline, which the counter must have. */
const grownSince = (baseline: ReadonlyMap<number, number>, path: string): number => {
  let grown = 0;
  for (const [at, bytes] of bucketsOf(path)) {
    const isHistory = at + MINUTE <= Date.parse(START) && !baseline.has(at);
    if (!isHistory) grown += bytes - (baseline.get(at) ?? 0);
  }
  return grown;
};

it('has the counters of its rows, which /metrics showed for that run', {
  timeout: 60_000,
}, async () => {
  await using harness = await build();
  const baseline = bucketsOf(harness.storePath);
  const shown = async () => (await harness.metrics()).get(BYTES_SERIES) ?? Number.NaN;
  const shownAt = new Map([[harness.clock.now(), await shown()]]);
  for (let backup = 0; backup < 4; backup += 1) {
    const file = join(harness.folder, `backup-${backup}.db`);
    let isDone = false;
    const made = backUp(harness.storePath, file, WORK).finally(() => {
      isDone = true;
    });
    for (let polls = 0; !isDone || polls < 3; polls += 1) {
      await harness.advance(MINUTE);
      shownAt.set(harness.clock.now(), await shown());
    }
    await made;
    const net = soleNumber(
      file,
      "SELECT net AS n FROM counter WHERE owner LIKE 'graph/%' AND name = 'bytes'",
    );
    expect(net).toBe(grownSince(baseline, file));
    const runAt = soleNumber(file, "SELECT started_at AS n FROM run WHERE collector = 'traffic'");
    // A snapshot within a run already has the run's window, but not the run.
    const run = [...shownAt.keys()].indexOf(runAt);
    expect([...shownAt.values()].slice(run, run + 2)).toContain(net);
  }
  expect(new Set(shownAt.values()).size).toBeGreaterThan(10);
});

it('is one compact and valid file, and leaves nothing else', async () => {
  await using harness = await build();
  const folder = makeFolder();
  const file = join(folder, 'backup.db');
  const shares: number[] = [];
  await backUp(harness.storePath, file, { ...WORK, onProgress: (share) => shares.push(share) });
  expect(readdirSync(folder)).toEqual(['backup.db']);
  expect(shares.at(-1)).toBe(1);
  expect([...checkFile(file)].filter(({ damage }) => damage !== null)).toEqual([]);
});

const damaged = async (): Promise<string> => {
  await using harness = await build();
  const file = join(makeFolder(), 'damaged.db');
  await backUp(harness.storePath, file, WORK);
  const raw = new SQLite(file);
  raw.pragma('foreign_keys = OFF');
  raw.exec('UPDATE counter SET served = net - 1; INSERT INTO bucket (graph_id, at) VALUES (77, 0)');
  raw.close();
  return file;
};

it('is not made of a damaged store, whose damage is reported', async () => {
  const path = await damaged();
  const findings = [...checkFile(path)].filter(({ damage }) => damage !== null);
  expect(findings.map(({ subject }) => subject)).toEqual([
    'references between tables',
    'no counter shows less than it counted',
  ]);
  for (const { damage } of findings) expect(damage).toMatch(/Restore a backup/);
  const file = join(makeFolder(), 'backup.db');
  await expect(backUp(path, file, WORK)).rejects.toMatchObject({ kind: 'damaged' });
  await expect(restore(file, path, { ...WORK, now: 0 })).rejects.toMatchObject({ kind: 'damaged' });
  expect(readdirSync(join(file, '..')).filter((name) => !name.endsWith('.lock'))).toEqual([]);
});

it('replaces another file only if asked to, and never the store itself', async () => {
  await using harness = await build();
  const file = join(makeFolder(), 'notes.txt');
  writeFileSync(file, 'notes');
  const { storePath } = harness;
  await expect(backUp(storePath, file, WORK)).rejects.toThrow(/exists already\. Give another file name/);
  await backUp(storePath, file, { ...WORK, overwrite: true });
  expect(soleNumber(file, 'SELECT count(*) AS n FROM bucket')).toBeGreaterThan(0);
  await expect(backUp(storePath, storePath, { ...WORK, overwrite: true })).rejects.toThrow(
    /the store itself/,
  );
});

it('that is stopped or cannot be written leaves nothing behind', async () => {
  await using harness = await build();
  const folder = makeFolder();
  const stopped = AbortSignal.abort(new Error('told to stop'));
  const file = join(folder, 'backup.db');
  await expect(backUp(harness.storePath, file, { ...WORK, signal: stopped })).rejects.toThrow('told to stop');
  await expect(backUp(harness.storePath, join(folder, 'no', 'backup.db'), WORK)).rejects.toMatchObject({
    kind: 'unwritable',
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('is restored only while no daemon runs, and the current store is kept', async () => {
  await using harness = await build();
  const file = join(makeFolder(), 'backup.db');
  await backUp(harness.storePath, file, WORK);
  await expect(restore(harness.storePath, file, { ...WORK, now: 0 })).rejects.toMatchObject({
    kind: 'locked',
  });
  await harness.advance(HOUR);
  const counted = soleNumber(harness.storePath, 'SELECT sum(net) AS n FROM counter');
  await harness.stop();
  const kept = await restore(harness.storePath, file, { ...WORK, now: Date.parse(START) });
  expect(kept).toBe(`${harness.storePath}.before-restore-2026-07-05T12-00-30.000Z`);
  expect(soleNumber(kept ?? '', 'SELECT sum(net) AS n FROM counter')).toBe(counted);
  await harness.start();
  expect(harness.app.store.epoch.isNew).toBe(true);
});

it('replaces a store whose first bytes are damaged, but no database of another program', async () => {
  await using harness = await build();
  const file = join(makeFolder(), 'backup.db');
  await backUp(harness.storePath, file, WORK);
  await harness.stop();
  const damaged = readFileSync(harness.storePath).fill(0, 0, 4_096);
  writeFileSync(harness.storePath, damaged);
  const kept = await restore(harness.storePath, file, { ...WORK, now: Date.parse(START) });
  expect(readFileSync(kept ?? '').equals(damaged)).toBe(true);
  await harness.start();
  expect(harness.app.store.epoch.isNew).toBe(true);

  const other = join(makeFolder(), 'other.db');
  const database = new SQLite(other);
  database.exec('CREATE TABLE note (text TEXT)');
  database.close();
  const before = readFileSync(other);
  await expect(restore(other, file, { ...WORK, now: 0 })).rejects.toThrow(
    /other\.db: the present file at store\.path is not a store of proxywatch/,
  );
  expect(readFileSync(other).equals(before)).toBe(true);
});

it('of a newer version is not restored, and the store stays', async () => {
  await using harness = await build();
  const file = join(makeFolder(), 'backup.db');
  await backUp(harness.storePath, file, WORK);
  const raw = new SQLite(file);
  raw.pragma('user_version = 1000');
  raw.close();
  await harness.stop();
  await expect(restore(harness.storePath, file, { ...WORK, now: 0 })).rejects.toMatchObject({
    kind: 'newer',
  });
  await harness.start();
  expect(harness.app.store.epoch.isNew).toBe(false);
});

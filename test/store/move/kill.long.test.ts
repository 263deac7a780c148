// Tests a move with kill -9 at every step: run again, it leaves the account at exactly one store, with its counters.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { checkFile } from '../../../src/store/sqlite/file/check.ts';
import { merge } from '../../../src/store/sqlite/move/merge.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';
import { ENVIRONMENT } from '../../cli/program.ts';
import { makeFolder } from '../support.ts';
import { FILE_OPTIONS, makeFixtureStore } from './move-account.ts';

const KILL_POINTS = join(import.meta.dirname, 'kill-points.ts');
const RUN_MOVE = join(import.meta.dirname, 'run-move.ts');

const TIMES = { now: Date.parse('2026-07-10T12:00:00Z'), firstStepHoldMs: 0 };

const takeOut = (store: string, file: string): Promise<void> =>
  moveOut(store, file, { account: 'main', overwrite: true, ...TIMES, ...FILE_OPTIONS });

/** Returns whether the process was killed, because it had such a step. */
const killAt = (step: number, half: 'out' | 'in', store: string, file: string): boolean => {
  const args = ['--import', KILL_POINTS, RUN_MOVE, half, store, file];
  const env = { ...ENVIRONMENT, KILL_AT: String(step) };
  const { status, signal, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0 && signal !== 'SIGKILL') throw new Error(stderr);
  return signal === 'SIGKILL';
};

interface State {
  /** Whether a daemon on this store runs the account. */
  readonly runs: boolean;
  readonly counters: unknown;
}

const damageOf = (path: string) => [...checkFile(path)].filter(({ damage }) => damage !== null);

const stateOf = (path: string): State => {
  if (!existsSync(path)) return { runs: false, counters: [] };
  const sql = new SQLite(path);
  const isThere = sql
    .prepare(
      `SELECT 1 FROM account WHERE name = 'main'
       AND NOT EXISTS (SELECT 1 FROM account_move WHERE account = 'main' AND is_out)`,
    )
    .get();
  const counters = sql
    .prepare(
      `SELECT counter.name, net, served FROM counter JOIN graph ON owner = 'graph/' || graph.id
       JOIN account ON account.id = account_id WHERE account.name = 'main' ORDER BY counter.name`,
    )
    .all();
  sql.close();
  return { runs: isThere !== undefined, counters };
};

const moveIds = (path: string): unknown[] => {
  const sql = new SQLite(path);
  const ids = sql.prepare('SELECT DISTINCT move_id FROM account_move').pluck().all();
  sql.close();
  return ids;
};

const copyStore = (from: string, to: string): void => {
  for (const ending of ['', '-wal', '-shm', '-journal', '.sequence']) {
    rmSync(to + ending, { force: true });
    if (existsSync(from + ending)) copyFileSync(from + ending, to + ending);
  }
};

const filesOf = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /partial|merging|restoring/.test(name));

const setUp = () => {
  const folder = makeFolder();
  const path = (name: string): string => join(folder, name);
  makeFixtureStore(path('original.db'), 'main');
  makeFixtureStore(path('other.db'), 'other');
  return { folder, path, before: stateOf(path('original.db')) };
};

test('killed at every step of moving out', { timeout: 900_000 }, async () => {
  const { folder, path, before } = setUp();
  expect(before).toEqual({ runs: true, counters: expect.arrayContaining([expect.anything()]) });
  const [source, file, target] = [path('source.db'), path('main.db'), path('target.db')];
  copyStore(path('original.db'), source);
  expect(killAt(Number.POSITIVE_INFINITY, 'out', source, file)).toBe(false);
  let killed = 0;
  for (let step = 1; ; step += 1) {
    for (const each of [source, file]) rmSync(each, { force: true });
    copyStore(path('original.db'), source);
    if (!killAt(step, 'out', source, file)) break;
    killed += 1;
    const half = stateOf(source);
    // A file under its final name is complete, and the account was marked before.
    if (existsSync(file)) expect([half.runs, ...damageOf(file)]).toEqual([false]);
    const ids = moveIds(source);
    await takeOut(source, file);
    expect(stateOf(source)).toEqual({ runs: false, counters: before.counters });
    expect(moveIds(file)).toEqual(moveIds(source));
    if (ids.length > 0) expect(moveIds(source)).toEqual(ids);
    expect(filesOf(folder)).toEqual([]);
  }
  expect(killed).toBeGreaterThan(20);
  copyStore(path('other.db'), target);
  await merge(target, file, { ...TIMES, ...FILE_OPTIONS });
  expect(stateOf(target)).toEqual(before);
});

test('killed at every step of taking in', { timeout: 900_000 }, async () => {
  const { folder, path, before } = setUp();
  const [source, file, target] = [path('source.db'), path('main.db'), path('target.db')];
  copyStore(path('original.db'), source);
  await takeOut(source, file);
  let killed = 0;
  for (let step = 1; ; step += 1) {
    copyStore(path('other.db'), target);
    if (!killAt(step, 'in', target, file)) break;
    killed += 1;
    const half = stateOf(target);
    if (half.runs) expect(half).toEqual(before);
    await merge(target, file, { ...TIMES, ...FILE_OPTIONS });
    expect(stateOf(target)).toEqual(before);
    expect(stateOf(source).runs).toBe(false);
    expect(damageOf(target)).toEqual([]);
    expect(filesOf(folder)).toEqual([]);
  }
  expect(killed).toBeGreaterThan(20);
});

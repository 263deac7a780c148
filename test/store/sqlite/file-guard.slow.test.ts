// Tests that changes of the store's file by other programs are told apart from those of the store's own checkpoints.

import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../../src/store/sqlite/file/database.ts';
import { FileGuard } from '../../../src/store/sqlite/file/file-guard.ts';
import { openFile } from '../../../src/store/sqlite/file/open.ts';
import { makeFolder } from '../support.ts';

const openGuarded = () => {
  const path = join(makeFolder(), 'store.db');
  const sql = openFile(path);
  onTestFinished(() => {
    sql.close();
  });
  const guard = new FileGuard(path, () => sql.pragma('wal_checkpoint(TRUNCATE)'));
  const db = createDatabase(sql, 0, () => {}, guard);
  const insert = sql.prepare('INSERT INTO account (name) VALUES (?)');
  return { path, sql, guard, db, insert };
};

/** Changes the time of the last change, as each write of another program does. */
const touch = (path: string): void => utimesSync(path, 0, 0);

it('a change by another program is noticed at the next write', () => {
  const { path, guard, db, insert } = openGuarded();
  db.write(() => insert.run('first'));
  expect(guard.needsCheck).toBe(false);
  touch(path);
  db.write(() => insert.run('second'));
  expect(guard.needsCheck).toBe(true);
});

it('a change by another program during a write is noticed at the write after it', () => {
  const { path, guard, db, insert } = openGuarded();
  db.write(() => {
    insert.run('first');
    touch(path);
  });
  db.write(() => insert.run('second'));
  expect(guard.needsCheck).toBe(true);
});

it("the store's own checkpoints are no changes, and the WAL stays small", () => {
  const { path, sql, guard, db, insert } = openGuarded();
  const text = 'x'.repeat(100_000);
  for (let write = 0; write < 200; write += 1) {
    db.write(() => insert.run(`${write} ${text}`));
    if (write % 50 === 0) db.checkpoint();
  }
  expect(guard.needsCheck).toBe(false);
  expect(Number(sql.pragma('page_count', { simple: true }))).toBeGreaterThan(12_000);
  expect(statSync(`${path}-wal`).size).toBeLessThan(5_000_000);
});

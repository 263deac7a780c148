// Tests that failed transactions are undone and observed, and that their errors are StoreErrors.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../../src/store/errors.ts';
import { createDatabase } from '../../../src/store/sqlite/file/database.ts';
import { openFile } from '../../../src/store/sqlite/file/open.ts';
import { makeFolder } from '../support.ts';

const openDatabase = () => {
  const path = join(makeFolder(), 'store.db');
  const sql = openFile(path);
  onTestFinished(() => {
    sql.close();
  });
  const writes: (string | undefined)[] = [];
  const db = createDatabase(sql, 0, (durationMs, error) => {
    expect(durationMs).toBeGreaterThanOrEqual(0);
    writes.push(error instanceof Error ? error.message : undefined);
  });
  return { db, path, writes };
};

it('a write that throws is undone and observed; an error of the program stays as it is', () => {
  const { db, writes } = openDatabase();
  const mistake = new TypeError('a fault of the program');
  const write = () =>
    db.write(() => {
      db.sql.exec("INSERT INTO account (name) VALUES ('main')");
      throw mistake;
    });
  expect(write).toThrow(mistake);
  expect(db.knownAccountId('main')).toBe(0);
  expect(writes).toEqual(['a fault of the program']);
});

it('a full disk makes the store unwritable; the error names the file and what to check; it works again with space', () => {
  const { db, path, writes } = openDatabase();
  db.sql.pragma(`max_page_count = ${db.sql.pragma('page_count', { simple: true })}`);
  const fill = () =>
    db.write(() => db.sql.prepare('INSERT INTO account (name) VALUES (?)').run('x'.repeat(100_000)));
  expect(fill).toThrow(StoreError);
  expect(fill).toThrow(expect.objectContaining({ kind: 'unwritable', message: expect.stringMatching(path) }));
  expect(fill).toThrow(/Check the free disk space/);
  db.sql.pragma('max_page_count = 100000');
  fill();
  expect(writes.map((message) => message !== undefined)).toEqual([true, true, true, false]);
});

it('a read that fails is a StoreError and is not observed as a write', () => {
  const { db, writes } = openDatabase();
  const missing = db.sql.prepare('SELECT * FROM run');
  db.sql.exec('DROP TABLE run');
  expect(() => db.read(() => missing.all())).toThrow(
    expect.objectContaining({ name: 'StoreError', kind: 'failed' }),
  );
  expect(writes).toEqual([]);
});

it('a file that another program locks is reported as locked', () => {
  const { db, path } = openDatabase();
  const other = new SQLite(path);
  other.exec('BEGIN IMMEDIATE');
  db.sql.pragma('busy_timeout = 1');
  expect(() => db.write(() => 1)).toThrow(expect.objectContaining({ kind: 'locked' }));
  other.close();
  expect(db.write(() => 1)).toBe(1);
});

it('a statement is compiled at its first use, once', () => {
  const { db } = openDatabase();
  const compile = vi.spyOn(SQLite.prototype, 'prepare');
  onTestFinished(() => compile.mockRestore());
  const names = db.prepareValue<[string], string>('SELECT name FROM account WHERE name = ?');
  const wrong = db.sql.prepare('SELECT 1 FROM absent');
  expect(compile).not.toHaveBeenCalled();
  db.accountId('main');
  compile.mockClear();
  expect([names.all('main'), names.get('main'), names.get('other')]).toEqual([['main'], 'main', undefined]);
  expect(compile).toHaveBeenCalledTimes(1);
  expect(() => db.read(() => wrong.get())).toThrow(/no such table: absent/);
});

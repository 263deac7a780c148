// Tests how the store's file is opened, and that other programs' files are never changed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoreErrorKind } from '../../../src/store/errors.ts';
import { APPLICATION_ID } from '../../../src/store/sqlite/file/open.ts';
import { FIRST } from '../../../src/store/sqlite/migrations/first.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { openSqliteStoreReadOnly } from '../../../src/store/sqlite/sqlite-store.ts';
import { historyOf, makeFolder, openStore, START, TestStore } from '../support.ts';

const newPath = (): string => join(makeFolder(), 'store.db');

const errorOf = (open: () => Disposable): unknown => {
  try {
    open()[Symbol.dispose]();
  } catch (error) {
    return error;
  }
  return undefined;
};

/** Expects that the store cannot be opened for that reason and that its file stays unchanged. */
const expectRefusal = (path: string, kind: StoreErrorKind, advice: RegExp): void => {
  const before = readFileSync(path);
  const error = errorOf(() => openStore(path));
  expect(error).toMatchObject({ name: 'StoreError', kind, message: expect.stringContaining(path) });
  expect((error as Error).message).toMatch(advice);
  expect(readFileSync(path).equals(before)).toBe(true);
};

/** Expects that the file is refused as foreign, and that nothing is left beside it. */
const expectForeign = (path: string, advice = /Set store\.path to another file/): void => {
  const logs = ['', '-wal', '-shm'].map((ending) => basename(path) + ending);
  expectRefusal(path, 'foreign', advice);
  expect(readdirSync(dirname(path)).filter((name) => !logs.includes(name))).toEqual([]);
};

/** Returns the path of a closed store with some data. */
const storeFile = async (): Promise<string> => {
  const path = newPath();
  using store = openStore(path);
  for (let n = 0; n < 200; n += 1) await store.accounts.claimCustomer(`account-${n}`, n);
  return path;
};

const editWith = (path: string, edit: (sql: SQLite.Database) => void): void => {
  const sql = new SQLite(path);
  edit(sql);
  sql.close();
};

describe('a file of another program', () => {
  it('stays unchanged when it is no database', () => {
    const path = newPath();
    writeFileSync(path, 'accounts: []\n'.repeat(100));
    const advice = /If store\.path is wrong, correct it\. Otherwise restore a backup/;
    expectForeign(path, advice);
    writeFileSync(path, 'short');
    expectForeign(path, advice);
  });

  it.each(['DELETE', 'WAL'])('stays unchanged when it is another database (journal %s)', (journal) => {
    const path = newPath();
    editWith(path, (sql) => {
      sql.pragma(`journal_mode = ${journal}`);
      sql.exec('CREATE TABLE account (id INTEGER)');
    });
    expectForeign(path);
  });

  it('stays unchanged when another database crashed and left its WAL', () => {
    const [original, path] = [newPath(), newPath()];
    const sql = new SQLite(original);
    onTestFinished(() => {
      sql.close();
    });
    sql.pragma('journal_mode = WAL');
    sql.exec('CREATE TABLE account (id INTEGER)');
    for (const ending of ['', '-wal']) copyFileSync(original + ending, path + ending);
    expectForeign(path);
  });

  it('is refused when it is a folder', () => {
    const path = newPath();
    mkdirSync(path);
    expect(errorOf(() => openStore(path))).toMatchObject({ kind: 'foreign' });
    expect(errorOf(() => openSqliteStoreReadOnly(path))).toMatchObject({ kind: 'foreign' });
  });
});

describe('a store', () => {
  it('is created with its folders, also in place of an empty file', async () => {
    const path = join(makeFolder(), 'a', 'b', 'store.db');
    openStore(path)[Symbol.dispose]();
    truncateSync(path);
    using store = openStore(path);
    await store.checkWritable();
    expect(store.size().bytes + store.size().walBytes).toBeGreaterThan(0);
  });

  it('is migrated with all its data when an older program wrote it', async () => {
    const path = newPath();
    editWith(path, (sql) => {
      sql.exec(FIRST);
      sql.pragma('user_version = 1');
      sql.pragma(`application_id = ${APPLICATION_ID}`);
      sql.exec(`INSERT INTO account VALUES (1, 'main', 7);
        INSERT INTO graph (id, account_id, name, slice, reading, bucket_ms, floor) VALUES (3, 1, '', '', '', 60000, 0);
        INSERT INTO bucket (graph_id, at, bytes) VALUES (3, 60000, 5)`);
    });
    using store = openStore(path);
    expect(await store.accounts.customer('main')).toBe(7);
    expect(await historyOf(store, 3)).toMatchObject([{ at: 60_000, widthMs: 60_000, bytes: 5 }]);
  });

  it('is refused unchanged when a newer program wrote it', async () => {
    const path = await storeFile();
    editWith(path, (sql) => sql.pragma('user_version = 1000'));
    expectRefusal(path, 'newer', /run the newer version, or restore a backup/);
  });

  it('is refused unchanged when the newer program crashed and left its WAL', async () => {
    const [original, path] = [await storeFile(), newPath()];
    const sql = new SQLite(original);
    onTestFinished(() => {
      sql.close();
    });
    sql.pragma('user_version = 1000');
    for (const ending of ['', '-wal']) copyFileSync(original + ending, path + ending);
    expectRefusal(path, 'newer', /run the newer version, or restore a backup/);
  });

  it('is refused unchanged when it was truncated', async () => {
    const path = await storeFile();
    truncateSync(path, statSync(path).size - 5_000);
    expectRefusal(path, 'damaged', /Restore a backup/);
  });

  it('is refused unchanged when its schema is garbage', async () => {
    const path = await storeFile();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 100, 4_096);
    writeFileSync(path, bytes);
    expectRefusal(path, 'damaged', /Restore a backup/);
  });

  it('is refused unchanged when a table is missing', async () => {
    const path = await storeFile();
    editWith(path, (sql) => sql.exec('DROP TABLE run'));
    expectRefusal(path, 'failed', /store check/);
  });

  it('with garbage in its pages throws a StoreError when these are read', async () => {
    const path = await storeFile();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, bytes.length - 4_096);
    writeFileSync(path, bytes);
    using store = openStore(path);
    const readAll = async () => {
      for (let n = 0; n < 200; n += 1) await store.accounts.customer(`account-${n}`);
      await store.runs.states('account-1');
      await store.tests.faults('account-1');
    };
    await expect(readAll()).rejects.toMatchObject({
      kind: 'damaged',
      message: expect.stringContaining(path),
    });
  });

  it('survives a crash right after it was created', async () => {
    using test = new TestStore();
    test.crash();
    await test.store.accounts.claimCustomer('main', 7);
    test.crash();
    expect(await test.store.accounts.customer('main')).toBe(7);
  });
});

describe('a folder that cannot be written', () => {
  it.each(['store.yaml/store.db', 'store.yaml/deeper/store.db'])('is named: %s', (name) => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'store.yaml'), '');
    const path = join(folder, name);
    const error = errorOf(() => openStore(path));
    expect(error).toMatchObject({ kind: 'unwritable', message: expect.stringContaining(path) });
  });

  it('is named when it cannot be created', () => {
    const error = errorOf(() => openStore('/proc/nowhere/store.db'));
    expect(error).toMatchObject({ kind: 'unwritable', message: expect.stringContaining('/proc/nowhere') });
  });

  it('is named when it may not be written', () => {
    const error = errorOf(() => openStore('/proc/self/store.db'));
    expect(error).toMatchObject({ kind: 'unwritable', message: expect.stringContaining('/proc/self') });
  });
});

describe('a store in use', () => {
  const program = `
    const { openSqliteStore } = await import(process.argv[1]);
    const store = openSqliteStore({ path: process.argv[2], firstStepHoldMs: 0 });
    await store.accounts.claimCustomer('main', 7);
    console.log('open');
    // The reference keeps the store from being garbage-collected, which would release its lock.
    setInterval(() => store, 1e6);`;
  const startHolder = async (path: string): Promise<ChildProcess> => {
    const module = new URL('../../../src/store/sqlite/sqlite-store.ts', import.meta.url).href;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', program, module, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      holder.kill('SIGKILL');
    });
    await once(holder.stdout, 'data');
    return holder;
  };

  it('is refused to another process until its process is killed, and no data is lost', async () => {
    const path = newPath();
    const holder = await startHolder(path);
    expectRefusal(path, 'locked', /another proxywatch is using this store\. Stop the other proxywatch/);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    using store = openStore(path);
    expect(await store.accounts.customer('main')).toBe(7);
  });

  it('is refused to the same process, and released once it is closed or could not be opened', async () => {
    const path = newPath();
    const store = openStore(path);
    expectRefusal(path, 'locked', /Stop the other proxywatch/);
    store[Symbol.dispose]();
    editWith(path, (sql) => sql.pragma('user_version = 1000'));
    expectRefusal(path, 'newer', /run the newer version/);
    editWith(path, (sql) => sql.pragma(`user_version = ${MIGRATIONS.length}`));
    openStore(path)[Symbol.dispose]();
  });

  it('is refused when its lock file is something else', () => {
    const path = newPath();
    writeFileSync(`${path}.lock`, 'no database at all, but some text'.repeat(50));
    expect(errorOf(() => openStore(path))).toMatchObject({ name: 'StoreError', kind: 'damaged' });
    expect(errorOf(() => openStore(path))).toMatchObject({ message: expect.stringContaining('.lock') });
  });
});

describe('a reader', () => {
  it('reads while another connection writes, without blocking it', async () => {
    using test = new TestStore();
    await test.store.accounts.claimCustomer('main', 7);
    using reader = openSqliteStoreReadOnly(test.path);
    expect(await reader.accounts.customer('main')).toBe(7);
    await test.store.ledgers.residential.open('main', ['usage'], START);
    expect((await reader.ledgers.residential.summary('main')).reasons).toHaveLength(1);
    expect(await reader.traffic.graphs('unknown')).toEqual([]);
  });

  it('cannot write', async () => {
    using test = new TestStore();
    using reader = openSqliteStoreReadOnly(test.path);
    await expect(reader.checkWritable()).rejects.toMatchObject({ name: 'StoreError', kind: 'unwritable' });
  });

  it("is refused if there is no store or another program's file", async () => {
    const path = newPath();
    expect(errorOf(() => openSqliteStoreReadOnly(path))).toMatchObject({ kind: 'unwritable' });
    editWith(path, (sql) => sql.exec('CREATE TABLE account (id INTEGER)'));
    expect(errorOf(() => openSqliteStoreReadOnly(path))).toMatchObject({ kind: 'foreign' });
  });

  it('is refused until a daemon has migrated an older schema', async () => {
    const path = await storeFile();
    editWith(path, (sql) => sql.pragma('user_version = 0'));
    expect(errorOf(() => openSqliteStoreReadOnly(path))).toMatchObject({
      message: expect.stringContaining('older'),
    });
  });
});

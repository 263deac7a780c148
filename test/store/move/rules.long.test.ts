// Tests which files a store takes in: whatever is moved and tried, at most one store runs the account.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import { merge } from '../../../src/store/sqlite/move/merge.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';
import { openSqliteStoreReadOnly } from '../../../src/store/sqlite/sqlite-store.ts';
import { makeFolder, openStore } from '../support.ts';

const TIMES = { now: Date.parse('2026-07-10T12:00:00Z'), firstStepHoldMs: 0 };
const FILE_OPTIONS = { signal: new AbortController().signal, onProgress: () => {} };
const MERGE = { ...TIMES, ...FILE_OPTIONS };

const makeStore = async (path: string, account: string): Promise<void> => {
  using store = openStore(path);
  await store.accounts.claimCustomer(account, 4711);
};

const runs = async (path: string): Promise<boolean> => {
  using store = openSqliteStoreReadOnly(path);
  const isOut = (await store.accounts.movedOut()).some(({ account }) => account === 'main');
  return !isOut && (await store.accounts.customer('main')) === 4711;
};

const out = (path: string, file: string): Promise<void> =>
  moveOut(path, file, { account: 'main', overwrite: true, ...MERGE });

const setUp = async () => {
  const folder = makeFolder();
  const [a, b, file] = ['a.db', 'b.db', 'main.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await makeStore(a, 'main');
  await makeStore(b, 'other');
  return { folder, a, b, file };
};

test('a file is taken in once, and not by a store that runs the account', async () => {
  const { a, b, file } = await setUp();
  await out(a, file);
  expect([await runs(a), await runs(b)]).toEqual([false, false]);
  expect(await merge(b, file, MERGE)).toEqual({ account: 'main', wasThere: false, isNewEpoch: false });
  expect(await merge(b, file, MERGE)).toEqual({ account: 'main', wasThere: true, isNewEpoch: false });
  expect([await runs(a), await runs(b)]).toEqual([false, true]);
  const { a: stranger } = await setUp();
  await expect(merge(stranger, file, MERGE)).rejects.toThrow('is in this store already');
  await expect(moveOut(b, file, { account: 'none', overwrite: true, ...MERGE })).rejects.toThrow(
    'has no account',
  );
});

test('a move can be undone, and an account can come back', async () => {
  const { a, b, file } = await setUp();
  await out(a, file);
  await merge(a, file, MERGE);
  expect(await runs(a)).toBe(true);
  await out(a, file);
  await merge(b, file, MERGE);
  const [old, back] = [`${file}.old`, `${file}.back`];
  copyFileSync(file, old);
  await out(b, back);
  await expect(merge(b, old, MERGE)).rejects.toThrow('is older than the last move');
  await merge(a, back, MERGE);
  expect([await runs(a), await runs(b)]).toEqual([true, false]);
});

test('backups and files of moved accounts are not mistaken for each other', async () => {
  const { a, b, file, folder } = await setUp();
  const backup = join(folder, 'backup.db');
  await backUp(a, backup, { overwrite: false, ...FILE_OPTIONS });
  await out(a, file);
  await expect(merge(b, backup, MERGE)).rejects.toThrow('is not a moved account');
  await expect(restore(b, file, { now: TIMES.now, ...FILE_OPTIONS })).rejects.toThrow('Add --merge');
  // The backup is from before the move.
  await restore(a, backup, { now: TIMES.now, ...FILE_OPTIONS });
  expect(await runs(a)).toBe(false);
});

test('a store that a daemon uses is left alone', async () => {
  const { a, b, file } = await setUp();
  {
    using _daemon = openStore(a);
    await expect(out(a, file)).rejects.toThrow('another proxywatch is using this store');
  }
  expect(await runs(a)).toBe(true);
  await out(a, file);
  using _daemon = openStore(b);
  await expect(merge(b, file, MERGE)).rejects.toThrow('another proxywatch is using this store');
});

const step = fc.record({ isOut: fc.boolean(), store: fc.nat(2), file: fc.nat(5) });

test('any moves and merges leave the account at one store at most', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const folder = makeFolder();
      const stores = [0, 1, 2].map((index) => join(folder, `store-${index}.db`));
      for (const [index, path] of stores.entries()) await makeStore(path, index === 0 ? 'main' : 'other');
      /** By file: the only store that an operator may merge it into. */
      const files: { path: string; store: number | undefined }[] = [];
      for (const { isOut, store, file } of steps) {
        const path = stores[store] ?? '';
        const given = files[file];
        if (isOut && (await runs(path))) {
          files.push({ path: join(folder, `move-${files.length}.db`), store: undefined });
          await out(path, files.at(-1)?.path ?? '');
        } else if (given && (given.store ?? store) === store) {
          await merge(path, given.path, MERGE).then(
            () => {
              given.store = store;
            },
            () => {},
          );
        }
        const running = await Promise.all(stores.map(runs));
        expect(running.filter(Boolean).length).toBeLessThanOrEqual(1);
        // Somebody always has it: a store, or the newest file.
        if (!running.includes(true)) expect(files.at(-1)?.store).toBeUndefined();
      }
    }),
    { numRuns: 12, seed: 19 },
  );
});

// Tests that one process at a time uses a store, whatever name of the file each one is given.

import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import { openSqliteStoreReadOnly } from '../../../src/store/sqlite/sqlite-store.ts';
import { makeFolder, openStore, START } from '../support.ts';

interface Names {
  readonly path: string;
  readonly other: string;
}

/** Returns the path of a closed store, and another name that `link` gives to it in another folder. */
const namesOf = (link: (path: string, other: string) => void): Names => {
  const [path, other] = [join(makeFolder(), 'store.db'), join(makeFolder(), 'other.db')];
  openStore(path)[Symbol.dispose]();
  link(path, other);
  return { path, other };
};

const linkOfFolder = (path: string, other: string): void => symlinkSync(dirname(path), `${other}.folder`);

test.each([
  ['a symbolic link', () => namesOf(symlinkSync)],
  ['a hard link', () => namesOf(linkSync)],
  [
    'a symbolic link to its folder',
    () => {
      const { path, other } = namesOf(linkOfFolder);
      return { path, other: join(`${other}.folder`, 'store.db') };
    },
  ],
  [
    'a link of a link',
    () => {
      const { path, other } = namesOf(symlinkSync);
      symlinkSync(other, `${other}.again`);
      return { path, other: `${other}.again` };
    },
  ],
])('a store is not opened twice by %s, in either order', async (_link, make) => {
  const { path, other } = make();
  for (const [first, second] of [
    [path, other],
    [other, path],
  ] as const) {
    using store = openStore(first);
    await store.accounts.claimCustomer('main', 7);
    expect(() => openStore(second)).toThrow(/another pro(xywatch|gram) is using this store.* Stop /);
    await store.accounts.claimCustomer('more', 8);
  }
  using store = openStore(other);
  expect(await store.accounts.customer('more')).toBe(8);
});

test('a store is not opened twice by a bind mount of its file, a second name that is no link', async () => {
  const [path, other] = [join(makeFolder(), 'store.db'), join(makeFolder(), 'other.db')];
  using store = openStore(path);
  await store.accounts.claimCustomer('main', 7);
  // As with a bind mount, the file has one link, and the files of the first daemon are beside the other name.
  renameSync(path, other);
  for (const _attempt of [1, 2])
    expect(() => openStore(other)).toThrow(/another program is using this store.* mount the folder /);
  expect(readdirSync(dirname(other))).toEqual(['other.db']);
  renameSync(other, path);
  await store.accounts.claimCustomer('more', 8);
});

test('a store that is created by a dangling link has its lock beside the real file', () => {
  const [path, link] = [join(makeFolder(), 'real', 'store.db'), join(makeFolder(), 'link.db')];
  mkdirSync(dirname(path));
  symlinkSync(path, link);
  using _store = openStore(link);
  expect(() => openStore(path)).toThrow('another proxywatch is using this store');
  expect(readdirSync(dirname(link))).toEqual(['link.db']);
});

test('a reader by one name does not keep a daemon from the store, unless there are several hard links', () => {
  const { path, other } = namesOf(symlinkSync);
  using _reader = openSqliteStoreReadOnly(other);
  openStore(path)[Symbol.dispose]();
  linkSync(path, `${path}.link`);
  expect(() => openStore(path)).toThrow('remove the names that you do not need');
  unlinkSync(`${path}.link`);
  openStore(path)[Symbol.dispose]();
});

test('links that form a ring are named', () => {
  const folder = makeFolder();
  symlinkSync(join(folder, 'b.db'), join(folder, 'a.db'));
  symlinkSync(join(folder, 'a.db'), join(folder, 'b.db'));
  expect(() => openStore(join(folder, 'a.db'))).toThrow(
    /a\.db: proxywatch cannot read or write it .*symbolic links/,
  );
});

test('a restore by a link is refused while a daemon runs, and then replaces the real file', async () => {
  const { path, other } = namesOf(symlinkSync);
  const backup = namesOf(() => {}).path;
  const options = { now: START, signal: new AbortController().signal, onProgress: () => {} };
  const store = openStore(path);
  await expect(restore(other, backup, options)).rejects.toMatchObject({ kind: 'locked' });
  store[Symbol.dispose]();
  expect(await restore(other, backup, options)).toContain(`${path}.before-restore-`);
  expect(lstatSync(other).isSymbolicLink()).toBe(true);
  expect(existsSync(`${other}.lock`)).toBe(false);
});

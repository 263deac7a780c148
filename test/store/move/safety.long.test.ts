// Tests that a move that goes wrong loses no account, and that no counter of a moved account falls a little.

import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import { merge } from '../../../src/store/sqlite/move/merge.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';
import { rewindReceiver } from '../../../src/store/sqlite/publication/receivers.ts';
import { makeFolder, openStore } from '../support.ts';
import { FILE_OPTIONS, makeFixtureStore, moveStores } from './move-account.ts';

/** After the end of the data in the fixture. */
const NOW = Date.parse('2026-07-07T00:00:00Z');
const OPTIONS = { now: NOW, firstStepHoldMs: 0, ...FILE_OPTIONS };

const setUp = () => {
  const folder = makeFolder();
  const path = (name: string): string => join(folder, name);
  const paths = { source: path('source.db'), target: path('target.db'), file: path('main.db') };
  makeFixtureStore(paths.source, 'main');
  makeFixtureStore(paths.target, 'other');
  return { path, ...paths };
};

const query = <T>(path: string, statement: string): T[] => {
  using stack = new DisposableStack();
  const sql = stack.adopt(new SQLite(path), (connection) => connection.close());
  const prepared = sql.prepare<[], T>(statement);
  if (prepared.reader) return prepared.all();
  prepared.run();
  return [];
};

const servedOf = (path: string, account: string): { served: number }[] =>
  query(
    path,
    `SELECT served FROM counter JOIN graph ON owner = 'graph/' || graph.id JOIN account ON account.id = account_id
     WHERE account.name = '${account}' AND served > 0`,
  );

test('an account that cannot be written to a file stays in its store', async () => {
  const { source, file } = setUp();
  const [{ page } = { page: 0 }] = query<{ page: number }>(
    source,
    `SELECT rootpage AS page FROM sqlite_schema WHERE name = 'ledger'`,
  );
  const handle = openSync(source, 'r+');
  writeSync(handle, Buffer.alloc(1_024, 0xff), 0, 1_024, (page - 1) * 1_024);
  closeSync(handle);
  const move = moveOut(source, file, { account: 'main', overwrite: false, ...OPTIONS });
  await expect(move).rejects.toThrow(`${source}: the store is damaged`);
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  expect(query(source, 'SELECT * FROM account_move')).toEqual([]);
});

test('an account stays in its store if nothing can be written beside the file', async () => {
  const { source, path } = setUp();
  const file = path('m'.repeat(255));
  const move = moveOut(source, file, { account: 'main', overwrite: false, ...OPTIONS });
  await expect(move).rejects.toThrow(`${file}: proxywatch cannot read or write it`);
  expect(query(source, 'SELECT * FROM account_move')).toEqual([]);
});

test('an error after the account was marked says that it is, and another run completes the move', async () => {
  const { path, source, target, file } = setUp();
  mkdirSync(file);
  const move = moveOut(source, file, { account: 'main', overwrite: true, ...OPTIONS });
  await expect(move).rejects.toThrow(`The account "main" is marked as moved out of ${source}`);
  const second = path('second.db');
  await moveOut(source, second, { account: 'main', overwrite: false, ...OPTIONS });
  expect(await merge(target, second, OPTIONS)).toMatchObject({ account: 'main', wasThere: false });
});

test('a store whose accounts were all moved out and deleted is not the file of one of them', async () => {
  const { path, target } = setUp();
  const left = path('left.db');
  openStore(left)[Symbol.dispose]();
  query(left, `INSERT INTO account_move VALUES ('first', 'a', ${NOW}, 1), ('second', 'b', ${NOW}, 1)`);
  await expect(merge(target, left, OPTIONS)).rejects.toThrow('this file is not a moved account');
});

test('an error about a file that cannot be taken in names the file, and what to do about it', async () => {
  const { path, source, target, file } = setUp();
  await moveOut(source, file, { account: 'main', overwrite: false, ...OPTIONS });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const broken = path('broken.db');
  const tryMerge = (): Promise<unknown> => merge(target, broken, OPTIONS);
  await expect(tryMerge()).rejects.toThrow(`${broken}: there is no such file, or it is empty`);
  copyFileSync(file, broken);
  truncateSync(broken, statSync(file).size / 2);
  await expect(tryMerge()).rejects.toThrow(
    `${broken}: this file is damaged or incomplete. Copy the file again, or run "proxywatch store backup --account"`,
  );
  await expect(restore(target, broken, OPTIONS)).rejects.toThrow(
    `${broken}: this file is damaged or incomplete. Restore another backup`,
  );
  writeFileSync(broken, 'not a database'.repeat(1_000));
  await expect(tryMerge()).rejects.toThrow(
    `${broken}: this file is not a store of proxywatch. Give a file that "proxywatch store backup" wrote`,
  );
  await expect(restore(target, path('.'), OPTIONS)).rejects.toThrow(
    'this file is not a store of proxywatch. Give a file that',
  );
  truncateSync(broken, 0);
  await expect(tryMerge()).rejects.toThrow('or it is empty');
  expect(query(target, 'SELECT name FROM account')).toEqual([{ name: 'other' }]);
});

test.each(['has another account', 'is empty'])(
  'counters begin a new epoch if the store that took the account in was lost, and the restored backup %s',
  async (content) => {
    const { path, source, target, file } = setUp();
    const backup = path('backup.db');
    if (content === 'is empty') {
      rmSync(target);
      openStore(target)[Symbol.dispose]();
    }
    await backUp(target, backup, { overwrite: false, ...FILE_OPTIONS });
    expect(await moveStores(source, target, file, NOW)).toMatchObject({ isNewEpoch: false });
    expect(servedOf(target, 'main').length).toBeGreaterThan(3);
    // The daemon of the target runs the account for a while, so that Prometheus has higher values of its counters.
    await restore(target, backup, { ...OPTIONS, now: NOW + HOUR });
    const later = { ...OPTIONS, now: NOW + 2 * HOUR };
    expect(await merge(target, file, later)).toMatchObject({ wasThere: false, isNewEpoch: true });
    expect(servedOf(target, 'main')).toEqual([]);
    using store = openStore(target);
    expect(await store.tests.missingPeriods('main')).toContainEqual(
      expect.objectContaining({ to: NOW + 2 * HOUR }),
    );
  },
);

test('an account that began again at another store can come back, but not with an older file', async () => {
  const { path, source, target, file } = setUp();
  const [first, second] = [path('first.db'), path('second.db')];
  await moveOut(source, first, { account: 'main', overwrite: false, ...OPTIONS });
  // The file was not merged, so the account began again.
  {
    using store = openStore(target);
    await store.accounts.claimCustomer('main', 4711);
  }
  await moveOut(target, second, { account: 'main', overwrite: false, ...OPTIONS, now: NOW + DAY });
  expect(await merge(source, second, OPTIONS)).toMatchObject({ wasThere: false });
  await moveOut(source, file, { account: 'main', overwrite: false, ...OPTIONS, now: NOW + 2 * DAY });
  for (const older of [first, second])
    await expect(merge(source, older, OPTIONS)).rejects.toThrow('is older than the last move');
});

test('test runs that an older file may lack still count against the budget, of the moved account only', async () => {
  const { source, target, file } = setUp();
  query(source, `INSERT INTO missing_period VALUES (${NOW - HOUR}, ${NOW})`);
  await moveStores(source, target, file, NOW + HOUR);
  using store = openStore(target);
  expect(await store.tests.missingPeriods('main')).toEqual([{ from: NOW - HOUR, to: NOW }]);
  expect(await store.tests.missingPeriods('other')).toEqual([]);
});

test('an account that comes back brings the time of the last notification of its groups', async () => {
  const { source, target, file } = setUp();
  const group = `'hook', '{"account":"main"}'`;
  for (const path of [source, target]) {
    query(
      path,
      `INSERT INTO told_alert VALUES ('hook', 'main', 'Low', '{}', 'warning', '{"account":"main"}', 1, 1, NULL, 0, 1, NULL)`,
    );
    query(path, `INSERT INTO notification_group VALUES (${group}, ${path === source ? NOW : NOW - DAY})`);
  }
  query(target, 'DELETE FROM told_alert');
  await moveStores(source, target, file, NOW);
  expect(query(target, 'SELECT notified_at AS at FROM notification_group')).toEqual([{ at: NOW }]);
});

test('nothing of a moved account is left in what its old store shows or sends', async () => {
  const { source, file } = setUp();
  {
    using store = openStore(source);
    await store.silences.add({
      ...{
        id: 's',
        account: 'main',
        alert: null,
        subject: null,
        comment: '',
        startsAt: NOW,
        endsAt: NOW + DAY,
        untilResolved: false,
      },
    });
    await store.remoteWrite.open('engine', NOW - DAY);
    await store.publications.publish({ account: 'main', source: 'ledger', subject: 'usage' }, NOW);
    expect((await store.publications.streams()).length).toBeGreaterThan(0);
    expect(
      (await store.alertHistory.page({}, 1)).length + (await store.silences.all()).length,
    ).toBeGreaterThan(0);
  }
  expect((await rewindReceiver(source, 'engine', NOW - HOUR))?.unsent).toHaveLength(1);
  await moveOut(source, file, { account: 'main', overwrite: false, ...OPTIONS });
  expect((await rewindReceiver(source, 'engine', NOW - HOUR))?.unsent).toEqual([]);
  using store = openStore(source);
  const left = [
    await store.silences.all(),
    await store.alertHistory.page({}, 10),
    await store.alerts.page(),
    await store.alerts.notified(),
    await store.publications.streams(),
  ];
  expect(left).toEqual([[], [], [], [], []]);
});

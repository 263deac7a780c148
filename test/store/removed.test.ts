// Tests that data that was removed long ago is deleted completely and its space released, and that other data stays.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { RetainedAccount, Store } from '../../src/store/store.ts';
import type { UserObservation } from '../../src/store/user-store.ts';
import { bucketAt, historyOf, makeFolder, observationOf, START, TestStore } from './support.ts';

const RETENTION = { rawMs: 2 * DAY, hourlyMs: 6 * DAY, dailyMs: 20 * DAY };
const IDENTITY = { slice: '{}', requestFormat: 'UTC', zone: 'UTC', bucketMs: MINUTE };
const MAIN = { name: 'main', zone: 'UTC', graphs: ['', 'kept'], areUsersPolled: true };

const maintain = (store: Store, now: number, accounts: readonly RetainedAccount[] = [MAIN]) =>
  store.maintain({ now, retention: RETENTION, accounts, signal: new AbortController().signal });

const user = (id: string, usedBytes = 0): UserObservation =>
  observationOf(id, { residential: { limitBytes: null, usedBytes } });

const list = async (store: Store, users: readonly UserObservation[], now: number): Promise<void> => {
  await store.users.savePage('main', users, now);
  await store.users.completeListing('main', new Set(users.map(({ id }) => id)), now, now);
};

/** Counts the rows of a table over a connection of its own. */
const rowsOf = (path: string, table: string): number => {
  const sql = new SQLite(path, { readonly: true });
  const count = sql.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? Number.NaN;
  sql.close();
  return count;
};

describe('a user', () => {
  it('that was removed is kept as long as daily history, and continues counting if it returns before', async () => {
    using test = new TestStore();
    const { store } = test;
    await list(store, [user('stays'), user('returns', 5), user('leaves', 5)], START);
    for (const at of [START + DAY, START + 2 * DAY]) await list(store, [user('stays')], at);
    await maintain(store, START + 22 * DAY);
    expect(rowsOf(test.path, 'proxy_user')).toBe(3);
    await list(store, [user('stays'), user('returns', 7)], START + 22 * DAY);
    await maintain(store, START + 22 * DAY + 1);
    expect(rowsOf(test.path, 'proxy_user')).toBe(2);
    expect(rowsOf(test.path, 'proxy_user_details')).toBe(2);
    const [returned] = await store.users.page('main', '', 1);
    expect(returned?.quotas.residential.usage.net).toBe(2);
  });

  it('is deleted with the baseline when users are no longer polled, and does not count whole when they are again', async () => {
    using test = new TestStore();
    const { store } = test;
    await list(store, [user('a', 5)], START);
    const off = [{ ...MAIN, areUsersPolled: false }];
    await maintain(store, START + 19 * DAY, off);
    expect(rowsOf(test.path, 'proxy_user')).toBe(1);
    await maintain(store, START + 21 * DAY, off);
    expect(rowsOf(test.path, 'proxy_user')).toBe(0);
    await list(store, [user('a', 50)], START + 22 * DAY);
    const [back] = await store.users.page('main', '', 1);
    expect(back?.quotas.residential.usage.net).toBe(0);
  });
});

describe('a graph', () => {
  const fill = async (store: Store, account: string, name: string, at: number): Promise<number> => {
    const { id } = await store.traffic.openGraph({ account, name, ...IDENTITY }, at - DAY, at);
    const buckets = Array.from({ length: 1_200 }, (_, n) => bucketAt(at - n * MINUTE, { bytes: 1 }));
    await store.traffic.saveWindow(id, { buckets, watermark: at, now: at, baselinedAt: at });
    return id;
  };

  it('that is no longer configured is deleted with its buckets and counters, some time after its last poll', async () => {
    using test = new TestStore();
    const { store } = test;
    for (const name of ['', 'kept', 'dropped']) await fill(store, 'main', name, START);
    const names = async () => (await store.traffic.graphs('main')).map(({ name }) => name);
    await maintain(store, START + 20 * DAY);
    expect(await names()).toEqual(['', 'dropped', 'kept']);
    await maintain(store, START + 20 * DAY + 1);
    expect(await names()).toEqual(['', 'kept']);
    expect(rowsOf(test.path, 'graph')).toBe(2);
    expect(rowsOf(test.path, 'bucket')).toBe(2 * 1_200);
    expect(rowsOf(test.path, 'counter')).toBe(2 * 7);
    expect(rowsOf(test.path, 'account')).toBe(1);

    const again = await fill(store, 'main', 'dropped', START + 21 * DAY);
    const { bytes } = await store.traffic.counters(again);
    expect(bytes).toMatchObject({ net: 0, served: 0 });
    expect(await historyOf(store, again)).toHaveLength(1_200);
  });

  it('is deleted completely after a crash, and is new at once under its old name', async () => {
    using test = new TestStore();
    await fill(test.store, 'main', 'dropped', START);
    const cutOff = maintain(test.store, START + 30 * DAY).catch(() => {});
    const isMarked = async () => (await test.store.traffic.graphs('main')).length === 0;
    while (!(await isMarked())) await new Promise(setImmediate);
    test.crash();
    await cutOff;
    expect(rowsOf(test.path, 'bucket')).toBeGreaterThan(0);
    await fill(test.store, 'main', 'kept', START + 30 * DAY);
    await maintain(test.store, START + 30 * DAY);
    expect(rowsOf(test.path, 'graph')).toBe(1);
    expect(rowsOf(test.path, 'bucket')).toBe(1_200);
  });
});

it('an account that is no longer configured is deleted completely, and starts again if it returns', async () => {
  using test = new TestStore();
  const { store } = test;
  const used = {
    reason: 'usage',
    serviceId: null,
    periodDate: '2026-03-01',
    addedBytes: 0,
    requests: 0,
    adjustmentId: null,
    createdAt: null,
    updatedAt: null,
  };
  const row = { ...used, id: 'a', periodEnd: START + DAY, bytes: -5, usedBytes: 5 };
  for (const account of ['main', 'other']) {
    await store.accounts.claimCustomer(account, 7);
    for (const type of METERED_TYPES) {
      await store.ledgers[type].open(account, ['usage'], START);
      await store.ledgers[type].completeListing(account, ['usage'], START, START);
      await store.ledgers[type].savePage(account, [row], START);
    }
    await store.traffic.openGraph({ account, name: '', ...IDENTITY }, START, START);
    await store.tests.spend(account, 1, START);
  }
  await list(store, [user('a', 5)], START);
  await maintain(store, START + 20 * DAY, []);
  expect(await store.accounts.customer('other')).toBe(7);
  const late = START + 21 * DAY;
  await maintain(store, late, [{ ...MAIN, name: 'other' }]);
  const tables = ['account', 'ledger', 'mobile_ledger', 'graph', 'test_spend'];
  expect(tables.map((table) => rowsOf(test.path, table))).toEqual(tables.map(() => 1));
  expect(rowsOf(test.path, 'listing')).toBe(2);
  expect(rowsOf(test.path, 'counter')).toBe(2 * 3 + 7);
  expect(await store.accounts.customer('other')).toBe(7);
  expect(await store.accounts.claimCustomer('main', 8)).toBe(8);
  for (const type of METERED_TYPES) {
    const ledger = store.ledgers[type];
    expect((await ledger.summary('other')).balance).toMatchObject({ usedBytes: 5 });
    await ledger.open('main', ['usage'], late);
    await ledger.savePage('main', [row], late);
    const { reasons } = await ledger.summary('main');
    expect(reasons[0]?.counters.usedBytes).toMatchObject({ net: 0, served: 0 });
  }
});

const BIG = 2 ** 52;

it('releases free space except for what the next day needs', async () => {
  using test = new TestStore();
  const { store } = test;
  const { id } = await store.traffic.openGraph({ account: 'main', name: '', ...IDENTITY }, 0, START);
  for (let day = 0; day < 30; day += 1) {
    const buckets = Array.from({ length: 1_440 }, (_, n) =>
      bucketAt(START + day * DAY + n * MINUTE, { bytes: BIG, requests: BIG, successful: BIG, failed: BIG }),
    );
    await store.traffic.saveWindow(id, { buckets, watermark: START, now: START });
  }
  await maintain(store, START);
  const before = store.size().bytes;
  const { deletedRows } = await maintain(store, START + 30 * DAY);
  expect(deletedRows).toBeGreaterThan(28 * 1_440);
  expect(store.size().bytes).toBeLessThan(before / 2);
  expect(rowsOf(test.path, 'bucket')).toBeLessThan(3 * 1_440);
});

it('keeps the size of a file of an older program, and ends', async () => {
  const path = join(makeFolder(), 'store.db');
  openSqliteStore({ path, firstStepHoldMs: 0 })[Symbol.dispose]();
  const sql = new SQLite(path);
  sql.pragma('auto_vacuum = NONE');
  sql.exec('VACUUM; CREATE TABLE big (a); INSERT INTO big VALUES (zeroblob(5000000)); DROP TABLE big');
  sql.close();
  using store = openSqliteStore({ path, firstStepHoldMs: 0 });
  const { bytes } = store.size();
  expect(bytes).toBeGreaterThan(5_000_000);
  await maintain(store, START);
  expect(store.size().bytes).toBe(bytes);
});

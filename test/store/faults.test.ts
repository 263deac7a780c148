// Tests that the store keeps the code of a fault, and corrects single faults.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Fault } from '../../src/store/test-store.ts';
import { makeFolder, START, TestStore } from './support.ts';

const ACCOUNT = 'main';
const SCOPE = { productTypes: ['isp'], isNamed: false };

const fault = (kind: Fault['kind'], subject: string, more: Partial<Fault> = {}): Omit<Fault, 'since'> => ({
  ...{ kind, subject, reason: 'all tests fail' },
  ...more,
});

const FAULTS = [
  fault('access', 'fr-1', { code: 'tunnel_credentials' }),
  fault('proxy', 'fr-2'),
  fault('target', 'shop', { scope: SCOPE }),
  fault('target', 'zoo', { scope: SCOPE, code: 'response_status' }),
];
const STORED = FAULTS.map((each) => ({ ...each, since: START }));

test('a fault keeps its code and its scope, also after a restart', async () => {
  using files = new TestStore();
  await files.store.tests.saveFaults(ACCOUNT, FAULTS, START);
  files.restart();
  expect(await files.store.tests.faults(ACCOUNT)).toEqual(STORED);
});

test('a code that changes is stored, and the fault keeps its begin', async () => {
  using files = new TestStore();
  const { tests } = files.store;
  await tests.saveFaults(ACCOUNT, [fault('proxy', 'fr-1', { code: 'timeout' })], START);
  await tests.saveFaults(ACCOUNT, [fault('proxy', 'fr-1', { code: '5001' })], START + 1);
  expect(await tests.faults(ACCOUNT)).toEqual([
    { ...fault('proxy', 'fr-1', { code: '5001' }), since: START },
  ]);
  await tests.saveFaults(ACCOUNT, [fault('proxy', 'fr-1', { code: '' })], START + 2);
  expect(await tests.faults(ACCOUNT)).toEqual([{ ...fault('proxy', 'fr-1'), since: START }]);
});

test('what the inventory shows about a proxy is stored', async () => {
  using files = new TestStore();
  const { tests } = files.store;
  const gone = fault('proxy', 'fr-1', { inventory: 'gone' });
  await tests.saveFaults(ACCOUNT, [gone], START);
  expect(await tests.faults(ACCOUNT)).toEqual([{ ...gone, since: START }]);
});

test.each([
  [null, {}],
  [JSON.stringify(SCOPE), { scope: SCOPE }],
])('a fault that an earlier version stored with the scope %s has no code', async (column, more) => {
  const path = join(makeFolder(), 'store.db');
  using files = new TestStore(path);
  await files.store.tests.saveFaults(ACCOUNT, [fault('target', 'shop')], START);
  const sql = new SQLite(path);
  sql.prepare('UPDATE fault SET scope = ?').run(column);
  sql.close();
  expect(await files.store.tests.faults(ACCOUNT)).toEqual([
    { ...fault('target', 'shop'), since: START, ...more },
  ]);
});

test('a correction ends a fault, replaces another one, and leaves the rest', async () => {
  using files = new TestStore();
  const { tests } = files.store;
  await tests.saveFaults(ACCOUNT, FAULTS, START);
  const asked: Fault[] = [];
  const replaced = fault('access', 'fr-2', { code: '2011' });
  await tests.correctFaults(
    ACCOUNT,
    (each) => {
      asked.push(each);
      return each.subject === 'fr-1' ? null : each.subject === 'fr-2' ? replaced : each;
    },
    START + 1,
  );
  expect(asked).toEqual(STORED);
  // A fault of another kind begins with the correction.
  expect(await tests.faults(ACCOUNT)).toEqual([{ ...replaced, since: START + 1 }, ...STORED.slice(2)]);
});

test('a correction keeps the inconclusive failures, and the faults of other accounts', async () => {
  using files = new TestStore();
  const { tests } = files.store;
  const inconclusive = [{ url: 'shop', proxies: 2, reason: 'nothing to compare with' }];
  await tests.saveFaults(ACCOUNT, FAULTS, START, inconclusive);
  await tests.saveFaults('another', FAULTS, START);
  await tests.correctFaults(ACCOUNT, () => null, START + 1);
  expect(await tests.faults(ACCOUNT)).toEqual([]);
  expect(await tests.inconclusiveFailures(ACCOUNT)).toEqual(inconclusive);
  expect(await tests.faults('another')).toEqual(STORED);
});

test('a correction that fails changes nothing', async () => {
  using files = new TestStore();
  const { tests } = files.store;
  await tests.saveFaults(ACCOUNT, FAULTS, START);
  const fail = (each: Fault): null => {
    if (each.subject === 'zoo') throw new Error('no');
    return null;
  };
  await expect(tests.correctFaults(ACCOUNT, fail, START + 1)).rejects.toThrow('no');
  expect(await tests.faults(ACCOUNT)).toEqual(STORED);
});

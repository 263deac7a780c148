// Tests that statements with a LIMIT cost as much as their page and not as much as the table, by SQLite's query plans.

import type SQLite from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { DAY, MINUTE } from '../../../src/lib/time.ts';
import { LazyConnection } from '../../../src/store/sqlite/file/database.ts';
import { openFile } from '../../../src/store/sqlite/file/open.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { makeFolder, openStore, START } from '../support.ts';

/** Statements that may read more than their page: a part of their text, and the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  [
    'ORDER BY max(last) DESC',
    'services are ordered by the newest of all their rows; this runs once an hour at most',
  ],
  [
    'SELECT coalesce(max(until), 0) FROM',
    'it looks up one row for each graph and account, and is asked for only when a receiver begins or is rewound',
  ],
  ['ORDER BY sum(errors) DESC', 'it reads the names that one sample adds to those of its hour'],
  [
    'DELETE FROM request_log_client',
    'it reads the clients of one user, of which there are a few hundred at most',
  ],
  [
    'json_group_array(DISTINCT network)',
    'it adds up the clients of users, of which each has a few hundred at most',
  ],
  ['DELETE FROM missing_period', 'the table has 8 rows at most, and is written to when an epoch begins'],
]);

/** Returns all statements of an open store, including those for a clock that was ahead, and for the deletion of an account. */
const preparedStatements = async (path: string): Promise<string[]> => {
  const prepare = vi.spyOn(LazyConnection.prototype, 'prepare');
  try {
    using store = openStore(path);
    const identity = { name: '', slice: '{}', requestFormat: 'UTC', zone: 'UTC', bucketMs: MINUTE };
    await store.traffic.openGraph({ account: 'left', ...identity }, START, START);
    const everything = {
      accounts: ['main'],
      subject: 'a',
      severity: 'info',
      state: 'firing',
      from: 0,
    } as const;
    for (const filter of [{}, { accounts: ['main'] }, { ...everything, alert: 'Low' }])
      await store.alertHistory.page(filter, 9);
    for (const filter of [
      {},
      { proxyId: 'a' },
      { change: 'gone' },
      { proxyId: 'a', change: 'gone' },
    ] as const) {
      await store.inventory.newestChanges('main', 9, filter);
      await store.inventory.countChanges('main', { ...filter, from: 0, to: 1 });
    }
    const failed = { proxy: 'a', url: 'b', tester: 'c', errorSource: 'd', from: 0, to: 1, before: 9 };
    for (const filter of [{}, failed]) {
      await store.tests.recentFailures('main', 9, filter);
      await store.tests.countFailures('main', filter);
    }
    await store.traffic.saveWindow(1, { buckets: [], now: START });
    expect(await store.correctFutureTimes(START - DAY, 'left')).toBe(true);
    const retention = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
    const { signal } = new AbortController();
    await store.maintain({ now: START + 500 * DAY, retention, accounts: [], signal });
    return prepare.mock.calls.map(([source]) => source.replaceAll(/\s+/g, ' ').trim());
  } finally {
    prepare.mockRestore();
  }
};

const isPaged = (source: string): boolean => /\bLIMIT\b/i.test(source);

/** Returns the steps of a page's plan whose cost grows with the table. */
const faultsOf = (sql: SQLite.Database, source: string): string[] => {
  const plan = sql
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${source}`)
    .all(...new Array(50).fill(null).slice(0, parametersOf(source)), ...namedParametersOf(source))
    .map(({ detail }) => detail);
  const costly = plan.filter((detail) => /^SCAN (?!CONSTANT|json_each)|TEMP B-TREE/.test(detail));
  const key = cursorOf(source);
  // The plan calls an integer that is the primary key rowid.
  const keys = [key, 'rowid'];
  const isLookedUp =
    key === undefined ||
    plan.some((detail) => keys.some((each) => detail.includes(`${each}>`) || detail.includes(`${each}<`)));
  return [...costly, ...(isLookedUp ? [] : [`not looked up by ${key}: ${plan.join('; ')}`])];
};

/** Returns the key after which a page begins. It must be looked up as a whole, or earlier rows would be read again. */
const cursorOf = (source: string): string | undefined =>
  /\(\w+(?:, \w+)+\)(?= [<>] \()/.exec(source)?.[0].replaceAll(' ', '') ??
  /\b(\w+) [<>] \?.* ORDER BY \1\b/i.exec(source)?.[1];

const parametersOf = (source: string): number => source.split('?').length - 1;

const namedParametersOf = (source: string): Record<string, null>[] => {
  const names = [...source.matchAll(/@(\w+)/g)].map(([, name = '']) => name);
  return names.length === 0 ? [] : [Object.fromEntries(names.map((name) => [name, null]))];
};

it('every page is read in the order of an index', async () => {
  const path = `${makeFolder()}/store.db`;
  const paged = [...new Set((await preparedStatements(path)).filter(isPaged))];
  expect(paged.length).toBeGreaterThan(20);
  const sql = openFile(path);
  const isException = (source: string): boolean =>
    [...EXCEPTIONS.keys()].some((part) => source.includes(part));
  const faults = paged.flatMap((source) => faultsOf(sql, source).map((fault) => ({ source, fault })));
  sql.close();
  expect(faults.filter(({ source }) => !isException(source))).toEqual([]);
  expect(
    [...EXCEPTIONS.keys()].filter((part) => !faults.some(({ source }) => source.includes(part))),
  ).toEqual([]);
});

it('every index that a migration creates and none drops exists at the end', () => {
  const made = MIGRATIONS.join('\n').matchAll(/CREATE (?:UNIQUE )?INDEX (\w+)/g);
  const dropped = [...MIGRATIONS.join('\n').matchAll(/DROP INDEX (?:IF EXISTS )?(\w+)/g)].map(
    ([, name]) => name,
  );
  const wanted = new Set([...made].map(([, name]) => name).filter((name) => !dropped.includes(name)));
  const sql = openFile(`${makeFolder()}/store.db`);
  const there = sql
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
    )
    .pluck()
    .all();
  sql.close();
  expect(there).toEqual([...wanted].toSorted());
});

// Tests that migrations keep the data of earlier versions.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DAY } from '../../../src/lib/time.ts';
import { APPLICATION_ID, openFile } from '../../../src/store/sqlite/file/open.ts';
import { FIRST } from '../../../src/store/sqlite/migrations/first.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { makeFolder, START, TestStore } from '../support.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/stores');
const RELEASED = readdirSync(FIXTURES).flatMap((name) => /^v(\d+)\.db\.gz$/.exec(name)?.[1] ?? []);

const schemaOf = (sql: SQLite.Database): unknown[] =>
  sql.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all();

/** Returns the schema that the first steps create. */
const schemaAfter = (steps: number): unknown[] => {
  const sql = new SQLite(':memory:');
  for (const step of MIGRATIONS.slice(0, steps)) sql.exec(step);
  return schemaOf(sql);
};

it.each(RELEASED.map(Number))('step %i is as it was released', (version) => {
  const path = join(makeFolder(), 'store.db');
  writeFileSync(path, gunzipSync(readFileSync(join(FIXTURES, `v${version}.db.gz`))));
  const sql = new SQLite(path);
  expect(schemaAfter(version)).toEqual(schemaOf(sql));
  sql.close();
});

describe('proxy tests of the first schema', () => {
  it('keep their cells, totals and test times', async () => {
    const path = join(makeFolder(), 'store.db');
    const sql = new SQLite(path);
    sql.exec(FIRST);
    sql.pragma(`application_id = ${APPLICATION_ID}`);
    sql.pragma('user_version = 1');
    sql.exec(`
      INSERT INTO account VALUES (1, 'main', 7);
      INSERT INTO subject VALUES (1, 'fr-1'), (2, 'shop'), (3, 'london'), (4, 'paris');
      INSERT INTO test_cell VALUES
        (1, 1, 2, 3, NULL, NULL, 250, ${START}, 20, 18, 5, 0),
        (1, 1, 2, 4, 'target', 'dns_error', NULL, ${START - 9}, 3, 1, 7, 5);
      INSERT INTO tested_proxy VALUES (1, 1, ${START}, 2);
      INSERT INTO test_failure VALUES (1, 1, 'target', 4, 6);
      INSERT INTO test_error VALUES (1, 2, 4, 'target', 'dns_error', 2, 7);
      INSERT INTO test_response_time VALUES (1, 2, 3, '[1,2]', 4500.5, 18, 5)`);
    sql.close();
    using test = new TestStore(path);
    const { tests } = test.store;
    const cell = { proxy: 'fr-1', url: 'shop' };
    expect(await tests.cells('main', ['fr-1'])).toEqual([
      {
        ...{ ...cell, tester: 'london', isSuccessful: true, errorSource: null, errorCode: null },
        ...{
          responseTimeMs: 250,
          at: START,
          results: 20,
          successes: 18,
          heldUntil: 5,
          history: 0,
          rounds: 8,
          sources: 0,
        },
      },
      {
        ...{ ...cell, tester: 'paris', isSuccessful: false, errorSource: 'target', errorCode: 'dns_error' },
        ...{
          responseTimeMs: null,
          at: START - 9,
          results: 3,
          successes: 1,
          heldUntil: 7,
          history: 5,
          rounds: 3,
          sources: 0,
        },
      },
    ]);
    expect(await tests.proxies('main')).toEqual([{ proxy: 'fr-1', lastTestedAt: START, failingRounds: 2 }]);
    expect(await tests.failures('main')).toMatchObject([{ proxy: 'fr-1', count: 4, heldUntil: 6 }]);
    expect(await tests.errors('main')).toMatchObject([
      { url: 'shop', tester: 'paris', count: 2, heldUntil: 7 },
    ]);
    expect(await tests.responseTimes('main')).toEqual([
      { url: 'shop', tester: 'london', counts: [1, 2], sumMs: 4500.5, count: 18, heldUntil: 5 },
    ]);
  });
});

describe('a store of the fourth schema', () => {
  it('keeps what its renamed tables and columns hold, and finishes the deletion of accounts', async () => {
    const path = join(makeFolder(), 'store.db');
    const sql = new SQLite(path);
    for (const step of MIGRATIONS.slice(0, 4)) sql.exec(step);
    sql.pragma(`application_id = ${APPLICATION_ID}`);
    sql.pragma('user_version = 4');
    sql.exec(`
      INSERT INTO account (id, name) VALUES (1, 'main'), (2, 'gone/2');
      INSERT INTO place (account_id, kind, id, missed) VALUES (1, 'city', '7', 1), (2, 'city', '8', 0);
      INSERT INTO inconclusive VALUES (1, 'shop', 3, 'one tester');
      INSERT INTO lost_time VALUES (${START - DAY}, ${START});
      INSERT INTO receiver VALUES ('hook');
      INSERT INTO notice (receiver, id, created_at, body) VALUES ('hook', 'first', ${START}, '{}');
      INSERT INTO probe VALUES (1, 5);
      INSERT INTO user_usage VALUES (1, 'daily', ${START}, 'residential', ${START - DAY}, 9)`);
    sql.close();
    using test = new TestStore(path);
    const { store } = test;
    expect(await store.alerts.nextNotification('hook')).toMatchObject({ id: 'first', body: '{}' });
    expect(await store.tests.inconclusiveFailures('main')).toEqual([
      { url: 'shop', proxies: 3, reason: 'one tester' },
    ]);
    expect(await store.tests.missingPeriods('main')).toEqual([{ from: START - DAY, to: START }]);
    expect(await store.users.usage('main', 0, START)).toMatchObject([{ until: START, bytes: 9 }]);
    expect(await store.geography.places('main')).toHaveLength(1);
    await store.geography.save('main', [], [{ kind: 'city', id: '7' }]);
    expect(await store.geography.places('main')).toEqual([]);

    const kept = { name: 'main', zone: 'UTC', graphs: [], areUsersPolled: true };
    const retention = { rawMs: DAY, hourlyMs: DAY, dailyMs: DAY };
    const { signal } = new AbortController();
    await store.maintain({ now: START, retention, accounts: [kept], signal });
    const reader = new SQLite(path, { readonly: true });
    expect(reader.prepare('SELECT name FROM account').pluck().all()).toEqual(['main']);
    expect(reader.prepare('SELECT count(*) FROM place').pluck().get()).toBe(0);
    reader.close();
  });
});

describe('a store of the fifth schema', () => {
  it('knows after the upgrade that its receivers were notified of all firing alerts', () => {
    const path = join(makeFolder(), 'store.db');
    const sql = new SQLite(path);
    for (const step of MIGRATIONS.slice(0, 5)) sql.exec(step);
    sql.pragma(`application_id = ${APPLICATION_ID}`);
    sql.pragma('user_version = 5');
    sql.exec(`
      INSERT INTO receiver VALUES ('hook'), ('pager');
      INSERT INTO alert VALUES
        ('main', 'Low', '{"subject":"a"}', 'warning', 3, ${START - 9}, ${START - 8}, NULL, NULL),
        ('main', 'Low', '{"subject":"b"}', 'warning', 4, ${START - 7}, ${START - 5}, ${START - 4}, NULL),
        ('main', 'Low', '{"subject":"pending"}', 'warning', 5, ${START - 9}, NULL, NULL, NULL),
        ('main', 'Low', '{"subject":"ended"}', 'warning', 6, ${START - 9}, ${START - 8}, ${START - 4}, ${START}),
        ('', 'Own', '{}', 'critical', NULL, ${START - 3}, ${START - 3}, NULL, NULL)`);
    sql.close();
    const upgraded = openFile(path);
    const main = JSON.stringify({ account: 'main', alertname: 'Low' });
    const own = JSON.stringify({ alertname: 'Own' });
    expect(upgraded.prepare("SELECT * FROM told_alert WHERE receiver = 'hook'").raw().all()).toEqual([
      ['hook', '', 'Own', '{}', 'critical', own, null, START - 3, null, 0, START - 3, 3],
      ['hook', 'main', 'Low', '{"subject":"a"}', 'warning', main, 3, START - 8, null, 0, START - 8, 1],
      ['hook', 'main', 'Low', '{"subject":"b"}', 'warning', main, 4, START - 5, null, 0, START - 5, 2],
    ]);
    expect(upgraded.prepare('SELECT * FROM notification_group').raw().all()).toEqual([
      ['hook', main, START - 5],
      ['hook', own, START - 3],
      ['pager', main, START - 5],
      ['pager', own, START - 3],
    ]);
    upgraded.close();
  });

  it('has the alerts that fire in the history after the upgrade, and records their end', async () => {
    const path = join(makeFolder(), 'store.db');
    const sql = new SQLite(path);
    for (const step of MIGRATIONS.slice(0, 5)) sql.exec(step);
    sql.pragma(`application_id = ${APPLICATION_ID}`);
    sql.pragma('user_version = 5');
    sql.exec(`
      INSERT INTO receiver VALUES ('hook');
      INSERT INTO alert VALUES
        ('main', 'Low', '{"subject":"a"}', 'warning', 3, ${START - 9}, ${START - 8}, NULL, NULL),
        ('main', 'Low', '{"subject":"ended"}', 'warning', 6, ${START - 9}, ${START - 8}, ${START - 4}, ${START})`);
    sql.close();
    using test = new TestStore(path);
    const { store } = test;
    const firing = { since: START - 9, firingSince: START - 8, value: 3, severity: 'warning' };
    const notice = { receiver: 'hook', firingAt: null, resolvedAt: null };
    const before = { ...firing, labels: { subject: 'a' }, endedAt: null, notified: [notice] };
    expect(await store.alertHistory.page({}, 9)).toMatchObject([before]);
    const [alert] = await store.alerts.page();
    const [told] = await store.alerts.notified();
    if (!alert || !told) throw new Error('nothing is stored');
    const ended = { ...alert, endedAt: START };
    await store.alerts.save({
      ...{ put: [ended], removed: [], notifications: [], notified: { put: [], removed: [told] } },
      events: [
        { kind: 'resolved', alert: ended, at: START },
        { kind: 'notified_of_end', alert: ended, receiver: 'hook', at: START + 1 },
      ],
    });
    expect(await store.alertHistory.page({}, 9)).toMatchObject([
      { ...before, endedAt: START, notified: [{ ...notice, resolvedAt: START + 1 }] },
    ]);
  });
});

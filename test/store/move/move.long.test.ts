// Tests that a moved account goes on at its new store as if its daemon had only been restarted.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { FAMILIES } from '../../../src/collectors/index.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { checkFile } from '../../../src/store/sqlite/file/check.ts';
import { merge } from '../../../src/store/sqlite/move/merge.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';
import { buildFixtureHarness, countersOf, runFixtureAccount } from '../../support/fixture-account.ts';
import { Harness } from '../../support/harness.ts';
import { MOVES } from './moves.ts';

const FILE_OPTIONS = { signal: new AbortController().signal, onProgress: () => {} };
const HOURLY = { schedule: '0 * * * *' };
const MORE = { inventory: HOURLY, services: HOURLY, catalog: HOURLY, geography: HOURLY };
const LEFT_OUT = /^proxywatch_(account_info|config)/;

/** Lines about the account's data that the provider gave, without those about the daemon's own requests. */
const dataOf = async (harness: Harness): Promise<string[]> => {
  const names = FAMILIES.map(({ name }) => name);
  const lines = (await harness.metricsText()).split('\n');
  return lines.filter(
    (line) =>
      line.includes('account="main"') && names.some((name) => line.startsWith(name)) && !LEFT_OUT.test(line),
  );
};

const rowCounts = (path: string): Record<string, number> => {
  const sql = new SQLite(path, { readonly: true });
  const count = (table: string): number =>
    sql.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  const counts = Object.fromEntries(Object.keys(MOVES).map((table) => [table, count(table)]));
  sql.close();
  return counts;
};

const damageOf = (path: string) => [...checkFile(path)].filter(({ damage }) => damage !== null);

test('a moved account shows the same as on its old store', { timeout: 240_000 }, async () => {
  await using source = await buildFixtureHarness({ alerts: { evaluate: true } });
  await source.restart(MORE);
  const own = { ...source.accountOptions, name: 'main' };
  const shared = {
    ...{ now: '', simulator: source.simulator, clock: source.clock },
    metrics: { derived_counters: true },
  };
  const rest = { proxy_users: HOURLY, residential_ledger: HOURLY, traffic: HOURLY };
  const tests = {
    proxy_tests: {
      ...HOURLY,
      urls: ['https://other.example/'],
      proxies: [{ name: 'own', product_type: 'isp', proxy: '203.0.113.7:8080:user:pass' }],
    },
  };
  await using target = await Harness.build({ ...shared, account: { name: 'other', ...rest, ...tests } });
  await runFixtureAccount(source);
  await target.advance(0);
  await target.advance(HOUR);
  await source.advance(0);
  const [before, otherBefore] = [await source.metrics(), await target.metrics()];
  await source.stop();
  await target.stop();

  const [copy, file] = [join(source.folder, 'twin.db'), join(source.folder, 'main.db')];
  await backUp(source.storePath, copy, { overwrite: false, ...FILE_OPTIONS });
  const now = source.clock.now();
  const times = { now, firstStepHoldMs: 0 };
  await moveOut(source.storePath, file, { account: 'main', overwrite: false, ...times, ...FILE_OPTIONS });
  expect(damageOf(file)).toEqual([]);
  const inFile = rowCounts(file);
  const { account_move, subject: _, ...copied } = rowCounts(source.storePath);
  expect(inFile).toMatchObject(copied);
  expect(account_move).toBe(1);
  const atTarget = rowCounts(target.storePath);
  expect(await merge(target.storePath, file, { ...times, ...FILE_OPTIONS })).toEqual({
    account: 'main',
    wasThere: false,
    isNewEpoch: false,
  });
  expect(damageOf(target.storePath)).toEqual([]);
  const sums = Object.keys(copied).map((table) => [table, (inFile[table] ?? 0) + (atTarget[table] ?? 0)]);
  const { receiver: _receiver, notification_group: _group, ...added } = Object.fromEntries(sums);
  expect(rowCounts(target.storePath)).toMatchObject(added);

  await using twin = await Harness.build({ ...shared, storeFile: copy, account: own });
  await target.restart(own);
  const after = countersOf(await target.metrics());
  for (const [series, value] of Object.entries(countersOf(before)))
    if (series.includes('"main"'))
      expect([series, after[series]]).toEqual([series, expect.toSatisfy((now) => now >= value)]);
  for (let hour = 0; hour < 4; hour += 1) {
    await twin.advance(HOUR);
    await target.advance(0);
    const data = await dataOf(target);
    expect(data.length).toBeGreaterThan(200);
    expect(data).toEqual(await dataOf(twin));
  }
  await target.restart({ name: 'other', ...rest, ...tests });
  const others = countersOf(await target.metrics());
  for (const [series, value] of Object.entries(countersOf(otherBefore)))
    expect([series, others[series]]).toEqual([series, expect.toSatisfy((now) => now >= value)]);
});

test('the old daemon does not run a moved account, and says so once', { timeout: 60_000 }, async () => {
  const warnings: unknown[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields: unknown, message: string) => void (message.includes('moved out') && warnings.push(fields)),
    child: () => log,
  };
  await using source = await buildFixtureHarness({ log });
  await source.stop();
  const file = join(source.folder, 'main.db');
  const options = {
    account: 'main',
    overwrite: false,
    now: source.clock.now(),
    firstStepHoldMs: 0,
    ...FILE_OPTIONS,
  };
  await moveOut(source.storePath, file, options);
  await source.start();
  const requests = source.simulator.requests.count();
  await source.advance(3 * HOUR);
  expect(source.app.accounts).toEqual([]);
  expect(source.simulator.requests.count()).toBe(requests);
  await source.app.reconfigure(source.settings);
  expect(source.app.accounts).toEqual([]);
  expect(warnings).toEqual([expect.objectContaining({ account: 'main' })]);
});

// Tests that stores of all earlier schema versions are migrated, and that a failed migration changes nothing.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { checkFile } from '../../../src/store/sqlite/file/check.ts';
import { schemaVersionOf } from '../../../src/store/sqlite/file/inspect.ts';
import { openFile } from '../../../src/store/sqlite/file/open.ts';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { decreasedCounters } from '../../support/counters.ts';
import { buildFixtureHarness, countersOf, FIXTURE_END } from '../../support/fixture-account.ts';
import { makeFolder, openStore } from '../support.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/stores');
const VERSIONS = MIGRATIONS.slice(1).map((_, index) => index + 1);

const fixtureFile = (version: number): string => {
  const path = join(makeFolder(), 'store.db');
  writeFileSync(path, gunzipSync(readFileSync(join(FIXTURES, `v${version}.db.gz`))));
  return path;
};

const fixtureCounters = (version: number): Record<string, number> =>
  JSON.parse(readFileSync(join(FIXTURES, `v${version}.json`), 'utf8'));

it('every earlier version has a fixture; test/support/write-store-fixture.ts writes that of the current one', () => {
  const missing = VERSIONS.filter((version) => !existsSync(join(FIXTURES, `v${version}.db.gz`)));
  expect(missing).toEqual([]);
});

describe.each(VERSIONS)('a store of version %i', (version) => {
  it('shows the same counters and continues counting', async () => {
    await using harness = await buildFixtureHarness({ now: FIXTURE_END, storeFile: fixtureFile(version) });
    const before = await harness.metrics();
    expect(countersOf(before)).toEqual(fixtureCounters(version));
    // The first version did not store its epoch.
    const beganAt = version === 1 ? null : expect.any(Number);
    expect(harness.app.store.epoch).toMatchObject({ beganAt, isNew: false });
    for (let hour = 0; hour < 3; hour += 1) await harness.advance(HOUR);
    const after = await harness.metrics();
    expect(decreasedCounters(before, after)).toEqual([]);
    const grown = [...after].filter(([series, value]) => value > (before.get(series) ?? value));
    const families = new Set(grown.map(([series]) => series.replace(/\{.*/, '')));
    expect([...families]).toEqual(
      expect.arrayContaining(['proxywatch_traffic_bytes_total', 'proxywatch_proxy_test_results_total']),
    );
  });

  it('is valid before and after the migration', () => {
    const path = fixtureFile(version);
    const damages = () => [...checkFile(path)].filter(({ damage }) => damage !== null);
    expect(damages()).toEqual([]);
    openFile(path).close();
    expect(damages()).toEqual([]);
  });

  it('is backed up as it is, and migrated when the backup is restored', async () => {
    const backup = join(makeFolder(), 'backup.db');
    const restored = join(makeFolder(), 'store.db');
    const options = { signal: new AbortController().signal, onProgress: () => {} };
    await backUp(fixtureFile(version), backup, { ...options, overwrite: false });
    expect(schemaVersionOf(backup)).toBe(version);
    await restore(restored, backup, { ...options, now: Date.parse(FIXTURE_END) });
    expect(schemaVersionOf(restored)).toBe(MIGRATIONS.length);
    using store = openStore(restored);
    expect(store.epoch.isNew).toBe(true);
  });
});

it('a failed migration leaves the version before it', () => {
  const path = fixtureFile(1);
  const broken = [
    ...MIGRATIONS,
    'CREATE TABLE half (id INTEGER); DELETE FROM bucket; INSERT INTO nowhere VALUES (1)',
  ];
  expect(() => openFile(path, { migrations: broken })).toThrow(
    expect.objectContaining({ kind: 'failed', message: expect.stringContaining(path) }),
  );
  const sql = new SQLite(path);
  expect(sql.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
  expect(sql.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'half'").pluck().get()).toBe(0);
  expect(sql.prepare('SELECT count(*) FROM bucket').pluck().get()).toBeGreaterThan(0);
  sql.close();
  openFile(path).close();
});

// Tests scheduled backups of a daemon's store: their times, their names and modes, what is kept, and failures.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COLLECTOR_NAMES } from '../../src/collectors/context.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { checkFile } from '../../src/store/sqlite/file/check.ts';
import { makeFolder } from '../store/support.ts';
import { findingsOf } from '../support/findings.ts';
import { Harness } from '../support/harness.ts';

const NOW = '2026-07-06T00:00:05Z';
const NIGHTLY = '30 3 * * *';

/** Without a path, no backups are scheduled. The daemon goes on with the store of the one `before`. */
const build = (path: string | null, keep = 3, before?: Harness): Promise<Harness> =>
  Harness.build({
    now: NOW,
    account: Object.fromEntries(COLLECTOR_NAMES.map((name) => [name, false])),
    ...(path !== null && { backup: { schedule: NIGHTLY, path, keep } }),
    ...(before && { clock: before.clock, storeFile: before.storePath }),
  });

const backupsIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.db'));

const metric = async (harness: Harness, name: string, labels = {}): Promise<number | undefined> =>
  (await harness.samples()).value(`proxywatch_store_backup${name}`, labels);

/** Advances in steps that let each wait of the scheduler end. */
const pass = async (harness: Harness, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 30 * MINUTE) {
    await harness.advance(30 * MINUTE);
    await new Promise(setImmediate);
    await harness.app.backups.idle();
  }
};

test('each night it writes a complete backup for its owner only, and keeps the newest', async () => {
  const folder = join(makeFolder(), 'backups');
  await using harness = await build(folder);
  await pass(harness, 3 * HOUR);
  expect(existsSync(folder)).toBe(false);
  await pass(harness, HOUR);
  const [first = ''] = backupsIn(folder);
  expect(first).toMatch(/^proxywatch-[0-9a-f]{8}-2026-07-06T03-3\d-\d\d\.\d{3}Z\.db$/);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, first)).mode & 0o777).toBe(0o600);
  expect([...checkFile(join(folder, first))].filter(({ damage }) => damage !== null)).toEqual([]);
  expect(await metric(harness, 's_total', { result: 'ok' })).toBe(1);
  expect(await metric(harness, '_overdue_seconds')).toBe(0);

  const prefix = first.slice(0, 'proxywatch-00000000-'.length);
  const partial = `${prefix}2026-07-01T03-30-00.000Z.db.partial`;
  const others = ['notes.db', 'proxywatch-00000000-2026-07-01T03-30-00.000Z.db', `${prefix}old.db`];
  for (const name of [...others, partial]) writeFileSync(join(folder, name), '');
  await pass(harness, 4 * DAY);
  const days = backupsIn(folder).filter((name) => name.startsWith(`${prefix}2026`));
  expect(days.map((name) => name.slice(prefix.length, prefix.length + 10))).toEqual([
    '2026-07-08',
    '2026-07-09',
    '2026-07-10',
  ]);
  expect(backupsIn(folder)).toEqual(expect.arrayContaining(others));
  expect(existsSync(join(folder, partial))).toBe(false);
});

test('a failure is counted, fires an alert when it lasts, and is tried again', async () => {
  const parent = join(makeFolder(), 'missing');
  const folder = join(parent, 'backups');
  await using harness = await build(folder);
  await pass(harness, 4 * HOUR);
  expect(await metric(harness, 's_total', { result: 'failed' })).toBeGreaterThan(0);
  expect(await findingsOf(harness, 'BackupFailing')).toEqual([]);
  await pass(harness, HOUR);
  expect(await findingsOf(harness, 'BackupFailing')).toHaveLength(1);
  mkdirSync(parent);
  await pass(harness, HOUR);
  expect(backupsIn(folder)).toHaveLength(1);
  expect(await findingsOf(harness, 'BackupFailing')).toEqual([]);
  expect(await metric(harness, '_last_success_timestamp_seconds')).toBeGreaterThan(Date.parse(NOW) / 1_000);
});

test('after a restart it knows its newest backup, and makes up for a slot that it missed', async () => {
  const folder = join(makeFolder(), 'backups');
  await using harness = await build(folder);
  await pass(harness, 4 * HOUR);
  const last = await metric(harness, '_last_success_timestamp_seconds');
  await harness.stop();
  await harness.start();
  expect(await metric(harness, '_last_success_timestamp_seconds')).toBe(last);
  await pass(harness, HOUR);
  expect(backupsIn(folder)).toHaveLength(1);
  await harness.stop();
  harness.clock.advance(DAY);
  await harness.start();
  await pass(harness, HOUR);
  expect(backupsIn(folder)).toHaveLength(2);
});

test('what an interrupted backup left does not keep the disk full', async () => {
  const folder = join(makeFolder(), 'backups');
  await using harness = await build(folder);
  const { storeId } = harness.app.store.epoch;
  mkdirSync(folder);
  const left = join(folder, `proxywatch-${storeId.slice(0, 8)}-2026-07-01T03-30-00.000Z.db.partial`);
  writeFileSync(left, '');
  // The next backup fails too.
  renameSync(harness.storePath, `${harness.storePath}.away`);
  await pass(harness, 4 * HOUR);
  expect(await metric(harness, 's_total', { result: 'failed' })).toBeGreaterThan(0);
  expect(existsSync(left)).toBe(false);
});

test('a backup of a clock that was ahead does not replace the newest one', async () => {
  const folder = join(makeFolder(), 'backups');
  await using harness = await build(folder, 1);
  const { storeId } = harness.app.store.epoch;
  mkdirSync(folder);
  const prefix = `proxywatch-${storeId.slice(0, 8)}-`;
  writeFileSync(join(folder, `${prefix}2031-01-01T03-30-00.000Z.db`), '');
  await harness.stop();
  await harness.start();
  expect(await metric(harness, '_last_success_timestamp_seconds')).toBeUndefined();
  await pass(harness, 4 * HOUR);
  expect(backupsIn(folder)).toEqual([expect.stringContaining(`${prefix}2026-07-06`)]);
});

test('after the clock was set back, backups go on, and one that fails is overdue', async () => {
  const folder = join(makeFolder(), 'backups');
  await using harness = await build(folder);
  await pass(harness, 4 * HOUR);
  expect(backupsIn(folder)).toHaveLength(1);
  harness.clock.jumpTo(harness.clock.now() - 10 * DAY);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  await pass(harness, DAY + 2 * HOUR);
  expect(await metric(harness, '_overdue_seconds')).toBeGreaterThan(HOUR / SECOND);
  rmSync(folder);
  await pass(harness, 30 * MINUTE);
  expect(backupsIn(folder)).toHaveLength(1);
  expect(await metric(harness, '_overdue_seconds')).toBe(0);
});

test('without any backup, restarts do not make a backup that fails less overdue', async () => {
  await using harness = await build(join(makeFolder(), 'missing', 'backups'));
  await pass(harness, 4 * HOUR);
  await harness.stop();
  harness.clock.advance(20 * HOUR);
  await harness.start();
  expect(await metric(harness, '_overdue_seconds')).toBeGreaterThan((20 * HOUR) / SECOND);
  expect(await findingsOf(harness, 'BackupFailing')).toHaveLength(1);
});

/** Schedules backups on the store of earlier daemons, each of which made its backups in such a folder, or none. */
const enableAfter = async (earlier: readonly (string | null)[], path: string): Promise<Harness> => {
  await using stack = new AsyncDisposableStack();
  let before: Harness | undefined;
  for (const each of earlier) {
    before = stack.use(await build(each, 3, before));
    await pass(before, 4 * HOUR);
    await before.stop();
    before.clock.advance(10 * DAY);
  }
  return await build(path, 3, before);
};

test.each([
  ['never scheduled before', [null]],
  ['not scheduled any more since the newest', ['backups', null]],
  ['scheduled in another folder', ['others']],
])('backups that are scheduled on an old store are due at the next slot: %s', async (_, earlier) => {
  const parent = makeFolder();
  const folders = earlier.map((name) => name && join(parent, name));
  await using harness = await enableAfter(folders, join(parent, 'backups'));
  expect(await metric(harness, '_overdue_seconds')).toBe(0);
  expect(await findingsOf(harness, 'BackupFailing')).toEqual([]);
  await pass(harness, DAY);
  expect(await metric(harness, 's_total', { result: 'ok' })).toBe(1);
});

test('backups that are scheduled on an old store and fail are overdue after the next slot', async () => {
  await using harness = await enableAfter([null], join(makeFolder(), 'missing', 'backups'));
  await pass(harness, DAY + 2 * HOUR);
  await harness.stop();
  await harness.start();
  expect(await metric(harness, '_overdue_seconds')).toBeGreaterThan(HOUR / SECOND);
  expect(await findingsOf(harness, 'BackupFailing')).toHaveLength(1);
});

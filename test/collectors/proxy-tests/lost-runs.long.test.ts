// Test runs that were spent between a backup and its restore: the restored store reckons with them.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import type { House } from '../../support/house.ts';
import { buildTests, callsOf, entries } from './tests-house.ts';

const SLOT = 10 * MINUTE;
const WORK = { signal: new AbortController().signal, onProgress: () => {} };
const remaining = async (house: House): Promise<number> =>
  (await house.samples()).value('proxywatch_proxy_test_budget_remaining') ?? Number.NaN;

const slots = async (house: House, count: number): Promise<void> => {
  for (let slot = 0; slot < count; slot += 1) await house.advance(SLOT);
};
const backUpOf = async (house: House): Promise<string> => {
  const file = join(house.folder, 'backup.db');
  await backUp(house.storePath, file, { overwrite: false, ...WORK });
  return file;
};
const putBack = async (house: House, file: string): Promise<void> => {
  await restore(house.storePath, file, { now: house.clock.now(), ...WORK });
};

describe('a store that was restored', () => {
  it('counts the runs that a schedule may have made since the backup, and no more', async () => {
    await using house = await buildTests({ tests: { max_runs_per_day: 300 } });
    await slots(house, 6);
    const file = await backUpOf(house);
    await slots(house, 12);
    expect(await remaining(house)).toBe(300 - 19);
    await house.stop();
    await putBack(house, file);
    // It is put back to a machine that is off for hours, in which nothing can have been spent.
    house.clock.advance(5 * HOUR);
    await house.start();
    // 7 before the backup, 12 since, one that may have begun, and the round of the start.
    expect(await remaining(house)).toBeGreaterThanOrEqual(300 - 22);
    expect(await remaining(house)).toBeLessThanOrEqual(300 - 20);
  });

  it.each([1, 12, 40])('never spends more than a day’s budget when %i hours are lost', async (hours) => {
    const budget = 60;
    await using house = await buildTests({ tests: { proxies: entries(60), max_runs_per_day: budget } });
    await slots(house, 30);
    const file = await backUpOf(house);
    await slots(house, 6 * hours);
    await house.stop();
    await putBack(house, file);
    await house.start();
    const before = callsOf(house).length;
    await slots(house, 3 * 144);
    const calls = callsOf(house);
    const inDay = calls.map(
      ({ at }) => calls.filter((other) => other.at > at - 24 * HOUR && other.at <= at).length,
    );
    expect(Math.max(...inDay)).toBeLessThanOrEqual(budget);
    // Tests go on soon: they are not shut out for a whole day.
    const first = calls[before]?.at ?? Number.POSITIVE_INFINITY;
    expect(first - (calls[before - 1]?.at ?? 0)).toBeLessThanOrEqual(3 * HOUR);
  });

  it('reckons with them when a file was put back by hand too', async () => {
    await using house = await buildTests({ tests: { max_runs_per_day: 300 } });
    await slots(house, 6);
    const file = await backUpOf(house);
    await slots(house, 12);
    await house.stop();
    copyFileSync(file, house.storePath);
    await house.start();
    expect(house.app.store.epoch.isNew).toBe(true);
    expect(await remaining(house)).toBeGreaterThanOrEqual(300 - 22);
    expect(await remaining(house)).toBeLessThanOrEqual(300 - 19);
  });
});

// Tests that a restored store counts the test runs that were spent between the backup and its restore.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import type { Harness } from '../../support/harness.ts';
import { buildTests, callsOf, entries } from './tests-harness.ts';

const SLOT = 10 * MINUTE;
const WORK = { signal: new AbortController().signal, onProgress: () => {} };
const remaining = async (harness: Harness): Promise<number> =>
  (await harness.samples()).value('proxywatch_proxy_test_budget_remaining') ?? Number.NaN;

const slots = async (harness: Harness, count: number): Promise<void> => {
  for (let slot = 0; slot < count; slot += 1) await harness.advance(SLOT);
};
const makeBackup = async (harness: Harness): Promise<string> => {
  const file = join(harness.folder, 'backup.db');
  await backUp(harness.storePath, file, { overwrite: false, ...WORK });
  return file;
};
const restoreFrom = async (harness: Harness, file: string): Promise<void> => {
  await restore(harness.storePath, file, { now: harness.clock.now(), ...WORK });
};

describe('a store that was restored', () => {
  it('counts the runs that a schedule may have made since the backup, and no more', async () => {
    await using harness = await buildTests({ tests: { max_runs_per_day: 300 } });
    await slots(harness, 6);
    const file = await makeBackup(harness);
    await slots(harness, 12);
    expect(await remaining(harness)).toBe(300 - 19);
    await harness.stop();
    await restoreFrom(harness, file);
    // The machine is then off for hours, in which no runs can have been spent.
    harness.clock.advance(5 * HOUR);
    await harness.start();
    // 7 runs before the backup, 12 since, one that may have begun, and the round at the start.
    expect(await remaining(harness)).toBeGreaterThanOrEqual(300 - 22);
    expect(await remaining(harness)).toBeLessThanOrEqual(300 - 20);
  });

  it.each([1, 12, 40])('never spends more than a day’s budget when %i hours are lost', async (hours) => {
    const budget = 60;
    await using harness = await buildTests({ tests: { proxies: entries(60), max_runs_per_day: budget } });
    await slots(harness, 30);
    const file = await makeBackup(harness);
    await slots(harness, 6 * hours);
    await harness.stop();
    await restoreFrom(harness, file);
    await harness.start();
    const before = callsOf(harness).length;
    await slots(harness, 3 * 144);
    const calls = callsOf(harness);
    const inDay = calls.map(
      ({ at }) => calls.filter((other) => other.at > at - 24 * HOUR && other.at <= at).length,
    );
    expect(Math.max(...inDay)).toBeLessThanOrEqual(budget);
    // Tests continue soon, and not only after a whole day.
    const first = calls[before]?.at ?? Number.POSITIVE_INFINITY;
    expect(first - (calls[before - 1]?.at ?? 0)).toBeLessThanOrEqual(3 * HOUR);
  });

  it('also counts them when a file was restored by hand', async () => {
    await using harness = await buildTests({ tests: { max_runs_per_day: 300 } });
    await slots(harness, 6);
    const file = await makeBackup(harness);
    await slots(harness, 12);
    await harness.stop();
    copyFileSync(file, harness.storePath);
    await harness.start();
    expect(harness.app.store.epoch.isNew).toBe(true);
    expect(await remaining(harness)).toBeGreaterThanOrEqual(300 - 22);
    expect(await remaining(harness)).toBeLessThanOrEqual(300 - 19);
  });
});

// Tests reconcile: the report on each day's sources while a daemon uses the store.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reconcile } from '../../src/cli/reconcile.ts';
import { DAY } from '../../src/lib/time.ts';
import { backUp } from '../../src/store/sqlite/file/backup.ts';
import { restore } from '../../src/store/sqlite/file/restore.ts';
import { advanceHours, buildReconciliation } from '../collectors/reconciliation/support.ts';
import { createFolder } from '../config/support.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import type { Harness } from '../support/harness.ts';
import { configText, runCommand } from './run-command.ts';

const LOST = { from: '2026-07-07T09:00:00Z', until: '2026-07-07T10:00:00Z' };
const HOURS = 42;

const runReconcile = async (harness: Harness, from: string, to: string) => {
  const text = configText(
    harness.simulator,
    { traffic: { graphs: [{ name: 'by-the-byte', product_type: 'residential' }] } },
    { store: { path: harness.storePath } },
  );
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  return runCommand(reconcile, { config, from, to });
};

test('reports each day: returns 1 for a day with a lost hour, 2 if a side is incomplete', {
  timeout: 120_000,
}, async () => {
  await using harness = await buildReconciliation({
    scenario: {
      traffic: { late: { ratio: 0 }, revised: { ratio: 0 } },
      discrepancies: [{ kind: 'lost_minutes', ...LOST }],
    },
  });
  await advanceHours(harness, HOURS);
  const requestsBefore = harness.simulator.requests.count();

  const firstDays = await runReconcile(harness, '2026-07-05', '2026-07-06');
  expect(firstDays).toMatchObject({ code: 2, stderr: '' });
  expect(firstDays.stdout).toMatch(
    /^account main: days of UTC, 1 GB is 1,000,000,000 bytes\n\nday .* first GB /,
  );
  expect(firstDays.stdout).toMatch(
    /\n2026-07-05 +buckets_coarse +unknown +\d+\.\d{3} +\d+\.\d{3} +-\d+\.\d{3} +- +- +the stored history begins later, at 2026-07-05 12:01\n/,
  );
  expect(firstDays.stdout).toMatch(
    /\n2026-07-05 +users_ledger +unknown .* the stored history begins later, at 2026-07-06 12:01\n/,
  );
  expect(firstDays.stdout).toMatch(
    /\n2026-07-06 +buckets_coarse +ok +(\d+\.\d{3}) +\1 +0\.000 +0\.000 +0%\n/,
  );
  // The total has the second day alone.
  const [, total = 'none'] = /\n2026-07-06 +buckets_coarse +ok +(\S+)/.exec(firstDays.stdout) ?? [];
  expect(firstDays.stdout).toMatch(new RegExp(`\\ntotal +buckets_coarse +${total} +${total} +0\\.000 `));
  expect(firstDays.stdout).toMatch(
    /\n {2}users_ledger +growth of the users' residential bytes +use in the residential ledger\n$/,
  );

  const { code, stdout, stderr } = await runReconcile(harness, '2026-07-06', '2026-07-08');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(
    /\n2026-07-07 +buckets_coarse +DIFFERS .* -\d+\.\d{3} +[3-6](\.\d)?%\n {2}09:00 +this hour +0\.000 +(\d+\.\d{3}) +-\2\n/,
  );
  expect(stdout).toMatch(/\n2026-07-07 +users_ledger +ok .* GB routed by smartpath, not charged/);
  // By the provider's clock that day is not over yet.
  expect(stdout).toMatch(
    /\n2026-07-08 +residential_buckets_ledger +unknown .* - +- +a collector has not listed the whole day yet; .*\n/,
  );
  expect(harness.simulator.requests.count() - requestsBefore).toBeLessThan(10);

  harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'analytics' });
  const requestsOfFailure = harness.simulator.requests.count();
  const refused = await runReconcile(harness, '2026-07-07', '2026-07-07');
  expect(refused).toMatchObject({ code: 2, stderr: '' });
  expect(refused.stdout).toMatch(
    /\n2026-07-07 +buckets_coarse +unknown +\d+\.\d{3} +- +- +- +- +the provider's sum of this day is unknown\n/,
  );
  expect(refused.stdout).toMatch(/\n2026-07-07 +residential_buckets_ledger +ok /);
  expect(refused.stdout).toMatch(
    /\nThe provider's sums are unknown, because a request failed: analytics\/graph: answered 403: /,
  );
  expect(harness.simulator.requests.count() - requestsOfFailure).toBe(1);
});

test('sources that were never read do not count as equal', { timeout: 60_000 }, async () => {
  await using provider = await startFakeProvider(() => ({ status: 500 }));
  await using harness = await buildReconciliation({ account: { base_url: provider.baseUrl } });
  const { code, stdout, stderr } = await runReconcile(harness, '2026-07-05', '2026-07-05');
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  const lines = stdout.split('\n').filter((line) => line.startsWith('2026-07-05'));
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(line).toMatch(/^2026-07-05 +\w+ +unknown /);
  expect(stdout).toMatch(/\ntotal +buckets_coarse +unknown +- /);
  expect(stdout).not.toContain('Left out');

  const yesterday = new Date(Date.now() - DAY).toISOString().slice(0, 10);
  const untilFuture = await runReconcile(harness, yesterday, '2999-01-01');
  expect(untilFuture.stdout).toMatch(/\n\nLeft out: \d{4}-\d\d-\d\d to 2999-01-01 are not over\.\nok: /);
});

test('after a restore, the users have their old history, and a gap on the day of the restore', {
  timeout: 60_000,
}, async () => {
  await using harness = await buildReconciliation({ traffic: { interval: 'hour' } });
  await advanceHours(harness, 38);
  const backup = join(harness.folder, 'backup.db');
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  await backUp(harness.storePath, backup, { overwrite: false, ...options });
  await advanceHours(harness, 12);
  await harness.stop();
  await restore(harness.storePath, backup, { now: harness.clock.now(), ...options });
  await harness.start();
  await advanceHours(harness, 48);

  const { stdout } = await runReconcile(harness, '2026-07-06', '2026-07-09');
  const users = stdout.split('\n').filter((line) => /^2026.* users_ledger /.test(line));
  expect(users).toEqual([
    expect.stringMatching(/ unknown .* the stored history begins later, at 2026-07-06 12:01$/),
    expect.stringMatching(/ ok /),
    expect.stringMatching(/ unknown .* the listings of this day have a gap$/),
    expect.stringMatching(/ ok /),
  ]);
});

test('days in the wrong order or in the future are an error', async () => {
  await using harness = await buildReconciliation();
  for (const [from, to, mistake] of [
    ['2026-07-06', '2026-07-05', '--from (2026-07-06) is after --to (2026-07-05). Swap the two dates.'],
    ['2999-01-01', '2999-01-02', 'no day from 2999-01-01 to 2999-01-02 is over yet. Give dates in the past.'],
  ] as const) {
    const { code, stdout, stderr } = await runReconcile(harness, from, to);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`error: ${mistake}\n`);
  }
});

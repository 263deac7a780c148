// Tests reconcile: the report on each day's sources while a daemon uses the store.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reconcile } from '../../src/cli/reconcile.ts';
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
    /^main 2026-07-05\n {2}unknown buckets_coarse: [\d,]+ - [\d,]+ = -[\d,]+ bytes; history begins later\n/,
  );

  expect(firstDays.stdout).toMatch(/\nmain 2026-07-06\n {2}ok buckets_coarse: ([\d,]+) - \1 = 0 bytes\n/);

  const { code, stdout, stderr } = await runReconcile(harness, '2026-07-06', '2026-07-08');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  const day = stdout.slice(stdout.indexOf('main 2026-07-07'), stdout.indexOf('main 2026-07-08'));
  expect(day).toMatch(
    /\n {2}DIFFERS buckets_coarse: .*-[\d,]+ unexplained \(-[3-6]\.\d\d %\)\n {4}09:00: 0 - [\d,]+ = -[\d,]+\n/,
  );
  expect(day).toMatch(/\n {2}ok users_ledger: .*routed by smartpath, not charged/);
  // By the provider's clock that day is not over yet.
  expect(stdout.slice(stdout.indexOf('main 2026-07-08'))).toMatch(
    /unknown residential_buckets_ledger: .*not listed to the end yet/,
  );
  expect(harness.simulator.requests.count() - requestsBefore).toBeLessThan(10);
});

test('sources that were never read do not count as equal', { timeout: 60_000 }, async () => {
  await using provider = await startFakeProvider(() => ({ status: 500 }));
  await using harness = await buildReconciliation({ account: { base_url: provider.baseUrl } });
  const { code, stdout, stderr } = await runReconcile(harness, '2026-07-05', '2026-07-05');
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  const [head, ...lines] = stdout.trimEnd().split('\n');
  expect(head).toBe('main 2026-07-05');
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(line).toMatch(/^ {2}unknown \w+: /);
});

test('days in the wrong order or in the future are an error', async () => {
  await using harness = await buildReconciliation();
  for (const [from, to] of [
    ['2026-07-06', '2026-07-05'],
    ['2999-01-01', '2999-01-02'],
  ] as const) {
    const { code, stdout, stderr } = await runReconcile(harness, from, to);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`error: no day from ${from} to ${to} is over\n`);
  }
});

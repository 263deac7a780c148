// Tests that the bytes of a week with a change of the clocks equal the simulated provider's own numbers, and that the command
// prints what the API answers.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { report as reportCommand } from '../../../src/cli/report.ts';
import type { Report } from '../../../src/http/api/report/report-json.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { configText, runCommand } from '../../cli/run-command.ts';
import { createFolder } from '../../config/support.ts';
import { ApiHarness } from './api-harness.ts';

const ACCOUNT = {
  ...Object.fromEntries(
    [
      ...['proxy_tests', 'probes', 'catalog', 'quotes', 'geography', 'inventory', 'services', 'usage'],
      ...['reconciliation', 'customer', 'mobile_ledger'],
    ].map((name) => [name, false]),
  ),
  time_zone: 'Europe/Berlin',
  traffic: { schedule: '0 * * * *', interval: 'hour', reread: '12h', concurrency: false },
};
const FROM = Date.parse('2026-03-23T00:00:00+01:00');
const TO = Date.parse('2026-03-30T00:00:00+02:00');

test('the bytes of a week equal those of the provider', { timeout: 300_000 }, async () => {
  await using api = await ApiHarness.build(
    {
      ...{ start: '2026-03-16T00:00:00Z', time_zone: 'Europe/Berlin', users: 4, monthly_reset_ratio: 0 },
      services: 1,
    },
    ACCOUNT,
    { now: '2026-03-22T12:00:00Z' },
  );
  const { harness } = api;
  while (harness.clock.now() < TO + 8 * HOUR) await harness.advance(HOUR);
  const { truth } = harness.simulator;
  const used = truth
    .ledger()
    .filter(({ residential_ledger_period_date: date }) => date >= '2026-03-23' && date <= '2026-03-29')
    .reduce((sum, row) => sum + Math.max(0, -row.residential_ledger_bytes), 0);

  const { freshness: _, ...found } = await api.answer('accounts/main/report?period=week&from=2026-03-29');
  const report = found as unknown as Report;
  expect([report.from, report.to]).toEqual([new Date(FROM).toISOString(), new Date(TO).toISOString()]);
  expect(report.amounts.ledger_used_bytes).toBe(used);
  expect(report.amounts.residential_users_bytes).toBeGreaterThan(0);
  expect(report.unknown.map(({ part }) => part)).toEqual(
    expect.not.arrayContaining(['ledger', 'users', 'traffic']),
  );

  const text = configText(harness.simulator, ACCOUNT, {
    store: { path: harness.storePath },
    alerts: { evaluate: true },
  });
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  const json = await runCommand(reportCommand, {
    ...{ config, period: 'week' as const, from: '2026-03-29', format: 'json' as const },
  });
  const [printed] = JSON.parse(json.stdout) as Report[];
  expect({ ...printed, made_at: report.made_at }).toEqual(report);
});

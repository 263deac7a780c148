// Tests the log of a healthy daemon: the first success of each collector, and a summary of each account once a day.

import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { Harness } from '../support/harness.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const START = '2026-07-06T21:30:30Z';
const ACCOUNT = {
  traffic: { catch_up: '1h', reread: '5m', deep_reread: { span: '1h' }, graphs: [] },
  reconciliation: false,
};

const build = async (lines: LogLine[], account = {}): Promise<Harness> => {
  const harness = await Harness.build({
    now: START,
    scenario: { start: '2026-07-06T00:00:00Z', users: 3, proxies: 2 },
    account: { ...ACCOUNT, ...account },
    log: recordingLog(lines),
  });
  harness.app.journal.start();
  return harness;
};

const pass = async (harness: Harness, ms: number, stepMs: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await harness.advance(stepMs);
    harness.app.journal.tick();
    await harness.app.journal.idle();
  }
};

const INFORMATIVE: readonly string[] = ['info', 'warn', 'error'];
const informative = (lines: readonly LogLine[]): LogLine[] =>
  lines.filter(({ level }) => INFORMATIVE.includes(level));

test('the first success of each collector is logged once', async () => {
  const lines: LogLine[] = [];
  await using harness = await build(lines);
  await pass(harness, 11 * MINUTE, MINUTE);
  const logged = informative(lines).map(({ level, message, fields }) => [level, message, fields.collector]);
  expect(logged.toSorted()).toEqual([
    ['info', 'the first run of this collector succeeded', 'proxy_users'],
    ['info', 'the first run of this collector succeeded', 'residential_ledger'],
    ['info', 'the first run of this collector succeeded', 'traffic'],
  ]);
});

test('a summary follows at each midnight, and counts the day before it', async () => {
  const lines: LogLine[] = [];
  await using harness = await build(lines, { traffic: false });
  await pass(harness, 3 * HOUR, 10 * MINUTE);
  const summaries = () => lines.filter(({ message }) => message.startsWith('daily summary: '));
  expect(summaries()).toHaveLength(1);
  const [first] = summaries();
  // 15 slots of ten minutes before midnight, in each of which two collectors run.
  expect(first).toMatchObject({
    level: 'info',
    fields: {
      account: 'main',
      from: '2026-07-06T21:30:30Z',
      to: '2026-07-07T00:00:30Z',
      ...{ runs: 30, failedRuns: 0, partialRuns: 0, skippedRuns: 0, failedRequests: 0, skippedItems: 0 },
      newestData: '2026-07-07T00:00:30Z',
      notCurrent: [],
    },
  });
  expect(first?.fields.requests).toBeGreaterThanOrEqual(30);
  expect(first?.message).toBe(
    `daily summary: 30 runs, 0 failed; ${first?.fields.requests} requests, 0 failed; newest data read at 2026-07-07T00:00:30Z; all data is current`,
  );

  harness.simulator.faults.add({ kind: 'status', status: 500, endpoint: 'residential_ledger' });
  await pass(harness, 24 * HOUR, 2 * HOUR);
  expect(summaries()).toHaveLength(2);
  const [, second] = summaries();
  expect(second?.fields).toMatchObject({ from: '2026-07-07T00:00:30Z', notCurrent: ['residential_ledger'] });
  expect(second?.fields.failedRuns).toBe(12);
  expect(second?.message).toMatch(/; no current data: residential_ledger$/);
});

test('a collector that failed and succeeds again is logged', async () => {
  const lines: LogLine[] = [];
  await using harness = await build(lines);
  await pass(harness, 10 * MINUTE, 10 * MINUTE);
  harness.simulator.faults.add({ kind: 'status', status: 404, endpoint: 'residential_ledger' });
  await pass(harness, 20 * MINUTE, 10 * MINUTE);
  harness.simulator.faults.clear();
  lines.length = 0;
  await pass(harness, 30 * MINUTE, 10 * MINUTE);
  expect(informative(lines)).toEqual([
    {
      level: 'info',
      message: 'the runs of this collector succeed again',
      fields: { account: 'main', collector: 'residential_ledger', failedRuns: 2 },
    },
  ]);
});

test('nothing is logged before the daemon serves', async () => {
  const lines: LogLine[] = [];
  await using _harness = await Harness.build({
    now: START,
    scenario: { start: '2026-07-06T00:00:00Z', users: 3, proxies: 2 },
    account: ACCOUNT,
    log: recordingLog(lines),
  });
  expect(informative(lines)).toEqual([]);
});

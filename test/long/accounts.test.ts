// Tests fifty accounts in one daemon over HTTP, each with its own keys and pace: no schedule delays another.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { type LiveAccount, LiveDaemon } from '../support/live-daemon.ts';
import type { Samples } from '../support/samples.ts';

const ACCOUNTS = 50;
/** After the last slot of five-minute schedules, with its delay. */
const START = '2026-07-06T12:06:30Z';
/** The first runs, which take longer and may skip a slot, have ended by then. */
const FROM = Date.parse('2026-07-06T12:08:00Z');
const UNTIL = FROM + 5 * MINUTE;
/** After the runs of this minute, and before those of the next one, so that no run is in progress at the end. */
const END = UNTIL + 55 * SECOND;
/** Of 200 jobs, at most this many may begin in the same second. */
const MAX_STARTS = 12;

const accounts: readonly LiveAccount[] = Array.from({ length: ACCOUNTS }, (_, index) => {
  const pace = 4 + (index % 9);
  const name = `account-${index}`;
  return {
    name,
    scenario: { public_key: `${name}-public`, private_key: `${name}-private`, seed: index, pace, users: 150 },
    settings: {
      requests_per_second: pace,
      traffic: { catch_up: '2h', reread: '30m', deep_reread: { span: '12h' } },
    },
  };
});

/** Runs of each job in the five minutes; with 50 accounts, a run is delayed by at most a minute. */
const EXPECTED = { traffic: 5, residential_ledger: 1, proxy_users: 1 };

it('runs every collector of every account in each of its slots', async () => {
  await using daemon = await LiveDaemon.start(START, accounts);
  const { app, clock } = daemon;
  const starts = new Map<string, Set<number>>();
  let second = 0;
  const recordStarts = async (): Promise<void> => {
    if (Math.floor(clock.now() / SECOND) === second) return;
    second = Math.floor(clock.now() / SECOND);
    for (const { name } of accounts) {
      for (const { collector, startedAt } of await app.store.runs.states(name)) {
        const key = `${name}/${collector}`;
        starts.set(key, (starts.get(key) ?? new Set()).add(startedAt));
      }
    }
  };
  await daemon.runFor(FROM - clock.now(), recordStarts);
  const skippedBefore = runsIn(await daemon.samples(), 'skipped');
  await daemon.runFor(MINUTE, recordStarts);
  const [sleepers, heap] = [clock.sleepers, heapUsed()];
  await daemon.runFor(END - clock.now(), recordStarts);
  expect(clock.sleepers).toBeLessThan(sleepers + 2 * ACCOUNTS);
  expect(heapUsed() - heap).toBeLessThan(20e6);

  const slots = (key: string): number =>
    [...(starts.get(key) ?? [])].filter((at) => at >= FROM && at < UNTIL).length;
  for (const { name } of accounts)
    for (const [collector, count] of Object.entries(EXPECTED))
      expect([name, collector, slots(`${name}/${collector}`)]).toEqual([name, collector, count]);

  const bySecond = Map.groupBy(
    [...starts.values()].flatMap((times) => [...times]),
    (at) => Math.floor(at / SECOND),
  );
  const mostStarts = Math.max(...[...bySecond.values()].map((runs) => runs.length));
  expect(mostStarts).toBeLessThanOrEqual(MAX_STARTS);

  const samples = await daemon.samples();
  const runs = (result: string): number => runsIn(samples, result);
  expect({
    skipped: runs('skipped') - skippedBefore,
    failed: runs('failed'),
    partial: runs('partial'),
  }).toEqual({
    skipped: 0,
    failed: 0,
    partial: 0,
  });
  expect(samples.all('proxywatch_collector_success').filter(({ value }) => value !== 1)).toEqual([]);
  // An account rejects other keys with 401, and requests above its pace with 429.
  const answers = (status?: number): number =>
    daemon.simulators.reduce((sum, { requests }) => sum + requests.count(undefined, status), 0);
  expect(answers()).toBe(answers(200));
  console.log({ mostStarts, requests: answers(), sleepers: clock.sleepers, runs: runs('ok') });
});

const runsIn = (samples: Samples, result: string): number =>
  samples.all('proxywatch_collector_runs_total', { result }).reduce((sum, { value }) => sum + value, 0);

/** Returns the bytes in use after a garbage collection. */
const heapUsed = (): number => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
};

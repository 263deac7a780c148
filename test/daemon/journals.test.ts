// Tests what the log says about a store that fails, about checks for damage, and about a clock that jumps.

import { expect, test } from 'vitest';
import { ClockJournal, StoreJournal } from '../../src/daemon/journals.ts';
import { StoreCheck } from '../../src/daemon/store-check.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { StoreError } from '../../src/store/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const START = '2026-07-06T12:00:00Z';
const full = new StoreError('unwritable', 'the disk is full');
const damaged = new StoreError('damaged', 'the store is damaged');

test('a failing store is logged once for each kind of error, and its recovery once', () => {
  const [clock, lines] = [new FakeClock(START), [] as LogLine[]];
  const journal = new StoreJournal(clock, recordingLog(lines));
  const pass = (ms: number): void => {
    clock.advance(ms);
    journal.tick();
  };
  for (let minute = 0; minute < 10; minute += 1) {
    expect(journal.covers(full)).toBe(true);
    // Small writes succeed meanwhile, so nothing says that the store works until the errors stay away.
    journal.written();
    pass(MINUTE);
  }
  expect(journal.covers(damaged)).toBe(true);
  expect(journal.covers(new Error('a bug'))).toBe(false);
  expect(lines.map(({ level, fields }) => [level, fields.message])).toEqual([
    ['error', full.message],
    ['error', damaged.message],
  ]);
  journal.written();
  pass(2 * MINUTE);
  pass(HOUR);
  expect(lines.slice(2)).toEqual([
    {
      level: 'info',
      message: 'the store works again. proxywatch also reads the data that it missed',
      fields: { failedForMs: 10 * MINUTE },
    },
  ]);
});

test('a failing store does not work again before a write succeeds, however rare the polls are', () => {
  const [clock, lines] = [new FakeClock(START), [] as LogLine[]];
  const journal = new StoreJournal(clock, recordingLog(lines));
  for (let poll = 0; poll < 3; poll += 1) {
    journal.covers(full);
    clock.advance(5 * MINUTE);
    journal.tick();
  }
  expect(lines.map(({ level }) => level)).toEqual(['error']);
  journal.written();
  journal.tick();
  expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
});

test('the store is checked two hours after the start, then daily, and soon after a sign of damage', async () => {
  const [clock, checkedAt] = [new FakeClock(START), [] as number[]];
  let [needsCheck, failure] = [false, undefined as unknown];
  const store = {
    needsCheck: () => needsCheck,
    check: async () => {
      checkedAt.push(clock.monotonic());
      if (needsCheck) throw damaged;
    },
  };
  const isLogged = (error: unknown): boolean => {
    failure = error;
    return true;
  };
  await using check = new StoreCheck({ store, clock, log: recordingLog([]), isLogged });
  const passUntil = async (end: number): Promise<void> => {
    for (; clock.monotonic() < end; clock.advance(MINUTE)) {
      check.tick();
      await check.idle();
    }
  };
  await passUntil(2 * DAY);
  expect(checkedAt).toEqual([2 * HOUR, 26 * HOUR]);
  expect(failure).toBeUndefined();
  needsCheck = true;
  await passUntil(2 * DAY + 15 * MINUTE);
  expect(checkedAt.slice(2)).toEqual([2 * DAY, 2 * DAY + 10 * MINUTE]);
  expect(failure).toBe(damaged);
});

test('jumps of the clock and pauses of the process are logged once each', () => {
  const times = { now: Date.parse(START), monotonic: 0 };
  const clock: Clock = {
    ...new FakeClock(START),
    now: () => times.now,
    monotonic: () => times.monotonic,
  } as Clock;
  const lines: LogLine[] = [];
  const journal = new ClockJournal(clock, recordingLog(lines));
  const pass = (wallMs: number, monotonicMs: number): void => {
    times.now += wallMs;
    times.monotonic += monotonicMs;
    journal.tick();
    for (let second = 0; second < 5; second += 1) {
      times.now += SECOND;
      times.monotonic += SECOND;
      journal.tick();
    }
  };
  pass(HOUR, SECOND);
  pass(-DAY, SECOND);
  pass(5 * MINUTE, 5 * MINUTE);
  // A small step is nothing to mention.
  pass(-MINUTE / 2, SECOND);
  expect(
    lines.map(({ level, message, fields }) => [level, message.split(/[:.]/)[0], fields.seconds]),
  ).toEqual([
    ['warn', 'the system clock jumped ahead', 3_599],
    ['warn', 'the system clock was set back', -86_401],
    ['warn', 'proxywatch was paused', 300],
  ]);
  expect(lines[0]?.fields).toMatchObject({
    from: '2026-07-06T12:00:01.000Z',
    to: '2026-07-06T13:00:00.000Z',
  });
});

// Tests that the log says once that the provider answers 429: for an endpoint, and for the account if there are several.

import { expect, test } from 'vitest';
import { PauseLog } from '../../src/daemon/account-endpoints.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const setUp = () => {
  const [lines, clock] = [[] as LogLine[], new FakeClock('2026-07-06T12:00:00Z')];
  const log = new PauseLog(recordingLog(lines), clock);
  const pause = (endpoint: string, durationMs = MINUTE): void =>
    log.paused({ endpoint, durationMs, until: clock.now() + durationMs });
  /** Returns the lines since the last call, without debug lines. */
  const shown = (): string[] =>
    lines
      .splice(0)
      .filter(({ level }) => level !== 'debug')
      .map(({ level, fields }) => [level, fields.endpoint ?? 'all'].join(' '));
  return { clock, log, pause, shown };
};

test('a pause of one endpoint is logged when it begins and when it ends, and a short one is not', () => {
  const { log, pause, shown } = setUp();
  pause('asn/search', 5 * SECOND);
  log.resumed('asn/search');
  expect(shown()).toEqual([]);
  pause('asn/search');
  pause('asn/search');
  log.resumed('asn/search');
  expect(shown()).toEqual(['warn asn/search', 'info asn/search']);
});

test('pauses of many endpoints are two warnings, and one line when the last of them has ended', () => {
  const { clock, log, pause, shown } = setUp();
  for (const endpoint of ['a', 'b', 'c', 'd']) pause(endpoint);
  pause('a');
  expect(shown()).toEqual(['warn a', 'warn b']);
  log.resumed('a');
  log.resumed('b');
  expect(shown()).toEqual([]);
  // The endpoint d is not requested soon, but its pause has ended.
  clock.advance(2 * MINUTE);
  log.resumed('c');
  expect(shown()).toEqual(['info all']);
});

test('a pause that comes and goes is logged once an hour', () => {
  const { clock, log, pause, shown } = setUp();
  for (let minute = 0; minute < 120; minute += 1) {
    pause('a', 30 * SECOND);
    clock.advance(MINUTE);
    log.resumed('a');
  }
  expect(shown()).toEqual(['warn a', 'info a', 'warn a', 'info a']);
  clock.advance(HOUR);
  pause('b');
  expect(shown()).toEqual(['warn b']);
});

// Tests how long TLS sessions are kept, and which ones.

import { expect, test } from 'vitest';
import { createSessions } from '../../../src/collectors/probes/run-round.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const LIMIT = 2_000;
/** Two hours of rounds. */
const ROUNDS = 24;
const [OLD, NEW] = [Buffer.from('old'), Buffer.from('new')];

test('a full cache keeps its sessions, and takes new ones after these have expired', () => {
  const clock = new FakeClock(0);
  const sessions = createSessions(clock);
  for (let index = 0; index < LIMIT; index += 1) sessions.set(`p${index}`, OLD);
  sessions.set('another', NEW);
  expect(sessions.get('another')).toBeUndefined();
  expect(sessions.get('p0')).toBe(OLD);
  // Nobody asks for the old sessions again, because their proxies were removed.
  clock.advance(HOUR);
  for (let index = 0; index < LIMIT; index += 1) sessions.set(`q${index}`, NEW);
  sessions.set('one too many', NEW);
  expect(sessions.get(`q${LIMIT - 1}`)).toBe(NEW);
  expect(sessions.get('one too many')).toBeUndefined();
});

test.each([
  [2_000, 1],
  // The cache has room for a tenth of these.
  [20_000, 0.1],
])('of %s pairs in rounds of five minutes, nearly the share %s resumes', (pairs, share) => {
  const clock = new FakeClock(0);
  const sessions = createSessions(clock);
  let resumed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let pair = 0; pair < pairs; pair += 1) {
      if (sessions.get(`p${pair}`)) resumed += 1;
      sessions.set(`p${pair}`, NEW);
    }
    clock.advance(5 * MINUTE);
  }
  // In one of twelve rounds, the sessions are an hour old, and all handshakes are full.
  expect(resumed / (pairs * ROUNDS)).toBeCloseTo((share * 11) / 12, 10);
});

test('a new ticket of a full cache replaces only the ticket before', () => {
  const sessions = createSessions(new FakeClock(0));
  for (let index = 0; index < LIMIT; index += 1) sessions.set(`p${index}`, OLD);
  sessions.set('p7', NEW);
  expect(sessions.get('p7')).toBe(NEW);
  expect(sessions.get('p0')).toBe(OLD);
});

test('new tickets do not make the handshake of an hour ago newer', () => {
  const clock = new FakeClock(0);
  const sessions = createSessions(clock);
  sessions.set('p1', OLD);
  clock.advance(HOUR - 1);
  sessions.set('p1', NEW);
  expect(sessions.get('p1')).toBe(NEW);
  clock.advance(1);
  expect(sessions.get('p1')).toBeUndefined();
});

// Tests how long TLS sessions are kept, and which ones.

import { expect, test } from 'vitest';
import { createSessions } from '../../../src/collectors/probes/sessions.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const LIMIT = 2_000;
const [OLD, NEW] = [Buffer.from('old'), Buffer.from('new')];

test('a new session replaces the oldest of a full cache', () => {
  const sessions = createSessions(new FakeClock(0));
  for (let index = 0; index < LIMIT; index += 1) sessions.set(`p${index}`, OLD);
  sessions.set('another', NEW);
  expect(sessions.get('another')).toBe(NEW);
  expect(sessions.get('p0')).toBeUndefined();
  expect(sessions.get('p1')).toBe(OLD);
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

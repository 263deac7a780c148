// Tests that the sentence about a proxy does not contradict itself when one side passes and the other one fails.

import { expect, it } from 'vitest';
import { combineVerdicts } from '../../src/daemon/tests/combined-details.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Fault } from '../../src/store/test-store.ts';

const NOON = Date.parse('2026-07-06T12:00:00Z');
const passes = (lastTestedAt: number) =>
  ({ verdict: { verdict: 'ok', text: 'All passed.' }, lastTestedAt }) as const;
const fails = (fault: Partial<Fault>, text = 'It fails. Next: look.', lastTestedAt = NOON) => ({
  verdict: {
    verdict: 'unusable_here' as const,
    text,
    fault: { kind: 'access' as const, subject: 'p3', since: NOON - HOUR, reason: 'it fails', ...fault },
  },
  lastTestedAt,
});
const LATE = { code: 'connect_timeout' };

it.each([
  [
    'began before the tests',
    NOON - 30 * MINUTE,
    'It fails. It passes from the provider’s testers. Next: look.',
  ],
  [
    'began after the tests',
    NOON - 3 * HOUR,
    'It fails. It passed from the provider’s testers at 2026-07-06 09:00 UTC. Next: look.',
  ],
])('a fault from here that %s', (_, testedAt, text) => {
  expect(combineVerdicts(passes(testedAt), fails(LATE)).text).toBe(text);
});

it.each([
  ['are new', NOON, 'It fails. It passes from here. Next: look.'],
  ['stopped', NOON - 3 * HOUR, 'It fails. It passed from here at 2026-07-06 09:00 UTC. Next: look.'],
])('a fault from the testers while the probes %s', (_, probedAt, text) => {
  expect(combineVerdicts(fails({ kind: 'proxy' }), passes(probedAt)).text).toBe(text);
});

it.each([
  [NOON, NOON, 'It passes from here and from the provider’s testers.'],
  [
    NOON - 3 * HOUR,
    NOON,
    'It passes from here. It passed from the provider’s testers at 2026-07-06 09:00 UTC.',
  ],
  [
    NOON,
    NOON - 3 * HOUR,
    'It passed from here at 2026-07-06 09:00 UTC. It passes from the provider’s testers.',
  ],
])('passes of %d and %d', (testedAt, probedAt, text) => {
  expect(combineVerdicts(passes(testedAt), passes(probedAt)).text).toBe(text);
});

const refused = { code: 'authentication_failed', reason: 'its user name and password are refused' };

it('a password that only the testers are refused names the testers, and what to check at them', () => {
  const { text } = combineVerdicts(fails(refused), passes(NOON));
  expect(text).toMatch(
    /^The proxy p3 refuses the provider’s testers since .*It passes from here\. Next: .*`proxy_tests`/,
  );
  expect(text).not.toMatch(/cannot be used|this address/);
});

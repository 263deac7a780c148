// Tests which faults of the provider's tests newer probes end or correct.

import { expect, test } from 'vitest';
import type { AttributedFault } from '../../../src/collectors/faults/attribution.ts';
import { correctionOf } from '../../../src/collectors/probes/faults/contradicted-tests.ts';
import type { Fault } from '../../../src/store/test-store.ts';
import { evidenceOf, nameOf, type ProbedFleet } from './probe-evidence.ts';

const FAULT_AFTER = 2;
const P0 = nameOf(0);
const testFault = (kind: Fault['kind'] = 'proxy', subject = P0): Fault => ({
  ...{ kind, subject, since: 1, reason: '4 of 4 tests fail', code: 'timeout' },
});

/** What becomes of a fault that the tests found five rounds of probes ago. */
const corrected = (
  fault: Fault,
  fleet: Partial<ProbedFleet> = {},
  here: readonly AttributedFault[] = [],
): ReturnType<ReturnType<typeof correctionOf>> =>
  correctionOf(
    evidenceOf({ proxies: 2, rounds: 5, testers: () => false, testedRoundsAgo: 5, ...fleet }),
    here,
    FAULT_AFTER,
  )(fault);

/** Fails in the rounds from here on. 0 is the newest round. */
const untilRound =
  (newest: number): NonNullable<ProbedFleet['fails']> =>
  ({ round }) =>
    round >= newest ? 'connect_timeout' : null;

test.each(['proxy', 'access'] as const)('a proxy that recovers from here ends a fault of kind %s', (kind) => {
  expect(corrected(testFault(kind), { fails: untilRound(FAULT_AFTER) })).toBeNull();
});

test.each<[string, Partial<ProbedFleet>]>([
  ['passed fewer rounds than fault_after', { fails: untilRound(FAULT_AFTER - 1) }],
  // The testers see failures that the probes never saw.
  ['never failed from here', {}],
  ['passed no round after the tests', { fails: untilRound(FAULT_AFTER), testedRoundsAgo: 1 }],
  [
    'fails at one of two targets',
    { fails: (probe) => (probe.url === 'b' ? 'tls_timeout' : untilRound(2)(probe)) },
  ],
  ['is not probed', { proxies: 0 }],
])('a proxy that %s keeps its fault', (_name, fleet) => {
  const fault = testFault();
  expect(corrected(fault, fleet)).toBe(fault);
});

test('a fault of a tester stays', () => {
  const fault = testFault('tester');
  expect(corrected(fault, { fails: untilRound(FAULT_AFTER) })).toBe(fault);
});

const AT_A: Partial<ProbedFleet> = {
  fails: (probe) => (probe.url === 'a' ? untilRound(FAULT_AFTER)(probe) : null),
};

test.each([
  ['the provider', testFault('provider', ''), {}],
  ['a target', testFault('target', 'a'), AT_A],
] as const)('proxies that recover from here end a fault of %s', (_name, fault, fleet) => {
  expect(corrected(fault, { fails: untilRound(FAULT_AFTER), ...fleet })).toBeNull();
  expect(corrected(fault, { fails: untilRound(FAULT_AFTER - 1) })).toBe(fault);
  expect(corrected(fault)).toBe(fault);
});

test('a proxy that still fails does not keep the fault of a target that the others reach again', () => {
  const fails: ProbedFleet['fails'] = (probe) => (probe.proxy === 0 ? 'tls_timeout' : untilRound(2)(probe));
  expect(corrected(testFault('target', 'a'), { proxies: 6, fails })).toBeNull();
});

const here = (code: string, subject = P0): AttributedFault => ({
  kind: 'access',
  subject,
  reason: 'here',
  code,
});

test.each(['tunnel_credentials', 'tunnel_options'])(
  'probes that find %s replace the fault of the tests',
  (code) => {
    const fails = () => code;
    expect(corrected(testFault(), { fails }, [here(code)])).toEqual(here(code));
  },
);

test.each([
  ['another cause', testFault(), here('connect_timeout')],
  ['another proxy', testFault(), here('tunnel_credentials', nameOf(1))],
  ['a fault that the tests know as access', testFault('access'), here('tunnel_credentials')],
])('refused settings do not replace the fault of the tests, for %s', (_name, fault, found) => {
  expect(corrected(fault, { fails: () => 'connect_timeout' }, [found])).toBe(fault);
});

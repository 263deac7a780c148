// Tests that refused credentials and options are faults of the access, and that nothing else is.

import { expect, test } from 'vitest';
import type { AttributedFault, Attribution } from '../../../src/collectors/faults/attribution.ts';
import { attributeTests } from '../attribute-at-once.ts';
import { cellsOf, type Fleet, nameOf, type TestError } from './fleet.ts';

const NO_FAULTS: Attribution = { faults: [], inconclusive: [] };
const OPTIONS = { faultAfter: 2, since: 0 };
const P0 = nameOf(0);

const ofProxy = (errorCode: string | null): TestError => ({ errorSource: 'proxy', errorCode });

/** Of three proxies, the first one fails everywhere with this error. */
const failing = (error: TestError, more: Partial<Fleet> = {}) =>
  cellsOf({ proxies: 3, fails: ({ proxy }) => proxy === 0, error, ...more });

/** What the probes found. */
const here = (code: string): AttributedFault => ({ kind: 'access', subject: P0, reason: '', code });

test.each([
  [
    '407',
    [],
    'access',
    '407',
    /^its user name and password are refused from the provider’s testers \(4 of 4/,
  ],
  ['2061', [], 'access', '2061', /^the options in its user name are refused from the provider’s testers/],
  [
    ...(['407', [here('tunnel_credentials')], 'access', 'tunnel_credentials'] as const),
    /^its user name and password are refused everywhere, from here and from the provider’s testers/,
  ],
  [
    ...(['timeout', [here('tunnel_options')], 'access', 'tunnel_options'] as const),
    /^the options in its user name are refused from here, and it fails from the provider’s testers too/,
  ],
  ['timeout', [here('connect_refused')], 'proxy', 'timeout', /^4 of 4 tests fail, 3 rounds in a row/],
  ['timeout', [], 'proxy', 'timeout', /^4 of 4 tests fail/],
  ['407', [here('connect_refused')], 'access', '407', /refused from the provider’s testers/],
] as const)(
  'tests that fail with %s, and probes that found %j, are %s %s',
  (code, found, kind, shown, reason) => {
    const { faults } = attributeTests(failing(ofProxy(code)), NO_FAULTS, found, OPTIONS);
    expect(faults).toEqual([{ kind, subject: P0, code: shown, reason: expect.stringMatching(reason) }]);
  },
);

test('what the probes found of a proxy that passes the tests, or of another one, is no fault of the tests', () => {
  const passing = cellsOf({ proxies: 3 });
  expect(attributeTests(passing, NO_FAULTS, [here('tunnel_credentials')], OPTIONS).faults).toEqual([]);
  const ofOther = { ...here('tunnel_credentials'), subject: nameOf(1) };
  const { faults } = attributeTests(failing(ofProxy('timeout')), NO_FAULTS, [ofOther], OPTIONS);
  expect(faults.map(({ kind, subject }) => [kind, subject])).toEqual([['proxy', P0]]);
});

const REFUSED: Attribution = attributeTests(failing(ofProxy('407')), NO_FAULTS, [], OPTIONS);

test.each([
  ['the same refusal', failing(ofProxy('407')), 'access'],
  // A tester that fails first hides the answer of the proxy.
  [
    'an error that does not name the proxy',
    failing({ errorSource: 'client', errorCode: 'timeout' }),
    'access',
  ],
  ['an error of the proxy', failing(ofProxy('timeout')), 'proxy'],
  [
    'a pass after a failure',
    failing(ofProxy('407'), { fails: ({ proxy, round }) => proxy + round === 1 }),
    'access',
  ],
  ['passes for fault_after rounds', cellsOf({ proxies: 3 }), undefined],
])('after refused credentials, %s gives %s', (_name, cells, kind) => {
  const { faults } = attributeTests(cells, REFUSED, [], OPTIONS);
  expect(faults.map((fault) => fault.kind)).toEqual(kind === undefined ? [] : [kind]);
});

test('without new results, nothing changes', () => {
  const old = failing(ofProxy('timeout'), { at: () => -1 });
  expect(attributeTests(old, REFUSED, [here('tunnel_credentials')], OPTIONS)).toBe(REFUSED);
});

// Tests which failing tests of a proxy count as its own, and what explains the others.

import { expect, it } from 'vitest';
import {
  addFailingTests,
  type FailingTests,
  failingTestsLookup,
} from '../../../src/collectors/proxy-tests/failing-tests.ts';
import type { Fault, FaultKind, TestCell } from '../../../src/store/test-store.ts';

const fault = (kind: FaultKind, subject: string, scope: Partial<Fault> = {}): Fault => ({
  ...{ kind, subject, since: 0, reason: '' },
  ...scope,
});

const cell = (url: string, tester: string, isSuccessful: boolean, errorSource = 'target'): TestCell => ({
  ...{ proxy: 'fr-1', url, tester, isSuccessful, errorCode: null, responseTimeMs: null, at: 0 },
  errorSource: isSuccessful ? null : errorSource,
  ...{ results: 1, successes: 0, heldUntil: 0, history: 0, rounds: 1, sources: 0 },
});

const TESTERS = ['london', 'paris', 'singapore'];

/** The tests of two targets from three testers, of which these fail, such as `shop from paris`. */
const cells = (isFailing: (url: string, tester: string) => boolean): TestCell[] =>
  ['example', 'shop'].flatMap((url) => TESTERS.map((tester) => cell(url, tester, !isFailing(url, tester))));

const failing = (faults: readonly Fault[], tests: readonly TestCell[]): FailingTests =>
  failingTestsLookup(faults)({ id: 'fr-1', productType: 'isp' }, tests);

const SHOP_AND_SINGAPORE = cells((url, tester) => url === 'shop' || tester === 'singapore');

it('a proxy that fails because of a target and a tester has no failing tests of its own', () => {
  const faults = [fault('target', 'shop'), fault('tester', 'singapore')];
  expect(failing(faults, SHOP_AND_SINGAPORE)).toEqual({
    own: 0,
    explainedBy: [
      { kind: 'tester', subject: 'singapore', tests: 2 },
      { kind: 'target', subject: 'shop', tests: 2 },
    ],
  });
});

it('a failure that no fault explains is its own', () => {
  expect(failing([fault('target', 'shop')], SHOP_AND_SINGAPORE)).toEqual({
    own: 1,
    explainedBy: [{ kind: 'target', subject: 'shop', tests: 3 }],
  });
  expect(failing([], SHOP_AND_SINGAPORE)).toEqual({ own: 4, explainedBy: [] });
});

it('a fault of a target for another product type explains nothing', () => {
  const scope = { productTypes: ['residential'], isNamed: false };
  expect(
    failing(
      [fault('target', 'shop', { scope })],
      cells((url) => url === 'shop'),
    ).own,
  ).toBe(3);
});

it.each(['proxy', 'access'] as const)(
  'all failures of a proxy with a fault of kind %s that passes no test are its own',
  (kind) => {
    const faults = [fault(kind, 'fr-1'), fault('target', 'shop'), fault('provider', '')];
    expect(
      failing(
        faults,
        cells(() => true),
      ),
    ).toEqual({ own: 6, explainedBy: [] });
  },
);

it('an outage of the provider explains what nothing else does, and one of this machine explains its probes', () => {
  const tests = [cell('shop', 'london', false), cell('shop', 'local', false, 'here')];
  expect(failing([fault('provider', '')], tests)).toEqual({
    own: 0,
    explainedBy: [
      { kind: 'provider', subject: '', tests: 1 },
      { kind: 'tester', subject: 'local', tests: 1 },
    ],
  });
});

it('the failing tests of the provider’s testers and of the probes add up', () => {
  const shop = { kind: 'target', subject: 'shop' } as const;
  const london = { kind: 'tester', subject: 'london', tests: 2 } as const;
  expect(
    addFailingTests(
      { own: 1, explainedBy: [london, { ...shop, tests: 1 }] },
      { own: 2, explainedBy: [{ ...shop, tests: 2 }] },
    ),
  ).toEqual({ own: 3, explainedBy: [{ ...shop, tests: 3 }, london] });
});

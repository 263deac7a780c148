// Tests what lists say of the state of a tested proxy.

import { expect, it } from 'vitest';
import type { TestedProxy } from '../../src/page/answers.ts';
import { faultBadge } from '../../src/page/views/proxies.ts';

type Shown = Pick<TestedProxy, 'fault' | 'own_failing_tests' | 'explained_by'>;

/** Returns the level and the text of the state of a proxy with two targets and five testers, of which some tests fail. */
const stateOf = (failing: number, values: Partial<Shown> = {}): string => {
  const tests = Array.from({ length: 10 }, (_, index) => ({ success: index >= failing }));
  const proxy = { fault: false, own_failing_tests: 0, explained_by: [], tests, ...values };
  const [, level, text] =
    /badge (\w+)".*<\/span> (.*)<\/span>/.exec(faultBadge(proxy as never).toString()) ?? [];
  return `${level}: ${text}`;
};

const shop = { kind: 'target', subject: 'shop', tests: 5 } as const;
const singapore = { kind: 'tester', subject: 'singapore', tests: 1 } as const;
const provider = { kind: 'provider', subject: '', tests: 10 } as const;

it('a proxy that fails only because of others is OK, with the names of what explains it', () => {
  expect(stateOf(0)).toBe('good: OK');
  expect(stateOf(5, { explained_by: [shop] })).toBe('good: OK, target shop fails');
  expect(stateOf(6, { explained_by: [shop, singapore] })).toBe(
    'good: OK, target shop and tester singapore fail',
  );
  expect(stateOf(7, { explained_by: [shop, singapore, { ...singapore, subject: 'paris' }] })).toBe(
    'good: OK, target shop and 2 others fail',
  );
});

it('only failing tests of its own are counted', () => {
  expect(stateOf(6, { own_failing_tests: 1, explained_by: [shop] })).toBe('fair: 1 of 10 fail');
  expect(stateOf(6, { fault: true, own_failing_tests: 6 })).toBe('bad: Faulty');
});

it('a proxy without a passing test is not OK', () => {
  expect(stateOf(10, { explained_by: [provider] })).toBe('none: Unknown, provider fails');
});

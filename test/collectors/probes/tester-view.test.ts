// Tests what the provider's testers show about a failure from here, at the same url and at other urls.

import { expect, test } from 'vitest';
import { testerView } from '../../../src/collectors/probes/faults/tester-view.ts';
import { cellOf, INTERVAL, VANTAGE } from './probe-evidence.ts';

const provider = (url: string, ...outcomes: readonly boolean[]) =>
  outcomes.map((passes, tester) =>
    cellOf({ proxy: 'p', url, productType: 'isp' }, `tester-${tester}`, [passes ? null : 'connect_timeout']),
  );

const failure = (url: string, code: string) =>
  cellOf({ proxy: 'p', url, productType: 'isp' }, VANTAGE, [code]);

test('a proxy that passes at another url works, even if most tests fail at a third one', () => {
  const tests = [...provider('example', true, true, false), ...provider('shop', false, false, false)];
  expect(testerView(tests, INTERVAL).ofCell(failure('check', 'tunnel_credentials'))).toBe('passes');
});

test('a proxy that fails at every other url fails', () => {
  const tests = [...provider('example', true, false, false), ...provider('shop', false, false, false)];
  expect(testerView(tests, INTERVAL).ofCell(failure('check', 'tunnel_credentials'))).toBe('fails');
});

test('the results at the same url decide before those at others', () => {
  const tests = [...provider('check', false, false), ...provider('shop', true, true)];
  expect(testerView(tests, INTERVAL).ofCell(failure('check', 'tunnel_credentials'))).toBe('fails');
});

test('a refusal by the target says nothing about other targets', () => {
  const tests = provider('shop', true, true);
  expect(testerView(tests, INTERVAL).ofCell(failure('check', 'tunnel_target_refused'))).toBe('unknown');
});

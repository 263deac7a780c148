// Tests what the provider's testers show about a failure from here, at the same url and at other urls.

import { expect, test } from 'vitest';
import type { EvidenceCell, ProbeEvidence } from '../../../src/collectors/probes/evidence.ts';
import { testerView } from '../../../src/collectors/probes/faults/tester-view.ts';
import { cellOf, INTERVAL, NOW, VANTAGE } from './probe-evidence.ts';

/** By default, the tests are of the same time as the failure, and each tester tests every two intervals of the probes. */
const viewOf = (
  providerTests: readonly EvidenceCell[],
  failure: EvidenceCell,
  {
    roundsAgo = 0,
    testFaults = [],
    before,
  }: {
    roundsAgo?: number;
    testFaults?: ProbeEvidence['testFaults'];
    before?: { since: number; code: string };
  } = {},
) => {
  const at = NOW - roundsAgo * INTERVAL;
  return testerView(
    {
      ...{ intervalMs: INTERVAL, testIntervalMs: 2 * INTERVAL, now: NOW, testFaults },
      providerTests: providerTests.map((cell) => ({ ...cell, at })),
    },
    2,
    () => before,
  ).ofCells([failure]);
};

const provider = (url: string, ...outcomes: readonly boolean[]) =>
  outcomes.map((passes, tester) =>
    cellOf({ proxy: 'p', url, productType: 'isp' }, `tester-${tester}`, [passes ? null : 'connect_timeout']),
  );

/** It has failed for two rounds. */
const failure = (url: string, code: string) =>
  cellOf({ proxy: 'p', url, productType: 'isp' }, VANTAGE, [code, code, null]);

test('a proxy that passes at another url works, even if most tests fail at a third one', () => {
  const tests = [...provider('example', true, true, false), ...provider('shop', false, false, false)];
  expect(viewOf(tests, failure('check', 'connect_timeout'))).toBe('passes');
});

test('a proxy that fails everywhere fails', () => {
  const tests = [...provider('example', false, false), ...provider('shop', false, false)];
  expect(viewOf(tests, failure('check', 'connect_timeout'))).toBe('fails');
});

test('a proxy that passes a single test is not shown to be the cause', () => {
  const tests = [...provider('example', true, false, false), ...provider('shop', false, false, false)];
  expect(viewOf(tests, failure('check', 'connect_timeout'))).toBe('untold');
});

test('failures that a fault of the target explains show nothing', () => {
  const tests = [...provider('check', true, true), ...provider('shop', false, false)];
  const testFaults = [{ kind: 'target', subject: 'shop' }] as const;
  expect(viewOf(tests, failure('shop', 'connect_timeout'), { testFaults })).toBe('passes');
});

test('a refusal by the target says nothing about other targets', () => {
  expect(viewOf(provider('shop', true, true), failure('check', 'tunnel_target_refused'))).toBe('untold');
});

test.each([
  [1, 'passes'],
  [2, 'passed'],
  [4, 'passed'],
  [5, 'untold'],
] as const)('a pass %i rounds ago, where failures began a round ago', (roundsAgo, view) => {
  expect(viewOf(provider('check', true, true), failure('check', 'connect_timeout'), { roundsAgo })).toBe(
    view,
  );
});

test.each([
  ['nothing', undefined, 'passed'],
  ['another refusal', 'tunnel_policy', 'passed'],
  ['the same answer', 'tunnel_provider', 'passes'],
])('an answer of the provider, where the fault of the round before was %s', (_, code, view) => {
  const before = code ? { before: { since: NOW - INTERVAL, code } } : {};
  const tests = provider('check', true, true);
  expect(viewOf(tests, failure('check', 'tunnel_provider'), { roundsAgo: 1, ...before })).toBe(view);
});

test.each([
  [2, 'fails'],
  [3, 'untold'],
] as const)('failures %i rounds ago, where the proxy passed from here two rounds ago', (roundsAgo, view) => {
  const tests = [...provider('check', false, false), ...provider('shop', false, false)];
  expect(viewOf(tests, failure('check', 'connect_timeout'), { roundsAgo })).toBe(view);
});

test('a proxy without results is unknown', () => {
  expect(viewOf([], failure('check', 'connect_timeout'))).toBe('unknown');
});

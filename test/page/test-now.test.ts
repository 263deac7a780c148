// Tests how the page shows what tests now would cost, how far they are, and their results.

import { expect, it } from 'vitest';
import type { PlannedTests, RequestedTests } from '../../src/page/answers.ts';
import { plansView, progressView, resultTable } from '../../src/page/views/test-now.ts';

const textOf = (markup: { toString(): string } | null): string =>
  String(markup)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' .', '.')
    .trim();

const plan = (part: Partial<PlannedTests> = {}): PlannedTests => ({
  ...{ collector: 'proxy_tests', proxies: 1, left_out: null, tests: 8, refusal: null },
  price: { unit: 'runs', amount: 1, left_before: 4_487, left_after: 4_486 },
  ...part,
});

const requested = (part: Partial<RequestedTests> = {}): RequestedTests => ({
  ...{ kind: 'proxy', id: 'fr-1', requested_at: '2026-03-01T12:00:00Z' },
  ...{ started_at: '2026-03-01T12:00:00Z', finished_at: null, done: 3, total: 8, errors: [] },
  results: [],
  ...part,
});

const finished = (part: Partial<RequestedTests>): RequestedTests =>
  requested({ finished_at: '2026-03-01T12:00:04Z', done: 8, ...part });

type Result = RequestedTests['results'][number];

const resultOf = (part: Partial<Result> = {}): Result => ({
  ...{ collector: 'proxy_tests', proxy_id: 'fr-1', url: 'shop', tester_server: 'london' },
  ...{ success: true, error: null },
  ...part,
});

const NOW = Date.parse('2026-03-01T12:00:05Z');
const progressOf = (test: RequestedTests): string => textOf(progressView(test, '2026-03-01T12:04:05Z', NOW));

it.each<[string, Partial<PlannedTests>, string]>([
  [
    'test runs',
    {},
    '8 tests by the provider’s testers, through 1 proxy. Price: 1 test run. Of the budget, 4,487 are left, and 4,486 afterwards.',
  ],
  [
    'bytes',
    {
      ...{ collector: 'probes', proxies: 20 },
      price: { unit: 'bytes', amount: 39_800, left_before: 524e6, left_after: 523.96e6 },
    },
    '8 tests from the machine of proxywatch, through 20 proxies. Price: about 39.8 kB of residential and mobile proxies. Of the budget, 524 MB are left, and 524 MB afterwards.',
  ],
  [
    'nothing',
    { collector: 'probes', price: null, tests: 2 },
    '2 tests from the machine of proxywatch, through 1 proxy. They cost nothing.',
  ],
  [
    'what nobody knows yet',
    { tests: null, price: { unit: 'runs', amount: 2, left_before: 3, left_after: 1 } },
    'Tests by the provider’s testers, through 1 proxy. Price: 2 test runs. Of the budget, 3 are left, and 1 afterwards.',
  ],
  [
    'too much',
    { refusal: 'max_runs_per_day allows no test now: 0 of 1 are left' },
    '– Not now Tests by the provider’s testers: max_runs_per_day allows no test now: 0 of 1 are left.',
  ],
])('a test costs %s', (_, part, text) => {
  expect(textOf(plansView([plan(part)], 'proxy'))).toBe(text);
});

it('a target and a tester say why all targets and testers are part of the test', () => {
  expect(textOf(plansView([plan()], 'target'))).toContain('because the comparison shows what is at fault');
});

it('says how many proxies the budget leaves out', () => {
  const left_out = '2 of 5 proxies are left out: no more';
  expect(textOf(plansView([plan({ left_out })], 'proxy'))).toMatch(/2 of 5 proxies are left out: no more\.$/);
});

it('shows the wait and the progress', () => {
  expect(progressOf(requested({ started_at: null }))).toBe(
    'Waits for the end of the round that is in progress.',
  );
  expect(progressOf(requested())).toBe('3 of 8 tests');
});

it('shows how many tests of the subject passed, and that the schedule decides about faults', () => {
  const results = [resultOf(), resultOf({ success: false }), resultOf({ url: 'check' })];
  const schedule = 'proxywatch decides about faults in the rounds of its schedule. The next one is in 4 min.';
  expect(progressOf(finished({ kind: 'target', id: 'shop', results }))).toMatch(
    new RegExp(`^1 of 2 tests of the target passed\\. Ended at .*\\. ${schedule}$`),
  );
  expect(progressOf(finished({ results: [resultOf()] }))).toMatch(/^All 1 test of the proxy passed\./);
});

it('shows each proxy and target, those that fail first, with the errors and where they were seen', () => {
  const error = '<proxy>: refused';
  const results = [
    ...['a', 'b', 'c', 'd'].map((tester_server) => resultOf({ proxy_id: 'fr-2', tester_server })),
    resultOf(),
    resultOf({ tester_server: 'paris', success: false, error }),
    resultOf({ collector: 'probes', tester_server: 'local', success: false, error }),
    resultOf({ tester_server: 'tokyo', success: false }),
  ];
  expect(textOf(resultTable('main', finished({ results })))).toMatch(
    / fr-1 shop ✕ Failed &lt;proxy&gt;: refused, from here, paris ✕ Failed no reason given, from tokyo ✓ Passed from london fr-2 shop ✓ Passed from 4 testers$/,
  );
  expect(resultTable('main', finished({ results: [] }))).toBeNull();
});

it('says why tests have no result', () => {
  expect(progressOf(finished({ errors: ['the provider did not answer'] }))).toMatch(
    /^No test has a result\. Ended at .*✕ the provider did not answer proxywatch decides/,
  );
});

// Tests that the page of a proxy shows what fails from here beside what the provider's testers see.

import { describe, expect, it } from 'vitest';
import type { AttributedUptime, Failure, FromHere, TestCell } from '../../src/page/answers.ts';
import { html } from '../../src/page/html.ts';
import { failureTable } from '../../src/page/views/failures.ts';
import { resultsView, testersCounted, uptimeFromHere, uptimeTable } from '../../src/page/views/verdict.ts';

const AT = '2026-03-01T12:00:00.000Z';
const NOW = Date.parse(AT);
const REQUEST_ID = '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11';

const cell = (tester_server: string, success: boolean): TestCell => ({
  ...{ url: 'shop', tester_server, success, error_source: null, error_code: null, at: AT },
  ...{ response_time_seconds: success ? 0.2 : null, results: 3, successes: success ? 3 : 0 },
  last_outcomes: [success, success, success],
});

const day: AttributedUptime = {
  ...{ results: 3, successes: 0, ratio: 0, mean_response_time_seconds: null },
  ...{ own_failures: 0, other_failures: 3, unattributed_failures: 0, own_ratio: 1 },
};

const details = {
  ...{ phase: 'tunnel', cause: 'credentials', message: 'the proxy refuses <the> credentials' },
  ...{ proxy_status: 407, provider_code: '2010', request_id: REQUEST_ID },
};

const fromHere: FromHere = {
  ...{ tester_server: 'local', last_tested_at: AT, failing_rounds: 3 },
  ...{ verdict: 'unusable_here', verdict_text: 'The proxy fr-1 is unusable from here.' },
  uptime: { '24h': day, '7d': day, '30d': day, '90d': day },
  last_failures: [{ url: 'shop', at: AT, ...details }],
  exit: { expected: '192.0.2.1', seen: '203.0.113.99', mismatch: true, since: AT, at: AT },
};

const viewOf = (cells: readonly TestCell[], here: FromHere | null): string =>
  html`${resultsView('main', cells, here, NOW)}`.toString();

describe('the results of a proxy', () => {
  const cells = [cell('local', false), cell('london', true)];

  it('are two maps, each with its own testers, if the proxy is probed', () => {
    const [, here = '', testers = ''] = viewOf(cells, fromHere).split('<h3>');
    expect(here).toContain('From here');
    expect(here).toContain('id=local');
    expect(here).not.toContain('id=london');
    expect(testers).toContain('From the provider’s testers');
    expect(testers).toContain('id=london');
    expect(testers).not.toContain('id=local');
  });

  it('have the verdict from here and the request id to quote, and no markup of the answer', () => {
    const view = viewOf(cells, fromHere);
    for (const text of ['unusable from here.', REQUEST_ID, '2010', 'tunnel', '407'])
      expect(view).toContain(text);
    expect(view).not.toContain('<the>');
  });

  it('say visibly what a table shows, and show what failed instead of whose error it was', () => {
    const failing = { ...cell('local', false), error_source: 'client', error_code: 'tunnel_credentials' };
    const view = viewOf([failing, cell('london', true)], fromHere);
    expect(view).toContain('<p class="note">Last failed probe at each target.');
    expect(view).toContain('</span> tunnel_credentials');
    expect(view).not.toContain('</span> client');
    expect(view).toMatch(/<span title="credentials">the proxy refuses &lt;the&gt; credentials/);
  });

  it('show the exit that targets saw, and the one that was expected only if it differs', () => {
    expect(viewOf(cells, fromHere)).toContain('203.0.113.99 instead of 192.0.2.1');
    const right = { expected: '192.0.2.1', seen: '192.0.2.1', mismatch: false, since: AT, at: AT };
    expect(viewOf(cells, { ...fromHere, exit: right })).toContain('192.0.2.1, as expected');
    expect(viewOf(cells, { ...fromHere, exit: null })).not.toContain('Exit');
  });

  it('say what is missing before the first result of either side', () => {
    const none = 'proxywatch has no test results of this proxy.';
    expect(viewOf([cell('local', true)], fromHere).split(none)).toHaveLength(2);
    expect(viewOf([], fromHere).split(none)).toHaveLength(3);
  });

  it('are one map if the proxy is not probed', () => {
    const view = viewOf([cell('london', true)], null);
    expect(view).toContain('id=london');
    expect(view).not.toContain('From here');
  });
});

it('the page of a proxy says whose tests its uptime counts, if both sides test it', () => {
  const tests = [cell('local', false), cell('london', true)];
  expect(testersCounted(tests, fromHere)).toBe('the provider’s testers');
  expect(testersCounted([cell('local', false)], fromHere)).toBe('the machine of proxywatch');
  expect(testersCounted([cell('london', true)], null)).toBeNull();
});

it('a failed probe in a list has the request id, and a failed test has none', () => {
  const failure: Failure = {
    ...{ account: 'main', at: AT, proxy_id: 'fr-1', url: 'shop', tester_server: 'local' },
    ...{ error_source: null, error_code: 'tls_reset', probe: details },
  };
  const probed = failureTable([failure], 'proxy').toString();
  expect(probed).toContain(`tls_reset (request id ${REQUEST_ID})`);
  expect(failureTable([{ ...failure, probe: null }], 'proxy').toString()).not.toContain('request id');
});

it('the uptime has no row of a period for which there are no more tests', () => {
  const periodsOf = (results: readonly number[]): string[] => {
    const [first = day, second = day, third = day, last = day] = results.map((each) => ({
      ...day,
      results: each,
    }));
    const shown = uptimeTable({ '24h': first, '7d': second, '30d': third, '90d': last }, 'proxy').toString();
    return [...shown.matchAll(/<div>([^<]+)<\/div><\/th>/g)].map(([, period = '']) => period);
  };
  const all = 'Since the first test, at most 90 days';
  expect(periodsOf([3, 3, 3, 3])).toEqual(['24 hours']);
  expect(periodsOf([3, 9, 9, 20])).toEqual(['24 hours', '7 days', all]);
  // On the third day, there are no 7 days yet, and on the tenth no 30 days.
  expect(periodsOf([3, 9, 9, 9])).toEqual(['24 hours', all]);
  expect(periodsOf([3, 9, 12, 12])).toEqual(['24 hours', '7 days', all]);
  expect(periodsOf([3, 9, 12, 15])).toEqual(['24 hours', '7 days', '30 days', all]);
  expect(periodsOf([0, 0, 0, 0])).toEqual(['24 hours']);
});

it('the page of a proxy has one verdict and one table of uptime, with rows from here', () => {
  const view = viewOf([cell('local', false), cell('london', true)], fromHere);
  expect(view).not.toMatch(
    /class="badge bad"><span aria-hidden="true">✕<\/span> Unusable|Uptime of the proxy/,
  );
  const same = resultsView('main', [], fromHere, NOW, fromHere.verdict_text);
  expect(same.toString()).not.toContain(fromHere.verdict_text);
  const both = uptimeFromHere([cell('local', false), cell('london', true)], fromHere);
  const shown = uptimeTable({ '24h': day, '7d': day, '30d': day, '90d': day }, 'proxy', both).toString();
  expect(shown.match(/24 hours[^<]*/g)).toEqual(['24 hours', '24 hours, from here']);
  // Without the provider's testers, both are the same.
  expect(uptimeFromHere([cell('local', false)], fromHere)).toBeNull();
});

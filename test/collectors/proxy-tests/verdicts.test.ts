// Tests which fault explains a failure, and the verdicts about proxies, targets and testers.

import { describe, expect, it } from 'vitest';
import { causeLookup } from '../../../src/collectors/faults/failure-causes.ts';
import { verdictOfProxy, verdictOfSubject } from '../../../src/collectors/proxy-tests/verdicts.ts';
import { DAY } from '../../../src/lib/time.ts';
import type { Fault, TestCell } from '../../../src/store/test-store.ts';
import { START } from '../../store/support.ts';
import { changedCauses } from '../attribute-at-once.ts';

const FAILURE = {
  ...{ proxy: 'fr-1', productType: 'isp', url: 'shop', tester: 'london', isProxyDead: false },
};

const fault = (kind: Fault['kind'], subject: string, part: Partial<Fault> = {}): Fault => ({
  ...{ kind, subject, since: START, reason: `the ${kind} fails`, ...part },
});

const TYPED = fault('target', 'shop', { scope: { productTypes: ['isp'], isNamed: false } });
const NAMED = fault('target', 'shop', { scope: { productTypes: [], isNamed: true } });

describe('a failure', () => {
  it.each([
    ['nothing', [], null],
    ['a fault of its proxy', [fault('proxy', 'fr-1')], 'proxy'],
    ['no fault of another proxy, target or tester', [fault('proxy', 'fr-2'), fault('target', 'x')], null],
    ['its target before its proxy', [fault('proxy', 'fr-1'), fault('target', 'shop')], 'target'],
    ['its tester before its target', [fault('tester', 'london'), fault('target', 'shop')], 'tester'],
    ['the provider if nothing else', [fault('provider', '')], 'provider'],
    ['its proxy before the provider', [fault('provider', ''), fault('proxy', 'fr-1')], 'proxy'],
    ['the access to its proxy', [fault('access', 'fr-1')], 'access'],
    ['its target before the access', [fault('access', 'fr-1'), fault('target', 'shop')], 'target'],
    ['a target that blocks its type', [TYPED], 'target'],
    ['a target that results name', [NAMED], 'target'],
    [
      'its proxy if results name the target, and the proxy is at fault',
      [NAMED, fault('proxy', 'fr-1')],
      'proxy',
    ],
  ] as const)('is explained by %s', (_, faults, cause) => {
    expect(causeLookup(faults)(FAILURE)).toBe(cause);
  });

  it('of a proxy that is at fault and passes no test is its own, whatever else is at fault', () => {
    const others = [fault('tester', 'london'), fault('target', 'shop')];
    const dead = { ...FAILURE, isProxyDead: true };
    expect(causeLookup([...others, fault('proxy', 'fr-1')])(dead)).toBe('proxy');
    expect(causeLookup(others)(dead)).toBe('tester');
    expect(causeLookup([...others, fault('access', 'fr-1')])(dead)).toBe('access');
  });

  it('is not explained by a target that blocks another type', () => {
    expect(causeLookup([TYPED])({ ...FAILURE, productType: 'residential' })).toBeNull();
  });
});

const cell = (part: Partial<TestCell> = {}) => ({
  ...{ proxy: 'fr-1', url: 'shop', tester: 'london', protocol: 'http', productType: 'isp' },
  ...{ isSuccessful: false, errorSource: null, errorCode: null, responseTimeMs: null, at: START },
  ...{ results: 1, successes: 0, heldUntil: 0, history: 1, rounds: 1, sources: 0, ...part },
});

it('only failures of the round that another fault explains now are corrected', () => {
  const [none, blocked] = [causeLookup([]), causeLookup([fault('target', 'shop')])];
  const cells = [cell(), cell({ at: START - 1 }), cell({ history: 2, rounds: 2 }), cell({ url: 'other' })];
  expect(changedCauses(cells, START, none, blocked)).toEqual([
    { proxy: 'fr-1', url: 'shop', tester: 'london', at: START, before: null, after: 'target' },
  ]);
  expect(changedCauses(cells, START, blocked, blocked)).toEqual([]);
});

describe('the verdict about a proxy', () => {
  const verdict = (tests: readonly TestCell[], faults: readonly Fault[] = [], inconclusive = false) =>
    verdictOfProxy(
      { id: 'fr-1', productType: 'isp', tests },
      { faults, inconclusive: inconclusive ? [{ url: 'shop', proxies: 3, reason: 'one tester' }] : [] },
      { daySince: START, faultAfter: 2 },
    );
  const success = cell({ isSuccessful: true, history: 0, tester: 'paris' });

  it('is untested before the first result', () => {
    expect(verdict([])).toEqual({ verdict: 'untested', text: 'No test of this proxy has a result yet.' });
  });

  it('is ok if all tests of the newest round succeeded', () => {
    const old = cell({ at: START - 1 });
    expect(verdict([success, old])).toEqual({
      verdict: 'ok',
      text: 'The only test of the newest round (2026-03-01 12:00 UTC) succeeded.',
    });
    expect(verdict([success, cell({ isSuccessful: true }), old])).toEqual({
      verdict: 'ok',
      text: 'All 2 tests of the newest round (2026-03-01 12:00 UTC) succeeded.',
    });
  });

  it('is untested without a result of the last 24 hours, unless the proxy itself is at fault', () => {
    const old = [cell({ at: START - 1 }), cell({ at: START - DAY, tester: 'oslo' })];
    for (const tests of [old, old.map((test) => ({ ...test, isSuccessful: true }))])
      expect(verdict(tests, [fault('target', 'shop'), fault('provider', '')])).toEqual({
        verdict: 'untested',
        text: 'No test of this proxy has a result of the last 24 hours; the newest result is of 2026-03-01 11:59 UTC.',
      });
    expect(verdict(old, [fault('proxy', 'fr-1')])).toMatchObject({ verdict: 'proxy_at_fault' });
  });

  it('asks for another round only as long as a fault can need one', () => {
    expect(verdict([cell()]).text).toMatch(/a fault takes 2 failing rounds in a row\. Next: look again/);
    expect(verdict([cell({ history: 0b111, rounds: 3 })]).text).toBe(
      'The only test fails, 3 rounds in a row, and nothing shows the cause. Next: run `proxywatch probe` with the proxy, the target shop and --control to see which step fails.',
    );
  });

  it('names its own fault', () => {
    expect(verdict([cell()], [fault('proxy', 'fr-1'), fault('target', 'shop')])).toEqual({
      verdict: 'proxy_at_fault',
      text: 'The proxy fr-1 is at fault since 2026-03-01 12:00 UTC: the proxy fails. Next: if it lasts, ask the provider to replace the proxy.',
      fault: fault('proxy', 'fr-1'),
    });
  });

  it('says that the proxy is unusable from here, unless the proxy itself is at fault', () => {
    const access = fault('access', 'fr-1');
    expect(verdict([cell()], [access])).toEqual({
      verdict: 'unusable_here',
      text: 'The proxy fr-1 is unusable from here since 2026-03-01 12:00 UTC: the access fails. Next: run `proxywatch probe` with the proxy to see which step fails.',
      fault: access,
    });
    expect(verdict([cell()], [access, fault('proxy', 'fr-1')])).toMatchObject({ verdict: 'proxy_at_fault' });
    expect(verdict([cell()], [fault('access', 'fr-2')])).toMatchObject({ verdict: 'unattributed' });
  });

  it('names the fault that explains the most of its failures, if faults explain at least half of them', () => {
    const tests = [cell(), success, cell({ tester: 'oslo' }), cell({ url: 'news', tester: 'rome' })];
    expect(verdict(tests, [fault('target', 'shop'), fault('tester', 'rome')])).toEqual({
      verdict: 'target_at_fault',
      text: '3 of 4 tests fail, 2 of them because the target shop is at fault: the target fails. Next: open the target without a proxy; if it works there, use other proxies for it.',
    });
    expect(verdict([cell(), success], [fault('target', 'shop')])).toEqual({
      verdict: 'target_at_fault',
      text: '1 of 2 tests fails because the target shop is at fault: the target fails. Next: open the target without a proxy; if it works there, use other proxies for it.',
    });
    expect(verdict(tests, [fault('tester', 'rome')])).toMatchObject({ verdict: 'unattributed' });
    const others = [fault('tester', 'rome'), fault('tester', 'paris')];
    const more = [
      ...tests.filter((test) => test !== success),
      cell({ tester: 'paris' }),
      cell({ url: 'mail' }),
    ];
    expect(verdict(more, others)).toMatchObject({ verdict: 'unattributed' });
    expect(verdict(more, [...others, fault('target', 'mail')])).toMatchObject({ verdict: 'tester_at_fault' });
    expect(verdict(tests, [fault('provider', '')])).toMatchObject({ verdict: 'provider_at_fault' });
  });

  it('is inconclusive only if no fault explains the failures', () => {
    expect(verdict([cell()], [], true)).toEqual({
      verdict: 'inconclusive',
      text: 'The only test fails for an unknown cause: one tester.',
    });
    expect(verdict([cell()], [fault('tester', 'london')], true)).toMatchObject({
      verdict: 'tester_at_fault',
    });
  });
});

describe('the verdict about a target', () => {
  const verdict = (results: number, successes: number, own: number | null, other: number | null) => {
    const day = { results, successes, sumMs: 0, ownFailures: own, otherFailures: other };
    const uptime = { '24h': day, '7d': day, '30d': day, '90d': day };
    return verdictOfSubject('target', { id: 'shop', uptime }, { faults: [], inconclusive: [] });
  };

  it.each([
    [[0, 0, 0, 0], 'untested', 'No test of this target has a result of the last 24 hours.'],
    [[1, 1, 0, 0], 'ok', 'The only test of the last 24 hours succeeded.'],
    [[9, 9, 0, 0], 'ok', 'All 9 tests of the last 24 hours succeeded.'],
    [
      [9, 4, 2, 3],
      'ok',
      '5 of 9 tests of the last 24 hours failed: 2 by its own fault, 3 by the fault of others, and 0 without a known fault.',
    ],
    [
      [8, 6, 0, 0],
      'unattributed',
      '2 of 8 tests of the last 24 hours failed: 0 by its own fault, 0 by the fault of others, and 2 without a known fault.',
    ],
    [
      [8, 6, null, null],
      'unattributed',
      '2 of 8 tests of the last 24 hours failed: it is unknown what is at fault for some of them.',
    ],
  ] as const)('after %j is %s', ([results, successes, own, other], word, text) => {
    expect(verdict(results, successes, own, other)).toEqual({ verdict: word, text });
  });
});

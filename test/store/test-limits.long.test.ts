// Tests that the store of proxy tests stays bounded, whatever names the provider invents and however proxies change.

import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import type { ProxyTestResult } from '../../src/store/test-history-store.ts';
import { START, TestStore } from './support.ts';

const RETENTION_MS = 95 * DAY;

const failure = (proxy: string, tester: string, values: Partial<ProxyTestResult> = {}): ProxyTestResult => ({
  proxy,
  url: 'shop',
  tester,
  isSuccessful: false,
  errorSource: 'target',
  errorCode: 'dns_error',
  responseTimeMs: null,
  ...values,
});

const success = (proxy: string, tester: string, values: Partial<ProxyTestResult> = {}): ProxyTestResult =>
  failure(proxy, tester, {
    isSuccessful: true,
    errorSource: null,
    errorCode: null,
    responseTimeMs: 9,
    ...values,
  });

const save = (test: TestStore, results: readonly ProxyTestResult[], now: number) =>
  test.store.tests.saveBatch('main', {
    results,
    proxies: [...new Set(results.map(({ proxy }) => proxy))],
    now,
  });

/** Prunes in slices until nothing is left. Returns how many subjects were pruned. */
const prune = async (test: TestStore, now: number, kept: readonly string[] = [], limit = 3) => {
  const retention = { before: now - RETENTION_MS, kept: new Set(kept) };
  let pruned = 0;
  for (let slice = -1; slice !== 0; pruned += slice) {
    slice = await test.store.tests.prune('main', retention, limit);
    expect(slice).toBeLessThanOrEqual(limit);
  }
  return pruned;
};

const TABLES = ['subject', 'test_cells', 'tested_proxy', 'test_failure', 'test_error', 'url_tester'];

const rowsIn = (test: TestStore): Record<string, number> => {
  const sql = new SQLite(test.path, { readonly: true });
  const counts = TABLES.map((table) => [table, sql.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]);
  sql.close();
  return Object.fromEntries(counts);
};

/** Returns all counters by their labels. */
const countersIn = async ({ store: { tests } }: TestStore, proxies: readonly string[]) => {
  const counters = new Map<string, number>();
  for (const { proxy, url, tester, results } of await tests.cells('main', proxies)) {
    counters.set(`total ${proxy}`, (counters.get(`total ${proxy}`) ?? 0) + results);
    if (url !== '') counters.set(`results ${proxy} ${url} ${tester}`, results);
  }
  for (const { proxy, errorSource, count } of await tests.failures('main'))
    counters.set(`failures ${proxy} ${errorSource}`, count);
  for (const { url, tester, errorSource, errorCode, count } of await tests.errors('main'))
    counters.set(`errors ${url} ${tester} ${errorSource} ${errorCode}`, count);
  for (const { url, tester, count } of await tests.responseTimes('main'))
    counters.set(`times ${url} ${tester}`, count);
  return counters;
};

describe('a subject that is no longer tested', () => {
  it('is pruned, so that rotating proxies and invented testers and codes do not fill the disk', async () => {
    using test = new TestStore();
    const sizes = [];
    for (let day = 0; day < 200; day += 1) {
      const [now, name] = [START + day * DAY, `of-day-${day}`];
      const invented = failure(name, name, { errorCode: name, errorSource: name });
      await save(
        test,
        [success('fr-1', 'london'), failure('fr-1', 'london'), success(name, 'london'), invented],
        now,
      );
      await prune(test, now);
      if (day % 40 === 0) sizes.push(rowsIn(test));
    }
    expect(sizes[4]).toEqual(sizes[3]);
  });

  it('is kept while it is configured, a source has it, or it was tested within the retention', async () => {
    using test = new TestStore();
    const proxies = ['configured', 'found', 'recent', 'unused'];
    await save(
      test,
      proxies.map((proxy) => success(proxy, 'named')),
      START,
    );
    await save(test, [success('recent', 'named', { url: 'old' })], START);
    await save(test, [success('recent', 'london', { url: 'new' })], START + DAY);
    const facts = {
      name: '',
      providerId: null,
      productType: '',
      protocol: 'http',
      host: '',
      port: 1,
      username: '',
    };
    await test.store.sourceProxies.save(
      'main',
      'search',
      [{ id: 'found', facts: null, ...facts }],
      [],
      START,
    );
    const now = START + DAY + RETENTION_MS;
    await save(test, [success('other', 'london', { url: 'new' })], now);
    expect(await prune(test, now, ['configured', 'named', 'shop'])).toBe(2);
    expect((await test.store.tests.proxies('main')).map(({ proxy }) => proxy)).toEqual([
      'configured',
      'found',
      'other',
      'recent',
    ]);
    const cells = (await test.store.tests.cells('main', proxies)).filter(({ url }) => url !== '');
    expect(cells.map(({ proxy, url, tester }) => [proxy, url, tester])).toEqual([
      ['configured', 'shop', 'named'],
      ['found', 'shop', 'named'],
      ['recent', 'new', 'london'],
      ['recent', 'shop', 'named'],
    ]);
  });

  it('is not pruned while nothing is tested, nor before its uptimes expire', async () => {
    using test = new TestStore();
    await save(test, [success('fr-1', 'london'), success('fr-2', 'london')], START);
    expect(await prune(test, START + 900 * DAY)).toBe(0);
    await save(test, [success('fr-2', 'london')], START + 90 * DAY);
    expect(await prune(test, START + 900 * DAY)).toBe(0);
    await save(test, [success('fr-2', 'london')], START + 90 * DAY + 1);
    expect(await prune(test, START + 900 * DAY)).toBe(1);
  });

  it('starts from 0 when it returns, and its counts are not mixed with those of another name', async () => {
    using test = new TestStore();
    await save(test, [failure('fr-1', 'london'), failure('fr-2', 'paris')], START);
    const later = START + 100 * DAY;
    await save(test, [success('fr-2', 'london')], later);
    expect(await prune(test, later)).toBe(2);
    expect((await test.store.tests.errors('main')).map(({ tester }) => tester)).toEqual(['london']);
    const cells = async (...proxies: string[]) =>
      (await test.store.tests.cells('main', proxies)).map(({ tester, results }) => [tester, results]);
    expect(await cells('fr-1', 'fr-2')).toEqual([
      ['', 1],
      ['london', 1],
    ]);
    await save(test, [success('fr-2', 'oslo')], later);
    expect(await cells('fr-1', 'fr-2')).toEqual([
      ['', 1],
      ['london', 1],
      ['oslo', 1],
    ]);
    await save(test, [failure('fr-1', 'paris'), failure('fr-2', 'paris')], later);
    expect(await cells('fr-1', 'fr-2')).toEqual([
      ['paris', 1],
      ['', 1],
      ['london', 1],
      ['oslo', 1],
      ['paris', 1],
    ]);
    expect((await test.store.tests.errors('main')).map(({ count }) => count)).toEqual([1, 2]);
  });

  it('is pruned for one account only: the same name in another account stays', async () => {
    using test = new TestStore();
    const old = [success('fr-1', 'london')];
    await save(test, old, START);
    await test.store.tests.saveBatch('second', { results: old, proxies: ['fr-1'], now: START });
    await save(test, [success('fr-2', 'paris', { url: 'new' })], START + 100 * DAY);
    expect(await prune(test, START + 100 * DAY)).toBe(2);
    expect(await test.store.tests.cells('second', ['fr-1'])).toMatchObject([
      { url: 'shop', tester: 'london' },
    ]);
    expect(await test.store.tests.cells('main', ['fr-1'])).toEqual([]);
  });

  it('takes nothing from the counters of subjects that are still tested or configured', async () => {
    const [proxies, urls, testers] = [
      ['a', 'b', 'c'],
      ['shop', 'b'],
      ['london', 'paris', 'c'],
    ];
    const outcome = fc.record({
      proxy: fc.constantFrom(...proxies),
      url: fc.constantFrom(...urls),
      tester: fc.constantFrom(...testers),
      isSuccessful: fc.boolean(),
    });
    const step = fc.record({
      results: fc.array(outcome, { minLength: 1, maxLength: 6 }),
      days: fc.integer({ min: 0, max: 50 }),
      kept: fc.subarray([...new Set([...proxies, ...urls, ...testers])]),
      restarts: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 9 }), async (steps) => {
        using test = new TestStore();
        const testedAt = new Map<string, number>();
        let shown = new Map<string, number>();
        let now = START;
        for (const { results, days, kept, restarts } of steps) {
          now += days * DAY;
          await save(
            test,
            results.map(({ proxy, tester, url, isSuccessful }) =>
              (isSuccessful ? success : failure)(proxy, tester, { url }),
            ),
            now,
          );
          for (const { proxy, url, tester } of results)
            for (const name of [`proxy ${proxy}`, `url ${url}`, `tester ${tester}`]) testedAt.set(name, now);
          const before = await countersIn(test, proxies);
          for (const [counter, value] of shown) expect(before.get(counter)).toBeGreaterThanOrEqual(value);
          await prune(test, now, kept, 2);
          if (restarts) test.restart();
          const after = await countersIn(test, proxies);
          shown = after;
          const isKept = (kind: string, name = '') =>
            kept.includes(name) || (testedAt.get(`${kind} ${name}`) ?? 0) >= now - RETENTION_MS;
          for (const [counter, value] of before) {
            const [kind, first, second, third] = counter.split(' ');
            const isCounterKept =
              kind === 'failures' || kind === 'total'
                ? isKept('proxy', first)
                : kind === 'results'
                  ? isKept('proxy', first) && isKept('url', second) && isKept('tester', third)
                  : isKept('url', first) && isKept('tester', second);
            expect([counter, after.get(counter)]).toEqual([counter, isCounterKept ? value : undefined]);
          }
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('beyond a limit', () => {
  const names = Array.from({ length: 300 }, (_, n) => `name-${n}`);

  it('testers share the name other with one outcome a round, and known testers continue', async () => {
    using test = new TestStore();
    await save(
      test,
      names.map((tester) => success('fr-1', tester)),
      START,
    );
    const mixed = [success('fr-1', 'new-1'), failure('fr-1', 'new-2'), success('fr-1', 'new-3')];
    await save(test, [...mixed, success('fr-1', 'name-7')], START + 1);
    const cells = await test.store.tests.cells('main', ['fr-1']);
    expect(cells).toHaveLength(201);
    expect(cells.find(({ tester }) => tester === 'other')).toMatchObject({
      ...{ results: 103, successes: 102, rounds: 2, history: 0b01, isSuccessful: false },
      errorCode: 'dns_error',
    });
    expect(cells.find(({ tester }) => tester === 'name-7')).toMatchObject({ results: 2, rounds: 2 });
    expect(rowsIn(test).subject).toBe(201 + 2);
  });

  it('sources and codes of errors share the name other', async () => {
    using test = new TestStore();
    await save(
      test,
      names.map((name) => failure('fr-1', 'london', { errorSource: name, errorCode: name })),
      START,
    );
    await save(
      test,
      names.map((name) => failure('fr-1', 'london', { errorSource: 'name-3', errorCode: name })),
      START,
    );
    const { store } = test;
    const errors = await store.tests.errors('main');
    expect(new Set(errors.map(({ errorSource }) => errorSource)).size).toBe(11);
    expect(errors.length).toBeLessThanOrEqual(50 + 11);
    expect(errors.reduce((sum, { count }) => sum + count, 0)).toBe(600);
    expect(await store.tests.failures('main')).toHaveLength(11);
  });
});

// Tests the counts of a window by product type against its rows, also while rows arrive.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { requestCount } from '../../../src/collectors/request-log/classes.ts';
import { type CodeGroup, groupOf } from '../../../src/collectors/request-log/count-codes.ts';
import {
  type Asked,
  countWindow,
  type FoundGroups,
} from '../../../src/collectors/request-log/count-window.ts';
import { PRODUCT_TYPES } from '../../../src/lib/product-types.ts';
import type { RequestCount } from '../../../src/store/request-log-store.ts';

interface Row {
  readonly type: string;
  readonly code: number | null;
}

const row = fc.record({
  type: fc.constantFrom('residential', 'mobile', 'isp', 'satellite', 'laser'),
  code: fc.oneof(fc.constantFrom(200, 2010, 4221, 404, 422, 301, null), fc.integer({ min: 100, max: 9_999 })),
});
const rows = fc.array(row, { maxLength: 60 });
/** Groups that were found before. */
const known = fc.array(row).map((seen) => seen.flatMap(({ code }) => groupOf(code ?? 0) ?? []));

const sorted = (counts: readonly RequestCount[]) =>
  counts
    .map(({ errors, ...count }) => ({
      ...count,
      errors: errors.toSorted((a, b) => (`${a.class} ${a.code}` < `${b.class} ${b.code}` ? -1 : 1)),
    }))
    .sort((a, b) => (a.productType < b.productType ? -1 : 1));

const oracle = (of: readonly Row[]): RequestCount[] => {
  const byType = Map.groupBy(of, ({ type }) =>
    PRODUCT_TYPES.some((each) => each === type) ? type : 'other',
  );
  return [...byType].map(([type, rowsOf]) => {
    const groups = new Map<CodeGroup, number>();
    for (const { code } of rowsOf) {
      const group = code === null ? undefined : groupOf(code);
      if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + 1);
    }
    return requestCount(type, rowsOf.length, groups);
  });
};

/** Adds `late` rows before the request with their number. */
const provider = (first: readonly Row[], late: readonly (readonly [request: number, row: Row])[] = []) => {
  let requests = 0;
  const arrived = () => late.filter(([request]) => request <= requests).map(([, each]) => each);
  const ask = async ({ productType, minCode = -1, maxCode = 1e9 }: Asked): Promise<number> => {
    requests += 1;
    const isUnfiltered = minCode < 0;
    return [...first, ...arrived()].filter(
      ({ type, code }) =>
        (productType === undefined || type === productType) &&
        (isUnfiltered || (code !== null && code >= minCode && code <= maxCode)),
    ).length;
  };
  return { ask, arrived };
};

it('the counts are those of the rows, whatever was known before', async () => {
  await fc.assert(
    fc.asyncProperty(rows, known, async (all, before) => {
      const { counts, isExceeded } = await countWindow(provider(all).ask, new Map([['', new Set(before)]]));
      expect(sorted(counts)).toEqual(sorted(oracle(all)));
      expect(isExceeded).toBe(false);
    }),
  );
});

/** The numbers of requests by type, and of errors by type and code. */
const numbersOf = (counts: readonly RequestCount[]): Map<string, number> =>
  new Map(
    counts.flatMap(({ productType, requests, errors }) => [
      [productType, requests] as const,
      ...errors.map((each) => [`${productType} ${each.class} ${each.code}`, each.errors] as const),
    ]),
  );
const missing = (counts: Map<string, number>, expected: Map<string, number>): number =>
  [...expected].reduce((sum, [key, rows]) => sum + Math.max(0, rows - (counts.get(key) ?? 0)), 0);

it('if rows arrive meanwhile, no number is too high, and only as many can lack as arrived', async () => {
  const late = fc.array(fc.tuple(fc.integer({ min: 2, max: 80 }), row), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(rows, late, known, async (all, arrivals, before) => {
      const { ask, arrived } = provider(all, arrivals);
      const { counts, isExceeded } = await countWindow(ask, new Map([['isp', new Set(before)]]));
      const numbers = numbersOf(counts);
      expect(missing(numbersOf(oracle([...all, ...arrived()])), numbers)).toBe(0);
      // A row without its error lacks twice.
      expect(missing(numbers, numbersOf(oracle(all)))).toBeLessThanOrEqual(2 * arrived().length);
      if (arrived().length === 0) expect(isExceeded).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

it('a type with codes of its own is asked for these first', async () => {
  const codes = { isp: [2010, 3101, 4221], mobile: [4040, 5021, 5030], residential: [4090, 4100, 4110] };
  const all = Object.entries(codes).flatMap(([type, own]) => own.map((code) => ({ type, code })));
  const found: FoundGroups = new Map();
  let requests = 0;
  const { ask } = provider(all);
  const count = () => {
    requests = 0;
    return countWindow((asked) => {
      requests += 1;
      return ask(asked);
    }, found);
  };
  await count();
  await count();
  // All rows, at most four types, and for each that has rows success and its codes.
  expect(requests).toBeLessThanOrEqual(1 + 4 + 3 * (1 + 3));
});

it('a provider that ignores the product type counts more than there are rows', async () => {
  const { ask } = provider([{ type: 'isp', code: 200 }]);
  const counted = await countWindow(({ productType: _, ...codes }) => ask(codes), new Map());
  expect(counted.isExceeded).toBe(true);
});

it('codes that were found before a failure are asked for first', async () => {
  const all = [200, 4221, 3101].flatMap((code) => ['isp', 'mobile'].map((type) => ({ type, code })));
  const found: FoundGroups = new Map();
  let requests = 0;
  let limit = 27;
  const { ask } = provider(all);
  const attempt = () =>
    countWindow(async (asked) => {
      if (++requests > limit) throw new Error('failed');
      return ask(asked);
    }, found);
  while ((await attempt().catch(() => undefined)) === undefined) [requests, limit] = [0, 15];
  expect(requests).toBeLessThanOrEqual(1 + 4 + 2 * 3);
});

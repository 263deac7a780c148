// Tests what the provider report says about pages of listings.

import { describe, expect, test } from 'vitest';
import type { ObservedAnswer } from '../../../src/provider/report/observed-answer.ts';
import type { PagesJson } from '../../../src/provider/report/page-order.ts';
import { answerWith, endpointReportOf } from './reported-answers.ts';

interface PageOptions {
  readonly page?: number;
  readonly total?: number;
  /** Fields of the answer that differ. */
  readonly changes?: object;
}

const SIZE = 3;

const pageWith = (
  ids: readonly unknown[],
  { page = 1, total = ids.length, changes = {} }: PageOptions = {},
): ObservedAnswer => {
  const data = ids.map((id) => ({ proxy_user_id: id }));
  const json = { data, item_count: ids.length, page, per_page: SIZE, total_count: total, ...changes };
  return answerWith('proxy_user/search', json, { query: { page, per_page: SIZE, sort_by: 'proxy_user_id' } });
};

const faultsIn = (...pages: ObservedAnswer[]): Partial<PagesJson> => {
  const { pages: _, ...faults } = endpointReportOf(...pages).pages ?? {};
  return Object.fromEntries(Object.entries(faults).filter(([, count]) => count > 0));
};

describe('no fault is found in pages', () => {
  test.each<[string, readonly unknown[]]>([
    ['by their characters', ['Bob', 'alice', 'carol']],
    ['without regard to case', ['alice', 'Bob', 'carol']],
    ['by a locale', ['user_1', 'user-2', 'user1']],
    ['without punctuation', ['user', 'us_era', 'us-erb']],
    ['by numbers', [9, 10, 100]],
    ['by numbers in texts', ['user9', 'user10']],
    ['with equal ids', ['a', 'a', 'b']],
    ['with ids that have no order', [null, {}, true]],
    ['without items', []],
  ])('in order %s', (_, ids) => {
    expect(faultsIn(pageWith(ids))).toEqual({});
  });

  test('that follow each other', () => {
    const total = 5;
    expect(
      faultsIn(pageWith(['alice', 'Bob', 'carol'], { total }), pageWith(['Dan', 'eve'], { page: 2, total })),
    ).toEqual({});
  });

  test('of a listing that is read again', () => {
    const total = 6;
    const [first, second] = [
      pageWith(['a', 'b', 'c'], { total }),
      pageWith(['d', 'e', 'f'], { page: 2, total }),
    ];
    expect(faultsIn(first, second, first, second)).toEqual({});
  });

  test('whose first item was the last of the page before, because an item was added between them', () => {
    const total = 6;
    expect(
      faultsIn(pageWith(['b', 'c', 'd'], { total }), pageWith(['d', 'e', 'f'], { page: 2, total })),
    ).toEqual({});
  });
});

describe('a fault is counted', () => {
  const FULL = ['a', 'b', 'c'];

  test.each<[string, ObservedAnswer[], Partial<PagesJson>]>([
    ['items in no order', [pageWith(['b', 'c', 'a'])], { unordered_pages: 1 }],
    ['numbers in no order', [pageWith([10, 100, 9])], { unordered_pages: 1 }],
    [
      'a page that goes back',
      [pageWith(['m', 'n', 'o'], { total: 6 }), pageWith(FULL, { page: 2, total: 6 })],
      { overlapping_pages: 1 },
    ],
    [
      'a total that changes, but then not the order',
      [pageWith(['m', 'n', 'o'], { total: 6 }), pageWith(FULL, { page: 2, total: 7 })],
      { changed_totals: 1 },
    ],
    ['a page that is too short', [pageWith(['a', 'b'], { total: 6 })], { short_pages: 1 }],
    ['a page that is too long', [pageWith([...FULL, 'd'], { total: 6 })], { long_pages: 1 }],
    ['another page', [pageWith(FULL, { changes: { page: 2 } })], { other_numbers: 1 }],
    ['another size of pages', [pageWith(FULL, { changes: { per_page: 100 } })], { other_numbers: 1 }],
    ['a total of -1', [pageWith(FULL, { total: -1 })], { uncounted_pages: 1 }],
    ['a last page that is too short', [pageWith(['d'], { page: 2, total: 5 })], { wrong_last_pages: 1 }],
    ['a page after the last one', [pageWith(['d'], { page: 2, total: 3 })], { wrong_last_pages: 1 }],
  ])('%s', (_, pages, expected) => {
    expect(faultsIn(...pages)).toEqual(expected);
  });
});

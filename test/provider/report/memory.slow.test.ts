// Tests that the provider report stays small whatever the provider answers.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { AccountReport } from '../../../src/provider/report/account-report.ts';
import { API_WORDS } from '../../../src/provider/report/field-counts.ts';
import type { ObservedAnswer } from '../../../src/provider/report/observed-answer.ts';
import { formatLocal } from '../../../src/provider/time.ts';
import { answerWith, endpointReportOf } from './reported-answers.ts';

const MANY = 100_000;
const CITY = 'city/retrieve';

const manyFields = (prefix: string): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`${prefix}${index}`, { deep: index }]));

test('of very many unknown fields of an object, a hundred are examined and the others are counted', () => {
  const json = { message: 'ok', data: { city_id: 1, ...manyFields('field_') } };
  const { unknown_fields } = endpointReportOf(answerWith(CITY, json));
  expect(unknown_fields).toEqual([
    { path: 'data', named: [{ name: 'field_*', types: { object: 100 } }], others: MANY - 100 },
  ]);
});

test('of answers with always other fields, twenty are named', () => {
  const words = [...API_WORDS].filter((word) => word !== 'data').slice(0, 40);
  const answers = words.map((word) => answerWith(CITY, { data: { city_id: 1, [`new_${word}`]: null } }));
  const { unknown_fields } = endpointReportOf(...answers);
  expect(unknown_fields).toMatchObject([{ path: 'data', others: 20 }]);
  expect(unknown_fields[0]?.named).toHaveLength(20);
});

test('a very large answer is only measured', () => {
  const json = { data: [], total_count: -1, new_field: 1 };
  const query = { page: 1, per_page: 100, sort_by: 'proxy_id' };
  const report = endpointReportOf(answerWith('proxy/search', json, { bytes: 40_000_000, query }));
  expect(report).toMatchObject({
    ...{ bytes: { max: 40_000_000 }, seconds: { count: 1 } },
    ...{ compared_answers: 0, unknown_fields: [], totals: [], pages: null },
  });
});

test('of a map only the first values are compared', () => {
  const { fields } = endpointReportOf(answerWith('checkout/catalog', { data: manyFields('product_') }));
  expect(fields.find(({ path }) => path === 'data.{}.product_stock')).toMatchObject({
    ...{ expected: 2_000, missing: 2_000 },
  });
});

test('very deep JSON is no problem', () => {
  const depth = 200_000;
  const deep = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  const { unknown_fields } = endpointReportOf(answerWith(CITY, { data: { city_id: 1, deep } }));
  expect(unknown_fields).toMatchObject([{ named: [{ name: '*', types: { list: 1 } }] }]);
});

/**
 * Returns the bytes in use after a garbage collection. V8 frees the names of fields only with the second one.
 */
const heapUsed = (): number => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/**
 * Returns the bytes that a report keeps after these answers, and the report, so that it is not freed before.
 */
const keptAfter = (count: number, answerAt: (index: number) => ObservedAnswer) => {
  const report = new AccountReport('UTC', () => 0);
  report.observe(answerAt(0));
  const before = heapUsed();
  for (let index = 1; index <= count; index += 1) report.observe(answerAt(index));
  return { bytes: heapUsed() - before, report };
};

const LONG = 2_000;
const longTextAt = (index: number): string => `${index}${'x'.repeat(10_000)}`;
/** Twenty names, ids of two pages, 2,000 buckets and some hundred measurements fit into this. */
const MAX_KEPT = 1_000_000;

test.each<[string, (index: number) => ObservedAnswer]>([
  [
    'long ids and names of fields',
    (index) => {
      const item = { proxy_user_id: longTextAt(index), [longTextAt(index)]: index, [`new_${index}`]: {} };
      const query = { page: index, per_page: 100, sort_by: 'proxy_user_id' };
      return answerWith('proxy_user/search', { data: [item], total_count: index }, { query });
    },
  ],
  [
    'maps by data',
    (index) => answerWith('checkout/catalog', { data: { [longTextAt(index)]: { product_stock: 'x' } } }),
  ],
  [
    'long messages of errors',
    (index) => answerWith(CITY, { message: longTextAt(index), [`e${index}`]: 1 }, { status: 429 }),
  ],
  [
    'minutes',
    (index) => {
      const at = Date.parse('2026-07-05T12:00:00Z') + index * 60_000;
      const times = Array.from({ length: 120 }, (_, minute) =>
        formatLocal(at - (119 - minute) * 60_000, 'UTC'),
      );
      const [first = '', last = ''] = [times[0], formatLocal(at + 60_000, 'UTC')];
      const intervals = times.map((interval) => ({ interval, bytes: index, requests: 1 }));
      const query = { interval: 'minute', period_start: first, period_end: last };
      return answerWith('analytics/graph', { data: { intervals } }, { query, at });
    },
  ],
])('the report keeps little of %s', { timeout: 30_000 }, (_, answerAt) => {
  const { bytes, report } = keptAfter(LONG, answerAt);
  expect(report.toJson(1).endpoints[0]?.bytes?.count).toBe(LONG + 1);
  expect(bytes).toBeLessThan(MAX_KEPT);
});

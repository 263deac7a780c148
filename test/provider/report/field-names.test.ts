// Tests that no data can reach the provider report as the name of an unknown field.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { API_WORDS, safeName } from '../../../src/provider/report/field-counts.ts';
import { answerWith, endpointReportOf } from './reported-answers.ts';

const USERS = 'proxy_user/search';

const isSafe = (name: string): boolean =>
  name.split('_').every((word) => word === '*' || API_WORDS.has(word));

describe('the name of an unknown field', () => {
  test.each([
    ['next_page', 'next_page'],
    ['proxy_user_region', 'proxy_user_region'],
    ['proxy_user_alice', 'proxy_user_*'],
    ['alice', '*'],
    ['port_8000', 'port_*'],
    ['Name', '*'],
    ['my-user', '*'],
    ['_name', '*'],
    ['name_', 'name_*'],
    ['', '*'],
    [`name_${'a'.repeat(80)}`, '*'],
    ['constructor', '*'],
    ['__proto__', '*'],
  ])('%s is shown as %s', (name, shown) => {
    expect(safeName(name)).toBe(shown);
  });

  test('has only words of APIs, whatever the answer has', () => {
    const word = fc.oneof(
      fc.constantFrom(...API_WORDS),
      fc.stringMatching(/^[a-z0-9]{1,12}$/),
      fc.string({ maxLength: 8 }),
    );
    const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('_'));
    fc.assert(
      fc.property(fc.dictionary(name, fc.anything(), { minKeys: 1 }), (fields) => {
        const json = { message: 'ok', data: [{ proxy_user_id: 'x', ...fields }], ...fields };
        const { unknown_fields } = endpointReportOf(answerWith(USERS, json));
        const names = unknown_fields.flatMap(({ named }) => named.map((field) => field.name));
        expect(names.filter((shown) => !isSafe(shown))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['a map of users', USERS, 200, { message: 'ok', alice: { a: 1 }, bob: 1 }],
    ['part of a secret', 'proxy_test_run/create', 200, { message: 'ok', data: {}, alice: 1 }],
    [
      'a slug of a text',
      'service/retrieve',
      200,
      { message: '', data: { service_name: 'Acme Inc', acme_inc: 1 } },
    ],
    ['a key of metadata', USERS, 200, { data: [{ proxy_user_metadata: { acme_gmbh: 1 }, acme_gmbh: 1 }] }],
    ['a token', 'city/retrieve', 200, { data: { city_id: 1, deadbeefdeadbeefdeadbeefdeadbeef: 1 } }],
    ['a parameter', 'analytics/graph', 422, { error: 'Unprocessable', alice: ['no such user'] }],
  ])('is not shown if it is %s', (_, endpoint, status, json) => {
    const report = endpointReportOf(answerWith(endpoint, json, { status }));
    const { unknown_fields } = status === 200 ? report : report.errors;
    expect(unknown_fields).toHaveLength(1);
    expect(unknown_fields[0]?.named.map(({ name }) => name).filter((name) => !/^[*_]+$/.test(name))).toEqual(
      [],
    );
  });
});

test('names that become equal are counted together', () => {
  const json = { data: { city_id: 1, city_alice: 1, city_bob: 'x', city_carol: null } };
  expect(endpointReportOf(answerWith('city/retrieve', json)).unknown_fields).toEqual([
    { path: 'data', named: [{ name: 'city_*', types: { integer: 1, text: 1, null: 1 } }], others: 0 },
  ]);
});

test('a list of objects of a service is known under any name, because its name is not documented', () => {
  const data = { line_items: [{ quantity: 1 }], proxies: [], tags: ['a'], notes: 1 };
  const [unknown] = endpointReportOf(answerWith('service/retrieve', { message: '', data })).unknown_fields;
  expect(unknown?.named.map(({ name }) => name)).toEqual(['tags', 'notes']);
});

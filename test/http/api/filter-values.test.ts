// Tests that lists answer with the values of their filters, whatever the request filters.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERROR_SOURCE_WORDS } from '../../../src/provider/documented-answers/words.ts';
import { ApiHarness, type Json } from './api-harness.ts';

let api: ApiHarness;
beforeAll(async () => {
  api = await ApiHarness.build();
  await api.run(4);
});
afterAll(() => api[Symbol.asyncDispose]());

const distinct = (items: readonly Json[], name: string): unknown[] =>
  [...new Set(items.map((item) => item[name]).filter((value) => value !== null))].sort();

const sourcesOf = (values: unknown): string[] => (values as { error_source: string[] }).error_source;

it.each(['inventory', 'services'])('%s has the values of all its items', async (path) => {
  const items = await api.allPages(path, 100);
  const names = ['product_type', 'status', 'country_id'];
  const expected = Object.fromEntries(names.map((name) => [name, distinct(items, name)]));
  expect(expected.country_id?.length).toBeGreaterThan(0);
  for (const query of ['', '?limit=1', '?country_id=xx', '?account=main&status=nothing'])
    expect((await api.answer(path + query)).filter_values).toEqual(expected);
});

it('failures have the tested targets and testers, and every source of an error', async () => {
  const { filter_values } = await api.answer('failures?url=nothing');
  expect(filter_values).toEqual({
    url: distinct(await api.items('targets'), 'url'),
    tester_server: distinct(await api.items('testers'), 'tester_server'),
    error_source: ['client', 'here', 'provider', 'proxy', 'quota', 'target'],
  });
  expect(sourcesOf(filter_values)).toEqual(expect.arrayContaining([...(ERROR_SOURCE_WORDS.words ?? [])]));
  const sources = distinct(await api.allPages('failures', 100), 'error_source');
  expect(sources.length).toBeGreaterThan(0);
  expect(sourcesOf(filter_values)).toEqual(expect.arrayContaining(sources));
});

// Tests that the API reference has every route with its parameters, and that its examples match the routes' schemas.

import { expect, test } from 'vitest';
import type { z } from 'zod';
import { openApiOf } from '../../src/http/api/openapi.ts';
import { API_ACTIONS, API_ROUTES } from '../../src/http/api/routes.ts';
import { startServer } from '../http/support.ts';
import { codeWordsOf, tableRowsOf, textOf } from './documents.ts';

const PAGE = textOf('docs/reference/api.md');
const PREFIX = '/api/v1';
const PAGE_PARAMETERS = ['account', 'limit', 'cursor', 'format'];

const documented = tableRowsOf(PAGE).flatMap((row) => {
  const [path] = codeWordsOf(row['path under `/api/v1`'] ?? '');
  const parameters = row['parameters other than those of pages'] ?? '';
  return path === undefined ? [] : [{ path: PREFIX + path, parameters }];
});

/** Returns the documented parameters. The values of a parameter follow a colon. */
const parametersIn = (cell: string): string[] => [
  ...codeWordsOf(cell.replace(/:.*/, '')),
  ...(cell.includes('no pages') ? [] : PAGE_PARAMETERS),
];

test('the reference has every path, and no other', () => {
  const { paths } = openApiOf(API_ROUTES, API_ACTIONS, '0.0.0');
  const known = [...Object.keys(paths), `${PREFIX}/openapi.json`];
  expect(documented.map(({ path }) => path).toSorted()).toEqual(known.toSorted());
});

test.each(documented)('the reference has the parameters of $path', ({ path, parameters }) => {
  const route = API_ROUTES.find((each) => each.path === path);
  expect(parametersIn(parameters).toSorted()).toEqual(Object.keys(route?.query ?? {}).toSorted());
});

test('the reference names the answers without an ETag', async () => {
  await using server = await startServer();
  const [section = ''] = PAGE.split('### Revalidation')[1]?.split(', have a weak `ETag`') ?? [];
  const unrevised = codeWordsOf(section).map((path) => PREFIX + path);
  const known = API_ROUTES.filter(({ revision }) => !revision).map(({ path }) => path);
  expect(unrevised.toSorted()).toEqual(known.toSorted());
  const answered: string[] = [];
  for (const { path } of API_ROUTES.filter((each) => !each.path.includes('{'))) {
    const { status, headers } = await fetch(server.url + path);
    if (status !== 200) continue;
    answered.push(path);
    expect([path, headers.has('etag')]).toEqual([path, !unrevised.includes(path)]);
  }
  expect(answered).toEqual(expect.arrayContaining([`${PREFIX}/silences`, `${PREFIX}/proxies`]));
});

interface Example {
  readonly method: string;
  readonly path: string;
  readonly json: string;
}

/** Returns the examples of answers. An example belongs to the last request that the text names before it. */
const examplesIn = (text: string): Example[] => {
  let request = '';
  return [...text.matchAll(/`((?:GET|POST) [^`]+)`|^```json\n([\s\S]*?)^```$/gm)].flatMap(
    ([, named, json]) => {
      request = named ?? request;
      const [method = '', path = ''] = request.replace(/\?.*/, '').split(' ');
      return json === undefined || !path.startsWith(PREFIX) ? [] : [{ method, path, json }];
    },
  );
};

const ROUTES = [...API_ROUTES.map(({ path, answer }) => ({ method: 'GET', path, answer })), ...API_ACTIONS];

const answerOf = (method: string, path: string): z.ZodType | undefined =>
  ROUTES.find(
    (each) =>
      each.method === method && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )?.answer;

const EXAMPLES = examplesIn(PAGE.split('\n## Webhooks\n')[0] ?? '');

test.each(EXAMPLES)('the example of $method $path matches its schema', ({ method, path, json }) => {
  const { success, error } = answerOf(method, path)?.safeParse(JSON.parse(json)) ?? {};
  expect([success, error?.issues]).toEqual([true, undefined]);
});

test('examples are found', () => {
  expect(EXAMPLES).toHaveLength(3);
});

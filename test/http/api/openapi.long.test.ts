// Tests that the description of the API is complete and matches the daemon's answers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { API_ACTIONS, API_ROUTES } from '../../../src/http/api/routes.ts';
import { ApiHarness, type Json, requiredQuery } from './api-harness.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Json }[];
  readonly requestBody?: { content: { 'application/json': { schema: Json } } };
  readonly responses: Readonly<Record<string, { content?: { 'application/json': { schema: Json } } }>>;
}

interface Description {
  readonly openapi: string;
  readonly info: Json;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

let api: ApiHarness;
let description: Description;

beforeAll(async () => {
  api = await ApiHarness.build();
  await api.run();
  await act('POST', 'silences', SILENCE);
  description = (await api.answer('openapi.json')) as unknown as Description;
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

const SILENCE = { account: 'main', alert: 'CollectorFailing', for: '2h', comment: 'planned' };

/** Sends a request that changes something. */
const act = async (method: string, path: string, body?: object): Promise<Json> => {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await (await fetch(`${api.url}/api/v1/${path}`, { method, ...init })).json()) as Json;
};

/** Forbids undescribed fields in all objects of a schema. */
const forbidUnknownFields = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(forbidUnknownFields);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, forbidUnknownFields(value)]),
  );
  return inner.properties && inner.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
};

const validatorOf = (schema: Json): z.ZodType => {
  const whole = { ...schema, $defs: description.components.schemas };
  const text = JSON.stringify(forbidUnknownFields(whole)).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(text));
};

const mistakesIn = (schema: Json, value: unknown): string[] =>
  (validatorOf(schema).safeParse(value).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

/** Returns ids that the daemon knows, for the parameters of a path. */
const pathParameters = async (path: string): Promise<Record<string, string>> => {
  const idOf = async (list: string, field: string) =>
    encodeURIComponent(String((await api.items(list))[0]?.[field]));
  return {
    account: 'main',
    proxy_user_id: await idOf('users', 'proxy_user_id'),
    proxy_id: await idOf(path.includes('/inventory/') ? 'inventory' : 'proxies', 'proxy_id'),
    url: await idOf('targets', 'url'),
    tester_server: await idOf('testers', 'tester_server'),
    service_id: await idOf('services', 'service_id'),
  };
};

const PATHS = API_ROUTES.map(({ path }) => path);

describe('the description', () => {
  it('has every route', () => {
    const actions = API_ACTIONS.map(({ path }) => path);
    expect(Object.keys(description.paths).toSorted()).toEqual(
      [...new Set([...PATHS, ...actions, '/api/v1/openapi.json'])].toSorted(),
    );
  });

  it('is OpenAPI 3.1: operation ids are unique, path parameters are declared, references exist', () => {
    expect(description).toMatchObject({ openapi: '3.1.1', info: { title: 'proxywatch', version: '1.2.3' } });
    const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...operation })),
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-zA-Z]+$/.test(id))).toEqual([]);
    for (const { path, parameters, summary, responses } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(named);
      expect(summary).not.toBe('');
      expect(responses['404'] !== undefined).toBe(named.length > 0);
    }
    const references = [...JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(20);
    for (const [, name = ''] of references) expect(description.components.schemas).toHaveProperty(name);
    expect(JSON.stringify(description)).not.toContain('$defs');
  });

  it('is checked for undescribed fields', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(mistakesIn(schema, { a: 'b' })).toEqual([]);
    expect(mistakesIn(schema, { a: 'b', c: 1 })).toHaveLength(1);
    expect(mistakesIn(schema, {})).toHaveLength(1);
  });
});

describe('an operation that changes something', () => {
  it('takes a body and answers as described', async () => {
    const { post } = description.paths['/api/v1/silences'] ?? {};
    const { delete: remove } = description.paths['/api/v1/silences/{silence_id}'] ?? {};
    expect(mistakesIn(post?.requestBody?.content['application/json'].schema ?? {}, SILENCE)).toEqual([]);
    const added = await act('POST', 'silences', SILENCE);
    expect(mistakesIn(post?.responses['200']?.content?.['application/json'].schema ?? {}, added)).toEqual([]);
    const removed = await act('DELETE', `silences/${added.id}`);
    expect(removed).toEqual({ id: added.id });
    expect(mistakesIn(remove?.responses['200']?.content?.['application/json'].schema ?? {}, removed)).toEqual(
      [],
    );
  });

  it('makes tests, and answers as described', async () => {
    const { post } = description.paths['/api/v1/accounts/{account}/test-now'] ?? {};
    const { proxy_id } = await pathParameters('/api/v1/accounts/{account}/proxies/{proxy_id}');
    const made = await act('POST', 'accounts/main/test-now', { proxy_id });
    expect(made).toMatchObject({ kind: 'proxy', id: proxy_id });
    expect(mistakesIn(post?.responses['200']?.content?.['application/json'].schema ?? {}, made)).toEqual([]);
    expect(Object.keys(post?.responses ?? {})).toContain('409');
    await api.harness.app.runner.idle();
  });
});

describe.each(PATHS)('%s', (path) => {
  const operation = (): Operation => description.paths[path]?.get as Operation;
  const requestPath = async (): Promise<string> => {
    const names = await pathParameters(path);
    return path.replace('/api/v1/', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
  };

  it('answers as described, with data', async () => {
    const body = await api.answer(`${await requestPath()}${requiredQuery(path)}`);
    const schema = operation().responses['200']?.content?.['application/json'].schema ?? {};
    expect(mistakesIn(schema, body)).toEqual([]);
    if ('data' in body) expect(body.data).not.toEqual([]);
  });

  it('answers 304 to a client that has the answer, if the description says so', async () => {
    const request = await requestPath();
    const { etag } = await api.request(request);
    expect(etag !== null).toBe(operation().responses['304'] !== undefined);
    if (etag) expect((await api.request(request, etag)).status).toBe(304);
  });

  it('names a wrong parameter', async () => {
    const request = await requestPath();
    for (const { name, in: place, schema } of operation().parameters) {
      if (place === 'path' || (acceptsAnyText(schema, name) && name !== 'cursor')) continue;
      const others = requiredQuery(path).replace('?', '&');
      const { status, body } = await api.request(`${request}?${name}=%00${others}`);
      expect([name, status, String(body.error).startsWith(`${name}: `)]).toEqual([name, 400, true]);
    }
  });

  it('names an unknown parameter, and one that must not be repeated', async () => {
    const request = await requestPath();
    const { body } = await api.request(`${request}?nobody=1`);
    expect(String(body.error)).toMatch(/^nobody: unknown parameter; /);
    for (const { name, in: place, schema } of operation().parameters) {
      if (place === 'path' || schema.type === 'array') continue;
      const { status, body } = await api.request(`${request}?${name}=1&${name}=1`);
      expect([status, body]).toEqual([400, { error: `${name}: expected one value, but got 2` }]);
    }
  });

  it('answers 404 for unknown accounts and ids', async () => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    for (const name of names) {
      const request = (await requestPath()).replace((await pathParameters(path))[name] ?? '', 'nobody');
      const { status, body } = await api.request(request);
      const error = expect.stringMatching(new RegExp(`^${name}: "nobody" is not known`));
      expect([name, status, body]).toEqual([name, 404, { error }]);
    }
  });
});

/** Whether any text is valid: an unknown one selects nothing, or is not found. */
const acceptsAnyText = ({ type, format, enum: words, items }: Json, name: string): boolean =>
  type === 'array'
    ? name !== 'account' && acceptsAnyText(items as Json, name)
    : type === 'string' && !format && !words;

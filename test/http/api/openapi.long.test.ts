// The description of the API: whole, and true of what the daemon answers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { API_ROUTES } from '../../../src/http/api/routes.ts';
import { ApiHarness, type Json } from './api-harness.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Json }[];
  readonly responses: Readonly<Record<string, { content?: { 'application/json': { schema: Json } } }>>;
}

interface Description {
  readonly openapi: string;
  readonly info: Json;
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

let api: ApiHarness;
let description: Description;

beforeAll(async () => {
  api = await ApiHarness.build();
  await api.live();
  description = (await api.answer('openapi.json')) as unknown as Description;
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

/** Objects of a schema admit no other field: what is answered has to be described. */
const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  return inner.properties && inner.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
};

const validatorOf = (schema: Json): z.ZodType => {
  const whole = { ...schema, $defs: description.components.schemas };
  const text = JSON.stringify(strict(whole)).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(text));
};

const mistakesIn = (schema: Json, value: unknown): string[] =>
  (validatorOf(schema).safeParse(value).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

/** Subjects that the house has, for the parameters of paths. */
const subjects = async (): Promise<Record<string, string>> => {
  const idOf = async (list: string, field: string) => String((await api.items(list))[0]?.[field]);
  return {
    account: 'main',
    proxy_user_id: await idOf('users', 'proxy_user_id'),
    proxy_id: await idOf('inventory', 'proxy_id'),
    service_id: await idOf('services', 'service_id'),
  };
};

const PATHS = API_ROUTES.map(({ path }) => path);

describe('the description', () => {
  it('has every route', () => {
    expect(Object.keys(description.paths).toSorted()).toEqual([...PATHS, '/api/v1/openapi.json'].toSorted());
  });

  it('is OpenAPI 3.1: names are of one operation, parameters of paths are declared, references lead somewhere', () => {
    expect(description).toMatchObject({ openapi: '3.1.1', info: { title: 'proxywatch', version: '1.2.3' } });
    const operations = Object.values(description.paths).map(({ get }) => get);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-zA-Z]+$/.test(id))).toEqual([]);
    for (const [path, { get }] of Object.entries(description.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(get.parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(named);
      expect(get.summary).not.toBe('');
      expect(get.responses['404'] !== undefined).toBe(named.length > 0);
    }
    const references = [...JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(20);
    for (const [, name = ''] of references) expect(description.components.schemas).toHaveProperty(name);
    expect(JSON.stringify(description)).not.toContain('$defs');
  });

  it('would notice a field that it does not have', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(mistakesIn(schema, { a: 'b' })).toEqual([]);
    expect(mistakesIn(schema, { a: 'b', c: 1 })).toHaveLength(1);
    expect(mistakesIn(schema, {})).toHaveLength(1);
  });
});

describe.each(PATHS)('%s', (path) => {
  const operation = (): Operation => description.paths[path]?.get as Operation;
  const asPath = async (): Promise<string> => {
    const names = await subjects();
    return path.replace('/api/v1/', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
  };

  it('answers as described, with something in it', async () => {
    const body = await api.answer(await asPath());
    const schema = operation().responses['200']?.content?.['application/json'].schema ?? {};
    expect(mistakesIn(schema, body)).toEqual([]);
    if ('data' in body) expect(body.data).not.toEqual([]);
  });

  it('spares who has the answer another one, if it says so', async () => {
    const asked = await asPath();
    const { etag } = await api.ask(asked);
    expect(etag !== null).toBe(operation().responses['304'] !== undefined);
    if (etag) expect((await api.ask(asked, etag)).status).toBe(304);
  });

  it('names the parameter that is wrong', async () => {
    const asked = await asPath();
    for (const { name, in: place, schema } of operation().parameters) {
      if (place === 'path' || (isFree(schema) && name !== 'cursor')) continue;
      const { status, body } = await api.ask(`${asked}?${name}=%00`);
      expect([name, status, String(body.error).startsWith(`${name}: `)]).toEqual([name, 400, true]);
    }
  });

  it('knows no other account, nor what it does not have', async () => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    for (const name of names) {
      const asked = (await asPath()).replace((await subjects())[name] ?? '', 'nobody');
      const { status, body } = await api.ask(asked);
      expect([name, status, body]).toEqual([name, 404, { error: `${name}: "nobody" is not known` }]);
    }
  });
});

/** A text that may be any: what is not known selects nothing, or is not found. */
const isFree = ({ type, format, enum: words }: Json): boolean => type === 'string' && !format && !words;

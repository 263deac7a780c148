// Serves GET /api/v1/openapi.json: the description of the API from its routes' schemas (OpenAPI 3.1).

import { z } from 'zod';
import { type ApiRoute, route } from './route.ts';

type Json = Record<string, unknown>;

/** The parameters of paths, which are all texts, with their descriptions. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  account: 'Configured name of the account',
  proxy_user_id: 'Id of the proxy user',
  proxy_id: 'Id of the proxy',
  service_id: 'Id of the service',
};

export const openApiRoute = (routes: readonly ApiRoute[]): ApiRoute => {
  const own: ApiRoute = route({
    path: '/api/v1/openapi.json',
    summary: 'This description',
    query: {},
    answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
    revision: (view) => view.version,
    read: async ({ view }) => openApiOf([...routes, own], view.version),
  });
  return own;
};

/** Returns the whole description. */
export const openApiOf = (routes: readonly ApiRoute[], version: string) => {
  const schemas: Json = { Error: schemaOf(z.object({ error: z.string() }), {}) };
  const paths = Object.fromEntries(
    routes
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
      .map((each) => [each.path, { get: operationOf(each, schemas) }]),
  );
  return {
    openapi: '3.1.1',
    info: {
      title: 'proxywatch',
      version,
      description:
        'The stored data of proxywatch, as JSON. Times are RFC 3339 in UTC, and amounts of data are bytes. Money is in the provider’s unit. The provider’s documentation says that this unit is cents. Unknown values are null.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas },
  };
};

const operationOf = (each: ApiRoute, schemas: Json): Json => {
  const pathNames = [...each.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const isChecked = Object.keys(each.query).length > 0;
  return {
    operationId: operationId(each.path),
    summary: each.summary,
    parameters: [
      ...pathNames.map((name) => ({
        ...{ name, in: 'path', required: true, description: PATH_PARAMETERS[name] },
        schema: { type: 'string' },
      })),
      ...Object.entries(each.query).map(([name, schema]) => {
        const { description, ...rest } = schemaOf(schema, schemas);
        return { name, in: 'query', required: false, ...(description ? { description } : {}), schema: rest };
      }),
    ],
    responses: {
      200: { description: 'The answer', content: jsonOf(schemaOf(each.answer, schemas)) },
      ...(each.revision && {
        304: { description: 'The answer has not changed since the `ETag` in `If-None-Match`' },
      }),
      ...(isChecked && {
        400: errorResponse('A parameter is invalid. The error begins with the name of the parameter'),
      }),
      ...(pathNames.length > 0 && { 404: errorResponse('The account or item in the path is unknown') }),
    },
  };
};

const jsonOf = (schema: Json): Json => ({ 'application/json': { schema } });

const errorResponse = (description: string): Json => ({
  description,
  content: jsonOf({ $ref: '#/components/schemas/Error' }),
});

const operationId = (path: string): string =>
  path
    .replace('/api/v1/', '')
    .replace('.json', '')
    .replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())
    .replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    .replaceAll(/\W/g, '');

/** Returns the JSON Schema of a value. Schemas with an id are added to `schemas` and referred to. */
const schemaOf = (schema: z.ZodType, schemas: Json): Json => {
  const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, { override: simplify }) as Json;
  const { defs, ...rest } = JSON.parse(
    JSON.stringify({ ...own, defs: $defs }).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Json;
  for (const [id, each] of Object.entries(defs as Json)) schemas[id] = withoutId(each as Json);
  return withoutId(rest);
};

const withoutId = ({ id: _, ...schema }: Json): Json => schema;

const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number;

/** Removes what clients do not need, and allows additional fields, which answers may get in the future. */
const simplify = ({ jsonSchema }: { jsonSchema: Json }): void => {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

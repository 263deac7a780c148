// Serves GET /api/v1/openapi.json: the description of the API from its routes' schemas (OpenAPI 3.1).

import { z } from 'zod';
import { type ApiAction, type ApiRoute, route } from './route.ts';

type Json = Record<string, unknown>;

/** The parameters of paths, which are all texts, with their descriptions. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  account: 'Configured name of the account',
  proxy_user_id: 'Id of the proxy user',
  proxy_id: 'Id of the proxy',
  service_id: 'Id of the service',
  silence_id: 'Id of the silence',
};

export const openApiRoute = (routes: readonly ApiRoute[], actions: readonly ApiAction[]): ApiRoute => {
  const own: ApiRoute = route({
    path: '/api/v1/openapi.json',
    summary: 'This description',
    query: {},
    answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
    revision: (view) => view.version,
    read: async ({ view }) => openApiOf([...routes, own], actions, view.version),
  });
  return own;
};

export const openApiOf = (routes: readonly ApiRoute[], actions: readonly ApiAction[], version: string) => {
  const schemas: Json = { Error: schemaOf(z.object({ error: z.string() }), {}) };
  const operations = [
    ...routes.map((each) => ({ path: each.path, method: 'get', operation: operationOf(each, schemas) })),
    ...actions.map((each) => ({
      path: each.path,
      method: each.method.toLowerCase(),
      operation: actionOf(each, schemas),
    })),
  ];
  const paths: Record<string, Json> = {};
  for (const { path, method, operation } of operations.toSorted((one, other) =>
    one.path < other.path ? -1 : 1,
  ))
    paths[path] = { ...paths[path], [method]: operation };
  return {
    openapi: '3.1.1',
    info: {
      title: 'proxywatch',
      version,
      description:
        'The stored data of proxywatch, as JSON. Times are RFC 3339 in UTC, and amounts of data are bytes. Money is in cents of the account’s `currency`. Unknown values are null.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas },
  };
};

const operationOf = (each: ApiRoute, schemas: Json): Json => {
  const pathNames = pathNamesOf(each);
  const isChecked = Object.keys(each.query).length > 0;
  return {
    operationId: operationId(each.path),
    summary: each.summary,
    parameters: [
      ...pathNames.map(pathParameter),
      ...Object.entries(each.query).map(([name, schema]) => {
        const { description, ...rest } = schemaOf(schema, schemas);
        return {
          name,
          in: 'query',
          required: isRequired(schema),
          ...(description ? { description } : {}),
          schema: rest,
        };
      }),
    ],
    responses: {
      200: {
        description: 'The answer',
        content: { ...jsonOf(schemaOf(each.answer, schemas)), ...(each.query.format && CSV) },
      },
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

/** Describes an operation that changes something. */
const actionOf = (each: ApiAction, schemas: Json): Json => {
  const pathNames = pathNamesOf(each);
  const hasBody = each.method === 'POST';
  return {
    operationId: `${each.method.toLowerCase()}${capitalized(operationId(each.path))}`,
    summary: each.summary,
    parameters: pathNames.map(pathParameter),
    ...(hasBody && {
      requestBody: { required: true, content: jsonOf(schemaOf(each.body, schemas, 'input')) },
    }),
    responses: {
      200: { description: 'The answer', content: jsonOf(schemaOf(each.answer, schemas)) },
      ...(hasBody && {
        400: errorResponse('The body is invalid. The error begins with the name of the field'),
        413: errorResponse('The body is too large'),
        415: errorResponse('The body is not sent as JSON'),
      }),
      403: errorResponse('A web page or a reader sent the request'),
      ...(pathNames.length > 0 && { 404: errorResponse('The item in the path is unknown') }),
      ...(each.conflict !== undefined && { 409: errorResponse(each.conflict) }),
      503: errorResponse('The store rejects writes'),
    },
  };
};

const pathNamesOf = ({ path }: { readonly path: string }): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const pathParameter = (name: string): Json => ({
  ...{ name, in: 'path', required: true, description: PATH_PARAMETERS[name] },
  schema: { type: 'string' },
});

/** Whether a request without the parameter is invalid. */
const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const jsonOf = (schema: Json): Json => ({ 'application/json': { schema } });

const CSV: Json = { 'text/csv': { schema: { type: 'string' } } };

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
const schemaOf = (schema: z.ZodType, schemas: Json, io: 'input' | 'output' = 'output'): Json => {
  const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, { override: simplify, io }) as Json;
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

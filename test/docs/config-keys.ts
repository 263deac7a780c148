// Lists the keys of configurations, and of the configuration's schema, for tests of the documentation.

import type { JsonSchema } from '../../src/config/json-schema.ts';

const pathOf = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** Returns the paths of all keys, such as `accounts[].traffic.graphs[].name`. */
export const keysOf = (value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => keysOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    pathOf(path, key),
    ...keysOf(inner, pathOf(path, key)),
  ]);
};

/** Returns the default of every setting by its path, for all forms that a value may have; undefined if it has none. */
export const settingsOf = (schema: JsonSchema): ReadonlyMap<string, unknown> => {
  const settings = new Map<string, unknown>();
  for (const [path, inner] of settingsIn(schema)) settings.set(path, settings.get(path) ?? defaultOf(inner));
  return settings;
};

/** Returns the schema of every setting with its path; one for each form that it may have. */
export const settingsIn = (schema: JsonSchema, path = ''): [path: string, schema: JsonSchema][] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]): [string, JsonSchema][] => [
    [pathOf(path, key), inner as JsonSchema],
    ...settingsIn(inner as JsonSchema, pathOf(path, key)),
  ]),
  ...(isSchema(schema.items) ? settingsIn(schema.items, `${path}[]`) : []),
  ...formsOf(schema).flatMap((form) => settingsIn(form, path)),
];

const defaultOf = (schema: JsonSchema): unknown =>
  schema.default ?? formsOf(schema).find((form) => form.default !== undefined)?.default;

const formsOf = ({ anyOf = [], oneOf = [] }: JsonSchema): JsonSchema[] =>
  [...anyOf, ...oneOf].filter(isSchema);

const isSchema = (schema: unknown): schema is JsonSchema =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema);

// Builds the JSON Schema of a configuration, for editors and for messages about mistakes (known keys, secrets).

import { z } from 'zod';
import type { Path } from './config-error.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Returns a schema (draft 2020-12) of the text as written, not of the parsed values. In `defaults` no account setting is required. */
export const configJsonSchema = (schema: z.ZodType): JsonSchema => {
  const inputSchema = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => allowVariable(jsonSchema),
  }) as JsonSchema;
  const { accounts } = inputSchema.properties ?? {};
  const account = itemsOf(asSchema(accounts));
  const defaults = account && {
    ...withoutRequired(account),
    description: 'Settings for every account that does not have these settings itself.',
  };
  return {
    title: 'proxywatch configuration',
    ...inputSchema,
    properties: { ...(defaults && { defaults }), ...inputSchema.properties },
    patternProperties: {
      '^x-': { description: 'A place for YAML anchors. proxywatch ignores this setting.' },
    },
  };
};

/** Returns the schemas of the value at `path`: several if it may have one of several forms. */
export const schemasAt = (schema: JsonSchema, path: Path): JsonSchema[] =>
  path.reduce<JsonSchema[]>(
    (parents, step) => parents.flatMap((parent) => childrenOf(parent, step).flatMap(variantsOf)),
    variantsOf(schema),
  );

export const keysAt = (schema: JsonSchema, path: Path): string[] =>
  schemasAt(schema, path).flatMap(({ properties, propertyNames }) => [
    ...Object.keys(properties ?? {}),
    ...variantsOf(asSchema(propertyNames) ?? {}).flatMap((names) => (names.enum ?? []).map(String)),
  ]);

/** Allows `${NAME}` where a value other than any text is required, because an editor cannot know its value. */
const allowVariable = (schema: JsonSchema): void => {
  const { type, pattern, enum: options, const: constant } = schema;
  const isStrict = ['number', 'integer', 'boolean'].includes(String(type)) || pattern || options;
  if (!isStrict || constant !== undefined) return;
  const { description, ...own } = schema;
  for (const key of Object.keys(own)) delete schema[key];
  schema.anyOf = [own, { type: 'string', pattern: '\\$\\{' }];
};

/** Requires nothing on any level that merges. Items of lists keep their requirements, because lists replace each other. */
const withoutRequired = ({ required, allOf, anyOf, properties, ...rest }: JsonSchema): JsonSchema => ({
  ...rest,
  ...(anyOf && { anyOf: anyOf.map(withoutRequired) }),
  ...(properties && {
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, withoutRequired(asSchema(value) ?? {})]),
    ),
  }),
});

const variantsOf = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => parts ?? []).flatMap(variantsOf),
];

const childrenOf = (schema: JsonSchema, step: string | number): JsonSchema[] => {
  const child =
    typeof step === 'number'
      ? itemsOf(schema)
      : asSchema(schema.properties?.[step] ?? schema.additionalProperties);
  return child ? [child] : [];
};

const itemsOf = (schema: JsonSchema | undefined): JsonSchema | undefined =>
  Array.isArray(schema?.items) ? undefined : asSchema(schema?.items);

const asSchema = (schema: JsonSchema | boolean | undefined): JsonSchema | undefined =>
  typeof schema === 'object' ? schema : undefined;

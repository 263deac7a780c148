// JSON Schema of a configuration: for editors, and for telling a mistake's neighbours (known keys, secrets).

import { z } from 'zod';
import type { Path } from './config-error.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Draft 2020-12, of what is written (not of what it becomes). `defaults` is an account nothing of which is required. */
export const configJsonSchema = (schema: z.ZodType): JsonSchema => {
  const written = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => allowReference(jsonSchema),
  }) as JsonSchema;
  const { accounts } = written.properties ?? {};
  const account = itemsOf(asSchema(accounts));
  const defaults = account && { ...partial(account), description: 'Merged under every account.' };
  return {
    title: 'proxywatch configuration',
    ...written,
    properties: { ...(defaults && { defaults }), ...written.properties },
    patternProperties: { '^x-': { description: 'Room for YAML anchors.' } },
  };
};

/** The schemas of what stands at `path`: several where it may be one of several things. */
export const schemasAt = (schema: JsonSchema, path: Path): JsonSchema[] =>
  path.reduce<JsonSchema[]>(
    (parents, step) => parents.flatMap((parent) => childrenOf(parent, step).flatMap(variantsOf)),
    variantsOf(schema),
  );

/** The keys that a map at `path` may have. */
export const keysAt = (schema: JsonSchema, path: Path): string[] =>
  schemasAt(schema, path).flatMap(({ properties, propertyNames }) => [
    ...Object.keys(properties ?? {}),
    ...variantsOf(asSchema(propertyNames) ?? {}).flatMap((names) => (names.enum ?? []).map(String)),
  ]);

/** `${NAME}` may stand where more than any text is asked for, and is none of the editor's business. */
const allowReference = (schema: JsonSchema): void => {
  const { type, pattern, enum: options, const: constant } = schema;
  const isStrict = ['number', 'integer', 'boolean'].includes(String(type)) || pattern || options;
  if (!isStrict || constant !== undefined) return;
  const { description, ...own } = schema;
  for (const key of Object.keys(own)) delete schema[key];
  schema.anyOf = [own, { type: 'string', pattern: '\\$\\{' }];
};

/** Nothing required on any level that merges; the items of lists stay as they are, for lists replace each other. */
const partial = ({ required, allOf, anyOf, properties, ...rest }: JsonSchema): JsonSchema => ({
  ...rest,
  ...(anyOf && { anyOf: anyOf.map(partial) }),
  ...(properties && { properties: mapValues(properties, (value) => partial(asSchema(value) ?? {})) }),
});

const mapValues = <T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

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

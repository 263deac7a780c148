// Declares the fields of an item once: their schemas, and where their values come from. The type, the JSON, the CSV and the
// description of the item follow.

import { z } from 'zod';
import { rfc3339 } from '../rfc3339.ts';
import { account } from './fields.ts';

/** A field whose value is computed from the source. */
export interface Computed<T, S extends z.ZodType> {
  readonly schema: S;
  readonly read: (source: T) => z.output<S>;
}

/** A schema alone stands for the property of the source with the same name in camel case. */
type Fields<T> = Readonly<Record<string, z.ZodType | Computed<T, z.ZodType>>>;

type CamelCase<N> = N extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : N;

/** What the source has for a schema: times are ms, and unknown values can be undefined too. */
type Stored<S> =
  S extends z.ZodNullable<infer Inner>
    ? Stored<Inner> | null | undefined
    : S extends z.ZodISODateTime
      ? number
      : S extends z.ZodArray<infer Each>
        ? readonly Stored<Each>[]
        : z.output<S>;

type Checked<T, F> = {
  [N in keyof F]: F[N] extends z.ZodType
    ? T extends { readonly [P in CamelCase<N>]?: Stored<F[N]> }
      ? F[N]
      : never
    : F[N];
};

type Shape<F> = {
  -readonly [N in keyof F]: F[N] extends z.ZodType ? F[N] : F[N] extends Computed<never, infer S> ? S : never;
};

/** Makes a field whose value is computed. */
type Compute<T> = <S extends z.ZodType>(
  schema: S,
  read: (source: T) => z.output<NoInfer<S>>,
) => Computed<T, S>;

/** Returns the fields of an item. `from` makes those that are not a property of the same name. */
type Declaration<T, F> = (from: Compute<T>) => F & Checked<T, F>;

const from = <T, S extends z.ZodType>(schema: S, read: (source: T) => z.output<S>) => ({ schema, read });

/** Declares an item that is made of a `T`. The id names its schema in the description of the API. */
export const itemOf =
  <T>() =>
  <F extends Fields<T>>(id: string, declare: Declaration<T, F>) => {
    const fields: F = declare(from);
    const schema = z.strictObject(shapeOf(fields)).meta({ id });
    return { schema, json: readerOf<T>(fields) as (source: T) => z.output<typeof schema> };
  };

/** Declares an item of an account, which begins with the account's name. */
export const accountItemOf =
  <T>() =>
  <F extends Fields<T>>(id: string, declare: Declaration<T, F>) => {
    const fields: F = declare(from);
    const schema = z.strictObject({ account, ...shapeOf(fields) }).meta({ id });
    const read = readerOf<T>(fields);
    const json = (name: string, source: T): unknown => ({ account: name, ...read(source) });
    return { schema, json: json as (name: string, source: T) => z.output<typeof schema> };
  };

const shapeOf = <F extends Fields<never>>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'read' in field ? field.schema : field]),
  ) as Shape<F>;

const readerOf = <T>(fields: Fields<T>): ((source: T) => Record<string, unknown>) => {
  const readers = Object.entries(fields).map(
    ([name, field]) => [name, 'read' in field ? field.read : propertyOf(name, field)] as const,
  );
  return (source) => Object.fromEntries(readers.map(([name, read]) => [name, read(source)]));
};

const propertyOf = (name: string, schema: z.ZodType): ((source: unknown) => unknown) => {
  const property = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const valueIn = (source: unknown) => (source as Record<string, unknown>)[property] ?? null;
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  return inner instanceof z.ZodISODateTime ? (source) => rfc3339(valueIn(source) as number | null) : valueIn;
};

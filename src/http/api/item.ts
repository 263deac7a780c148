// Declares what answers consist of: from one declaration of fields follow type, JSON, CSV and description. Unknown is null.

import { z } from 'zod';
import { SECOND } from '../../lib/time.ts';

export const time = z.iso.datetime();
export const date = z.iso.date();
/** A number of bytes, items and so on. */
export const count = z.int();
export const text = z.string();
export const flag = z.boolean();
export const amount = z.number();
/** A ratio; 1 is the whole. */
export const ratio = amount.min(0);

/** The same types of values that can be unknown. */
export const orNull = {
  time: time.nullable(),
  count: count.nullable(),
  text: text.nullable(),
  flag: flag.nullable(),
  amount: amount.nullable(),
  ratio: ratio.nullable(),
};

export const account = text.describe('Configured name of the account');

export const currency = text.describe(
  'Currency of the account’s amounts of money, as a code of ISO 4217. The setting `currency` sets it',
);

/** Formats `at` (ms) as RFC 3339 in UTC; null stays null. */
export const rfc3339 = <T extends number | null>(at: T) =>
  (at === null ? null : new Date(at).toISOString()) as T extends number ? string : null;

/** A field whose value is computed from the source. */
export interface Computed<T, S extends z.ZodType> {
  readonly schema: S;
  readonly read: (source: T) => z.output<S>;
}

/**
 * A schema alone stands for the property of the source with the same name in camel case. Of `x_seconds` it is `xMs`, a
 * duration in ms. Times are ms too.
 */
type Fields<T> = Readonly<Record<string, z.ZodType | Computed<T, z.ZodType>>>;

type CamelCase<N> = N extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : N;
type Property<N> = N extends `${infer Name}_seconds` ? `${CamelCase<Name>}Ms` : CamelCase<N>;

declare const SOURCE: unique symbol;

/** Marks the schema of an item that is made of a `T`. */
interface MadeOf<T> {
  readonly [SOURCE]: T;
}

/** What the source has for a schema. Unknown values can be undefined too. */
export type Stored<S> =
  S extends MadeOf<infer T>
    ? T
    : S extends z.ZodNullable<infer Inner>
      ? Stored<Inner> | null | undefined
      : S extends z.ZodISODateTime
        ? number
        : S extends z.ZodArray<infer Each>
          ? readonly Stored<Each>[]
          : S extends z.ZodObject<infer Shape>
            ? { readonly [N in keyof Shape as Property<N>]: Stored<Shape[N]> }
            : z.output<S>;

type Checked<T, F> = {
  [N in keyof F]: F[N] extends z.ZodType
    ? T extends { readonly [P in Property<N>]?: Stored<F[N]> }
      ? F[N]
      : never
    : F[N];
};

type Shape<F> = {
  -readonly [N in keyof F]: F[N] extends z.ZodType ? F[N] : F[N] extends Computed<never, infer S> ? S : never;
};

/** The properties of the source whose value is one of the type `V`. */
type PropertyWith<T, V> = { [P in keyof T]-?: T[P] extends V ? P : never }[keyof T];

/** Makes a field whose value is computed, or that of a property with another name. */
export type Compute<T> = <S extends z.ZodType>(
  schema: S,
  read: PropertyWith<T, Stored<NoInfer<S>>> | ((source: T) => z.output<NoInfer<S>>),
) => Computed<T, S>;

/** Returns the fields of an item. `from` makes those that are not a property of the same name. */
type Declaration<T, F> = (from: Compute<T>) => F & Checked<T, F>;

const from = <T, S extends z.ZodType>(schema: S, read: keyof T | ((source: T) => z.output<S>)) => ({
  schema,
  read: (typeof read === 'function' ? read : propertyReader(String(read), schema)) as (
    source: T,
  ) => z.output<S>,
});

/** Declares an item that is made of a `T`. The id names its schema in the description of the API. Other items can have its fields too. */
export const itemOf =
  <T>() =>
  <F extends Fields<T>>(id: string, declare: Declaration<T, F>) => {
    const fields: F = declare(from);
    const schema = z.strictObject(shapeOf(fields)).meta({ id });
    const json = readerOf(fields) as (source: T) => z.output<typeof schema>;
    ITEMS.set(schema.def, json as Convert);
    return { schema: schema as typeof schema & MadeOf<T>, json, fields };
  };

/** Declares an item of an account, which begins with the account's name. */
export const accountItemOf =
  <T>() =>
  <F extends Fields<T>>(id: string, declare: Declaration<T, F>) => {
    const fields: F = declare(from);
    const schema = z.strictObject({ account, ...shapeOf(fields) }).meta({ id });
    const read = readerOf(fields);
    const json = (name: string, source: T): unknown => read(source, { account: name });
    return { schema, json: json as (name: string, source: T) => z.output<typeof schema>, fields };
  };

/** Returns a function that makes the JSON of a schema whose values are all properties of the source. */
export const jsonOf = <S extends z.ZodType>(schema: S): ((source: Stored<S>) => z.output<S>) =>
  (converterOf(schema) ?? ((source) => source)) as (source: Stored<S>) => z.output<S>;

const shapeOf = <F extends Fields<never>>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'read' in field ? field.schema : field]),
  ) as Shape<F>;

/** Adds the fields one by one, which takes less time than an object of entries. */
const readerOf = (fields: Fields<never>) => {
  const readers = Object.entries(fields).map(
    ([name, field]) =>
      [name, ('read' in field ? field.read : propertyReader(propertyOf(name), field)) as Convert] as const,
  );
  return (source: unknown, begin?: object): Record<string, unknown> => {
    const json: Record<string, unknown> = { ...begin };
    for (const [name, read] of readers) json[name] = read(source);
    return json;
  };
};

const propertyOf = (name: string): string =>
  name.replace(/_seconds$/, '_ms').replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns how the value of a property becomes that of a field. */
const propertyReader = (property: string, schema: z.ZodType): Convert => {
  const valueIn = (source: unknown) => (source as Record<string, unknown>)[property] ?? null;
  const convert = property.endsWith('Ms') ? toSeconds : converterOf(schema);
  return convert
    ? (source) => {
        const value = valueIn(source);
        return value === null ? null : convert(value);
      }
    : valueIn;
};

type Convert = (value: unknown) => unknown;

const toSeconds: Convert = (ms) => (ms as number) / SECOND;

/** The readers of items by the definition of their schema, which a copy with another description shares. */
const ITEMS = new WeakMap<object, Convert>();

/** Returns how a stored value that is not null becomes JSON; undefined if it is JSON already. */
const converterOf = (schema: unknown): Convert | undefined => {
  if (schema instanceof z.ZodNullable) return converterOf(schema.unwrap());
  if (schema instanceof z.ZodISODateTime) return (at) => rfc3339(at as number);
  if (schema instanceof z.ZodObject) return ITEMS.get(schema.def) ?? readerOf(schema.shape);
  if (!(schema instanceof z.ZodArray)) return undefined;
  const convert = converterOf(schema.element);
  return convert && ((items) => (items as readonly unknown[]).map((item) => convert(item)));
};

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    data: z.array(item),
    next_cursor: text.nullable().describe('Cursor of the next page, or null on the last page'),
  });

/** A page of a list whose items are counted. */
export const countedPageOf = <T extends z.ZodType>(item: T) =>
  pageOf(item).extend({ total: count.describe('Number of items that match, on all pages') });

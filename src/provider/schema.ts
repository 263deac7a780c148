// Words that the resources' schemas share: tolerant of what is new or left out, strict in what is needed.

import { z } from 'zod';
import { ProviderError } from './errors.ts';
import { quote } from './provider-words.ts';
import type { Call } from './request.ts';
import { instantOf, parseLocal } from './time.ts';

/** Values of another type than the documented one that were taken as not given, since the start. */
let oddValues = 0;

export const noteOdd = (): void => {
  oddValues += 1;
};

/** The value as it is; null where it is of another type than the documented one, so that only what rests on it is missing. */
export const unlessOdd = <T extends z.ZodType>(type: T) =>
  type.nullish().catch((): null => {
    noteOdd();
    return null;
  });

/** Does `decode`, and tells whether any value was of another type than the documented one. Such a value is left out in silence. */
export const noticingOdd = <T>(decode: () => T): { readonly decoded: T; readonly isOdd: boolean } => {
  const before = oddValues;
  const decoded = decode();
  return { decoded, isOdd: oddValues > before };
};

/** The value, or null where the provider leaves it out, has none, or one of another type. */
export const nullable = <T extends z.ZodType>(type: T) =>
  unlessOdd(type).transform((value): z.output<T> | null => value ?? null);

/** A whole number, also where the provider writes it as a text. */
export const wholeNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
  ])
  .pipe(z.int());

/** A text, also where the provider writes a whole number in its place, as an id may be. */
export const textOrNumber = z.union([z.string(), z.int().transform(String)]);

/** A text that is empty where the provider leaves it out. */
export const label = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** A text; null too where the provider writes the word null in its place, as its sample of a quote does. */
export const text = unlessOdd(textOrNumber).transform((value) => (value && value !== 'null' ? value : null));

/** A datetime in `zone` as an instant (ms); null where it is left out or malformed, for none is needed. */
export const datetime = (zone: string) =>
  unlessOdd(z.string()).transform((text) => {
    const local = text ? parseLocal(text) : undefined;
    return local === undefined ? null : instantOf(local, zone);
  });

/**
 * The answer as the call's schema has it, else ProviderError (bad_response) that names the first fields at fault. Names
 * of fields may be the provider's own, so they are quoted without the `secrets` of the request.
 */
export const decodeAnswer = <T>(
  { schema, endpoint }: Pick<Call<T>, 'schema' | 'endpoint'>,
  answer: unknown,
  secrets: readonly string[] = [],
): T => {
  if (!schema) return answer as T;
  const { data, error } = schema.safeParse(answer);
  if (!error) return data;
  const faults = error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`);
  throw new ProviderError(
    'bad_response',
    endpoint,
    `unexpected answer: ${quote(faults.join('; '), secrets)}`,
  );
};

/** A decoder of items for listings: null for what does not decode. */
export const itemDecoder =
  <T>(schema: z.ZodType<T>) =>
  (item: unknown): T | null =>
    schema.safeParse(item).data ?? null;

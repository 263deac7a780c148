// Defines types that the resources' schemas share. They tolerate new and missing fields, and are strict about required ones.

import { z } from 'zod';
import { quotedText } from '../lib/quoted-text.ts';
import { ProviderError } from './errors.ts';
import type { Call } from './request.ts';
import { instantIn } from './time.ts';

let invalidCount = 0;

/** Returns how many values, since the start, were treated as not given because their type differed from the documented one. */
export const invalidValues = (): number => invalidCount;

export const countInvalidValue = (): void => {
  invalidCount += 1;
};

/** Parses the value, or returns null if its type differs from the documented one, so that only this value is missing. */
export const nullIfInvalid = <T extends z.ZodType>(type: T) =>
  type.nullish().catch((): null => {
    countInvalidValue();
    return null;
  });

/** Runs `decode` and reports whether it left out any value because its type differed from the documented one. */
export const detectInvalid = <T>(decode: () => T): { readonly decoded: T } & Validity => {
  const before = invalidCount;
  const decoded = decode();
  return { decoded, hasInvalidValue: invalidCount > before };
};

/** Says whether an answer had a value that was left out because its type differed from the documented one. */
export interface Validity {
  readonly hasInvalidValue: boolean;
}

/**
 * Parses the value, and says whether anything in it was left out because its type differed from the documented one. It is
 * a check and not a transformation, because zod 4.6 gives each value that it transforms a function, and V8 then keeps the
 * whole answer until it next collects all of the garbage.
 */
export const withInvalidity = <T>(schema: z.ZodType<T>) =>
  z.unknown().check((payload) => {
    const { decoded, hasInvalidValue } = detectInvalid(() => schema.safeParse(payload.value));
    if (decoded.success) payload.value = { value: decoded.data, hasInvalidValue };
    for (const { path, message } of decoded.error?.issues ?? [])
      payload.issues.push({ code: 'custom', path: [...path], message, input: payload.value });
  }) as z.ZodType<unknown> as z.ZodType<{ readonly value: T } & Validity>;

/** Parses the value, or returns null if it is missing, null, or of another type. */
export const nullable = <T extends z.ZodType>(type: T) =>
  nullIfInvalid(type).transform((value): z.output<T> | null => value ?? null);

/** By our name of a field: its name in the answer, and its type. */
type FieldTypes = Readonly<Record<string, readonly [given: string, type: z.ZodType]>>;
type OrNull<T> = undefined extends T ? NonNullable<T> | null : T;
/** The values of the fields, by our names. */
export type FieldValues<F extends FieldTypes> = { readonly [N in keyof F]: OrNull<z.output<F[N][1]>> };

/** Parses an object of an answer, and gives its fields our names. A missing value is null. */
export const fields = <F extends FieldTypes>(types: F) => {
  const names = Object.entries(types).map(([name, [given]]) => [name, given] as const);
  const given: z.ZodType<Record<string, unknown>> = z.object(Object.fromEntries(Object.values(types)));
  return given.transform((values) => {
    const named: Record<string, unknown> = {};
    for (const [name, from] of names) named[name] = values[from] ?? null;
    return named as FieldValues<F>;
  });
};

/** Accepts a whole number, also if the provider sends it as a string. */
export const wholeNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
  ])
  .pipe(z.int());

/** Accepts a number of things, or an id. A negative one is a mistake. */
export const count = z.int().min(0);

/** Accepts a number that is not too large for JavaScript to tell it from the next whole number. */
export const amount = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

/** Accepts a number that is neither negative nor too large. */
export const nonNegativeAmount = amount.min(0);

export const port = z.int().min(1).max(65_535);

export const degrees = z.number().min(-180).max(180);

/** Accepts an id that is a whole number, also if the provider sends it as a string. */
export const numericId = wholeNumber.pipe(count);

/** Accepts a string, also if the provider sends a whole number instead, as it may do for ids. */
export const textOrNumber = z.union([z.string(), z.int().transform(String)]);

/** Accepts a string. The text "null" becomes null, because the provider's sample of a quote has it. */
export const text = nullIfInvalid(textOrNumber).transform((value) =>
  value && value !== 'null' ? value : null,
);

/** Converts a datetime, in `zone` unless it names an offset, to an instant (ms); a missing or malformed one becomes null, because none is required. */
export const datetime = (zone: string) =>
  nullIfInvalid(z.string()).transform((text) => {
    if (!text) return null;
    const at = instantIn(text, zone);
    if (at !== undefined) return at;
    countInvalidValue();
    return null;
  });

/**
 * Parses the answer with the call's schema. Throws ProviderError (bad_response) that names the first invalid fields.
 * Field names may come from the provider, so they are quoted without the `secrets` of the request.
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
    `unexpected answer: ${quotedText(faults.join('; '), secrets)}`,
  );
};

/** Returns a decoder of items for listings. It returns null for an item that does not decode. */
export const itemDecoder =
  <T>(schema: z.ZodType<T>) =>
  (item: unknown): T | null =>
    schema.safeParse(item).data ?? null;

// For what an answer has by the thousand, a schema allocates too much: 7 kB for a row of a graph. The functions below decode
// single values by hand.

/** Returns the text, or null if it is missing or of another type. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : withoutInvalid(value);

/** Returns the whole number, or null if it is missing, smaller than `min`, or of another type. */
export const integerOf = (value: unknown, min = Number.MIN_SAFE_INTEGER): number | null =>
  Number.isSafeInteger(value) && (value as number) >= min ? (value as number) : withoutInvalid(value);

/** Returns the number, or null if it is missing, negative, too large to be exact, or of another type. */
export const nonNegativeOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : withoutInvalid(value);

/** Returns null. A value that is given and left out is counted as invalid. */
export const withoutInvalid = (value: unknown): null => {
  if (value !== null && value !== undefined) countInvalidValue();
  return null;
};

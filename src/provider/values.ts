// Decodes single values by hand. For what an answer has by the thousand, a schema allocates too much: 7 kB for a row of a
// graph.

import { countInvalidValue } from './schema.ts';

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

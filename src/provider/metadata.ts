// Reads only the listed keys of a customer's own metadata of users and services. Others may be private.

import type { Metadata } from '../lib/label-parts.ts';
import { withoutInvalid } from './schema.ts';

/** Longer values are cut (characters), so that a text in the metadata cannot fill the metrics. */
const MAX_CHARACTERS = 100;

/** A value that is missing, or is no text, number or truth value, is null. Of what is missing or no object, no key is known. The latter is counted as an invalid value. */
export const metadataOf = (given: unknown, keys: readonly string[]): Metadata => {
  if (typeof given !== 'object' || Array.isArray(given)) return withoutInvalid(given) ?? {};
  const found = (given ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    keys.map((key) => {
      const value = Object.hasOwn(found, key) ? found[key] : undefined;
      return [key, SHOWN_TYPES.includes(typeof value) ? shortened(String(value)) : null];
    }),
  );
};

const SHOWN_TYPES: readonly string[] = ['string', 'number', 'boolean'];

/** Cuts between characters, so that no half of a character is left. */
const shortened = (text: string): string =>
  text.length <= MAX_CHARACTERS
    ? text
    : [...text.slice(0, 2 * MAX_CHARACTERS)].slice(0, MAX_CHARACTERS).join('');

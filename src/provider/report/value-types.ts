// Compares values with their documented types, and names the types of values.

import type { ValueType } from '../documented-answers/shapes.ts';

/** What the report calls the type of a value that the documentation does not lead one to expect. */
export const OBSERVED_TYPES = [
  'boolean',
  'integer',
  'fraction',
  'huge_number',
  'text',
  'empty_text',
  'word_null',
  'number_text',
  'datetime',
  'date',
  'uuid',
  'country',
  'cycle',
  'list',
  'object',
  'null',
] as const;
export type ObservedType = (typeof OBSERVED_TYPES)[number];

const FORMS = {
  number_text: /^-?\d+(\.\d+)?$/,
  datetime: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  country: /^[a-z]{2}$/,
  cycle: /^\d+:(day|week|month|year)$/,
} as const;
/** No form is longer, and long texts cost time. */
const MAX_FORM_LENGTH = 40;

const hasForm = (value: unknown, form: RegExp): boolean =>
  typeof value === 'string' && value.length <= MAX_FORM_LENGTH && form.test(value);

const MATCHES: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string' && value !== '' && value !== 'null',
  word_null: (value) => value === 'null',
  integer: Number.isSafeInteger,
  number: (value) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value)),
  boolean: (value) => typeof value === 'boolean',
  datetime: (value) => hasForm(value, FORMS.datetime),
  date: (value) => hasForm(value, FORMS.date),
  uuid: (value) => hasForm(value, FORMS.uuid),
  country: (value) => hasForm(value, FORMS.country),
  cycle: (value) => hasForm(value, FORMS.cycle),
  metadata: (value) => typeOf(value) === 'object',
};

export const isOfType = (value: unknown, types: readonly ValueType[]): boolean => {
  for (const type of types) if (MATCHES[type](value)) return true;
  return false;
};

/** Returns the type of a value of JSON, and the form of a text. */
export const typeOf = (value: unknown): ObservedType => {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return typeOfNumber(value);
  if (typeof value === 'string') return typeOfText(value);
  return Array.isArray(value) ? 'list' : 'object';
};

const typeOfNumber = (value: number): ObservedType => {
  if (Number.isSafeInteger(value)) return 'integer';
  return Number.isInteger(value) || !Number.isFinite(value) ? 'huge_number' : 'fraction';
};

const typeOfText = (value: string): ObservedType => {
  if (value === '') return 'empty_text';
  if (value === 'null') return 'word_null';
  for (const [form, pattern] of Object.entries(FORMS))
    if (hasForm(value, pattern)) return form as keyof typeof FORMS;
  return 'text';
};

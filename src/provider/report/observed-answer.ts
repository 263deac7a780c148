// Defines what the provider report gets to know of each answer.

import type { Query } from '../request.ts';

export interface ObservedAnswer {
  readonly endpoint: string;
  /** The parameters of the request. */
  readonly query: Query;
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
  readonly bytes: number;
  readonly durationMs: number;
  /** The header as it was sent. */
  readonly retryAfter: string | undefined;
  /** The time of the answer (ms) by the provider's clock, or by ours if the answer has no `Date`. */
  readonly at: number;
}

export type Json = Readonly<Record<string, unknown>>;

/** Returns the object, or undefined for any other value. */
export const objectOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

/** Returns the field of an object, or undefined for any other value. */
export const fieldOf = (value: unknown, name: string): unknown => objectOf(value)?.[name];

/** Returns the list in the field, or undefined for any other value. */
export const listOf = (value: unknown, name: string): readonly unknown[] | undefined => {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : undefined;
};

/** Returns the items of the list in the field, or none for any other value. */
export const listIn = (value: unknown, name: string): readonly unknown[] => listOf(value, name) ?? [];

/** Returns the values of the map in the field, or none for any other value. */
export const mapValuesIn = (value: unknown, name: string): readonly unknown[] =>
  Object.values(objectOf(fieldOf(value, name)) ?? {});

/** Returns the number in the field, or undefined for any other value. */
export const numberIn = (value: unknown, name: string): number | undefined => {
  const number = fieldOf(value, name);
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

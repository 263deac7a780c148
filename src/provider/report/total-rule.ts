// Defines rules about numbers of an answer that should be equal, and the sums that these rules use.

import { listOf, numberIn } from './observed-answer.ts';

export interface TotalRule {
  /** What should be equal. */
  readonly rule: string;
  /** Returns pairs that should be equal. A pair with an undefined number is not compared. */
  readonly pairs: (answer: unknown) => readonly Pair[];
}

type Pair = readonly [number | undefined, number | undefined];

/** Returns undefined if the field is no list, or any item lacks the number. */
export const sumIn = (value: unknown, list: string, name: string): number | undefined =>
  listOf(value, list)?.reduce<number | undefined>((sum, item) => plus(sum, numberIn(item, name)), 0);

export const plus = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : one + other;

export const minus = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : one - other;

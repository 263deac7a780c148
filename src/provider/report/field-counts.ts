// Counts how the values of one documented field differ from their documentation.

import type { Shape } from '../documented-answers/shapes.ts';
import { type ObservedType, typeOf } from './value-types.ts';

/** A field whose values differ from its documentation. */
export type FieldJson = NonNullable<ReturnType<FieldCounts['toJson']>>;

export class FieldCounts {
  readonly #otherTypes = new TypeCounter();
  expected = 0;
  missing = 0;
  nulls = 0;
  unknownWords = 0;

  addOtherType(value: unknown): void {
    this.#otherTypes.add(value);
  }

  /** Returns undefined if all values are as documented. */
  toJson(path: string, shape: Shape) {
    if (!this.#isDifferent(shape)) return undefined;
    return {
      path,
      /** The documented type, such as `text or null`. */
      documented: describe(shape),
      /** How often the field was expected. The other numbers count some of these. */
      expected: this.expected,
      missing: this.missing,
      null: this.nulls,
      other_types: this.#otherTypes.toJson(),
      /** Values that are none of the documented words. */
      unknown_words: this.unknownWords,
    };
  }

  #isDifferent({ isNullable, isOptional }: Shape): boolean {
    const hasGaps = (this.missing > 0 && !isOptional) || (this.nulls > 0 && !isNullable);
    return hasGaps || this.unknownWords > 0 || !this.#otherTypes.isEmpty;
  }
}

const describe = (shape: Shape): string => {
  const types = shape.kind === 'value' ? shape.types : [shape.kind];
  return [...types, ...(shape.isNullable ? ['null'] : [])].join(' or ');
};

export type TypeCounts = Partial<Record<ObservedType, number>>;

export class TypeCounter {
  /** Most counters of an account stay empty, so they have no map until they count. */
  #counts: Map<ObservedType, number> | undefined;

  get isEmpty(): boolean {
    return !this.#counts;
  }

  add(value: unknown): void {
    const type = typeOf(value);
    this.#counts ??= new Map();
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  toJson(): TypeCounts {
    return Object.fromEntries(this.#counts ?? []);
  }
}

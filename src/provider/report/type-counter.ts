// Counts values by their type.

import { type ObservedType, typeOf } from './value-types.ts';

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

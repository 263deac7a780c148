// Counts the fields of one kind of object that the documentation does not have.

import { safeName } from './field-names.ts';
import type { Json } from './observed-answer.ts';
import { TypeCounter, type TypeCounts } from './type-counter.ts';

export interface UnknownFieldsJson {
  /** Fields with equal safe names are counted together. */
  readonly named: { readonly name: string; readonly types: TypeCounts }[];
  /** How often other unknown fields occurred. */
  readonly others: number;
}

const MAX_NAMES = 20;
/**
 * Of an object with more unknown fields, the rest is only counted. It is probably a map whose keys are data.
 */
const MAX_EXAMINED = 100;

export class UnknownFields {
  readonly #types = new Map<string, TypeCounter>();
  #others = 0;

  observe(object: Json, unknown: readonly string[]): void {
    for (const name of unknown.slice(0, MAX_EXAMINED)) {
      const types = this.#typesOf(safeName(name));
      if (types) types.add(object[name]);
      else this.#others += 1;
    }
    this.#others += Math.max(0, unknown.length - MAX_EXAMINED);
  }

  /** Returns undefined if there were no unknown fields. */
  toJson(): UnknownFieldsJson | undefined {
    if (this.#types.size === 0 && this.#others === 0) return undefined;
    const named = [...this.#types].map(([name, types]) => ({ name, types: types.toJson() }));
    return { named, others: this.#others };
  }

  #typesOf(name: string): TypeCounter | undefined {
    const known = this.#types.get(name);
    if (known || this.#types.size === MAX_NAMES) return known;
    const types = new TypeCounter();
    this.#types.set(name, types);
    return types;
  }
}

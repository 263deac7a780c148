// Compares the fields of a sample of answers with their documentation.

import type { Shape } from '../documented-answers/shapes.ts';
import type { FieldJson } from './field-counts.ts';
import { FieldObserver } from './field-observer.ts';
import type { UnknownFieldsJson } from './unknown-fields.ts';

export interface FieldComparisonJson {
  readonly compared_answers: number;
  /** The documented fields that differ from their documentation. */
  readonly fields: FieldJson[];
  readonly unknown_fields: (UnknownFieldsJson & { readonly path: string })[];
}

/** To compare an answer takes about as long as to parse its JSON, so the sample adds a twentieth to that. */
const ALL_COMPARED = 50;
const SHARE_COMPARED = 1 / 20;

/**
 * The first answers are all compared, then a random sample. A fixed rhythm could always meet the same part.
 */
export class FieldComparison {
  readonly #root: FieldObserver | undefined;
  readonly #random: () => number;
  #compared = 0;

  /**
   * `documented` is undefined if the documentation does not have the answer, which is then never compared.
   */
  constructor(documented: Shape | undefined, random: () => number) {
    this.#root = documented && new FieldObserver(documented);
    this.#random = random;
  }

  /** Returns whether the answer is in the sample. */
  observe(json: unknown): boolean {
    if (!this.#root || (this.#compared >= ALL_COMPARED && this.#random() >= SHARE_COMPARED)) return false;
    this.#compared += 1;
    this.#root.observe(json);
    return true;
  }

  toJson(): FieldComparisonJson {
    return {
      compared_answers: this.#compared,
      fields: this.#root?.differences() ?? [],
      unknown_fields: this.#root?.unknownFields() ?? [],
    };
  }
}

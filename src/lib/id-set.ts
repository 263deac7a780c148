// Keeps the ids of a listing.

import { insertionIndex } from './sorted.ts';

export interface IdSet {
  readonly size: number;
  has(id: string): boolean;
}

/** A set of ids, of which whole numbers in ascending order take 8 bytes each: a listing is sorted by id, and can have a million. */
export class SeenIds implements IdSet {
  #numbers = new Float64Array(64);
  #count = 0;
  readonly #others = new Set<string>();

  get size(): number {
    return this.#count + this.#others.size;
  }

  has(id: string): boolean {
    return this.#hasNumber(numberOf(id)) || this.#others.has(id);
  }

  add(id: string): void {
    const number = numberOf(id);
    if (number > (this.#numbers[this.#count - 1] ?? 0)) this.#push(number);
    else if (!this.#hasNumber(number)) this.#others.add(id);
  }

  #push(number: number): void {
    if (this.#count === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#count);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#count] = number;
    this.#count += 1;
  }

  #hasNumber(number: number): boolean {
    if (this.#count === 0 || Number.isNaN(number)) return false;
    return this.#numbers[insertionIndex(number, this.#numbers.subarray(0, this.#count))] === number;
  }
}

/** Returns NaN for a text that is not a whole number above 0 as it is usually written. */
const numberOf = (id: string): number => {
  const number = Number(id);
  return Number.isSafeInteger(number) && number > 0 && String(number) === id ? number : Number.NaN;
};

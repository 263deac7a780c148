// Searches sorted texts, and keeps the sorted ids of a listing.

/** Returns how many of the texts are before `key` in the order of JavaScript or, with `orEqual`, not after it. */
export const insertionIndex = (key: string, sorted: readonly string[], orEqual = false): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const text = sorted[middle] ?? '';
    if (text < key || (orEqual && text === key)) low = middle + 1;
    else high = middle;
  }
  return low;
};

export interface IdSet {
  readonly size: number;
  has(id: string): boolean;
}

const WORDS = 4;

/** A set of ids, of which UUIDs in ascending order take 16 bytes each: a listing is sorted by id, and can have a million. */
export class SeenIds implements IdSet {
  #words = new Uint32Array(64 * WORDS);
  #count = 0;
  readonly #given = new Uint32Array(WORDS);
  readonly #others = new Set<string>();

  get size(): number {
    return this.#count + this.#others.size;
  }

  has(id: string): boolean {
    return this.#others.has(id) || (readUuid(id, this.#given) && this.#hasGiven());
  }

  add(id: string): void {
    const isUuid = readUuid(id, this.#given);
    if (isUuid && (this.#count === 0 || this.#compare(this.#count - 1) > 0)) this.#push();
    else if (!isUuid || !this.#hasGiven()) this.#others.add(id);
  }

  #push(): void {
    if (this.#count * WORDS === this.#words.length) {
      const larger = new Uint32Array(2 * this.#words.length);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words.set(this.#given, this.#count * WORDS);
    this.#count += 1;
  }

  #hasGiven(): boolean {
    let [low, high] = [0, this.#count - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle);
      if (order === 0) return true;
      if (order > 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }

  /** Returns a number below 0, 0, or above 0 if the given UUID comes before, is, or comes after the one at `place`. */
  #compare(place: number): number {
    for (let word = 0; word < WORDS; word += 1) {
      const difference = (this.#given[word] ?? 0) - (this.#words[place * WORDS + word] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Returns whether the id is a UUID in small letters. */
const readUuid = (id: string, words: Uint32Array): boolean => {
  if (!UUID.test(id)) return false;
  const digits = id.replaceAll('-', '');
  for (let word = 0; word < WORDS; word += 1)
    words[word] = Number.parseInt(digits.slice(8 * word, 8 * word + 8), 16);
  return true;
};

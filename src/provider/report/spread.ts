// Summarizes measurements, such as durations, in constant memory.

/** Median and p95 are those of the newest measurements only. */
const KEPT = 100;

export class Spread {
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  readonly #newest: number[] = [];

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    this.#newest[this.#count % KEPT] = value;
    this.#count += 1;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  /** Returns null if nothing was measured. */
  toJson() {
    const { length } = this.#newest;
    if (length === 0) return null;
    const sorted = this.#newest.toSorted((a, b) => a - b);
    const at = (share: number): number => rounded(sorted[Math.ceil(share * length) - 1] ?? 0);
    const [min, max] = [rounded(this.#min), rounded(this.#max)];
    return { count: this.#count, min, median: at(0.5), p95: at(0.95), max };
  }
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

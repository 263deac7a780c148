// Computes increase() as Prometheus does: over all scrapes, where a decrease counts as a reset.

/** Adds up the growth of every series by its name and labels. */
export class Increase {
  readonly #last = new Map<string, number>();
  readonly #sum = new Map<string, number>();

  /** The first value of a new series adds nothing. */
  scrape(counters: Readonly<Record<string, number>>): void {
    for (const [series, value] of Object.entries(counters)) {
      const last = this.#last.get(series);
      const growth = last === undefined ? 0 : value < last ? value : value - last;
      this.#sum.set(series, this.of(series) + growth);
      this.#last.set(series, value);
    }
  }

  of(series: string): number {
    return this.#sum.get(series) ?? 0;
  }
}

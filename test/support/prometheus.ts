// What Prometheus makes of counters: increase() over all scrapes, a fall taken for a reset.

/** Sums up the growth of every series, by its name and labels. */
export class Increase {
  readonly #last = new Map<string, number>();
  readonly #sum = new Map<string, number>();

  /** A series that is new, or that was away, begins with its first value: it adds nothing. */
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

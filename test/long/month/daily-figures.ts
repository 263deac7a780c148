// Records figures of each day.

export class DailyFigures {
  readonly #days = new Map<string, number[]>();
  #count = 0;

  /** Figures that are missing on a day are 0. */
  add(figures: Readonly<Record<string, number>>): void {
    for (const name of Object.keys(figures))
      if (!this.#days.has(name)) this.#days.set(name, Array(this.#count).fill(0));
    for (const [name, values] of this.#days) values[this.#count] = figures[name] ?? 0;
    this.#count += 1;
  }

  get names(): string[] {
    return [...this.#days.keys()];
  }

  /** Returns the value of the last day. */
  last(name: string): number {
    return this.#days.get(name)?.[this.#count - 1] ?? 0;
  }

  /** Returns the mean over the days from `first` to `last`, counted from 0. */
  mean(name: string, [first, last]: Days): number {
    const values = (this.#days.get(name) ?? []).slice(first, last + 1);
    return values.reduce((sum, value) => sum + (value ?? 0), 0) / values.length;
  }
}

export type Days = readonly [first: number, last: number];

// Records figures of days.

export type Days = readonly [first: number, last: number];
type Figures = Readonly<Record<string, number>>;

export class DailyFigures {
  readonly #days = new Map<number, Figures>();

  add(day: number, figures: Figures): void {
    this.#days.set(day, figures);
  }

  get names(): string[] {
    return [...new Set([...this.#days.values()].flatMap(Object.keys))];
  }

  /** Returns the value of the last recorded day. */
  last(name: string): number {
    return [...this.#days.values()].at(-1)?.[name] ?? 0;
  }

  /** Returns the mean over the days, counted from 0. Figures that are missing on a day are 0. */
  mean(name: string, [first, last]: Days): number {
    const days = [...this.#days].filter(([day]) => day >= first && day <= last);
    return days.reduce((sum, [, figures]) => sum + (figures[name] ?? 0), 0) / days.length;
  }
}

// Finds samples of a scrape by name and some of their labels.

import { type ParsedSample, parse } from '../metrics/support.ts';

type Labels = Readonly<Record<string, string>>;

export class Samples {
  readonly #samples: readonly ParsedSample[];

  constructor(exposition: string) {
    this.#samples = parse(exposition);
  }

  /** Returns all samples with the name that have these labels. They may have others. */
  all(name: string, labels: Labels = {}): ParsedSample[] {
    return this.#samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** Returns the value of the only sample with the name and these labels, or undefined. Throws if there are several. */
  value(name: string, labels: Labels = {}): number | undefined {
    const [sample, ...others] = this.all(name, labels);
    if (others.length > 0) throw new Error(`${name} has ${others.length + 1} such samples`);
    return sample?.value;
  }

  /** Returns the values of a family by one label, of the samples that have `labels`. */
  by(label: string, name: string, labels: Labels = {}): Record<string, number> {
    return Object.fromEntries(
      this.all(name, labels).map((sample) => [sample.labels[label] ?? '', sample.value]),
    );
  }
}

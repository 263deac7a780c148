// Samples of a scrape, found by name and the labels that matter.

import { type ParsedSample, parse } from '../metrics/support.ts';

type Labels = Readonly<Record<string, string>>;

export class Samples {
  readonly #samples: readonly ParsedSample[];

  constructor(exposition: string) {
    this.#samples = parse(exposition);
  }

  /** All samples with the name that have these labels, and others perhaps. */
  all(name: string, labels: Labels = {}): ParsedSample[] {
    return this.#samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** The value of the only sample with the name and these labels; undefined when there is none. */
  value(name: string, labels: Labels = {}): number | undefined {
    const [sample, ...others] = this.all(name, labels);
    if (others.length > 0) throw new Error(`${name} has ${others.length + 1} such samples`);
    return sample?.value;
  }

  /** Values of a family by one label, among the samples with these labels. */
  by(label: string, name: string, labels: Labels = {}): Record<string, number> {
    return Object.fromEntries(
      this.all(name, labels).map((sample) => [sample.labels[label] ?? '', sample.value]),
    );
  }
}

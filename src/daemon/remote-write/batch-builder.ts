// Collects samples by series into a batch for one receiver.

import type { HistorySample } from '../../collectors/published-history.ts';
import type { Batch, Sample, Series } from '../../remote-write/series.ts';
import type { SentHistory } from './histories.ts';

/** The most samples of a batch. Prometheus sends as many by default. */
export const MAX_SAMPLES = 5_000;

/** The most samples that one row or correction has. */
const ROOM = 20;

export class BatchBuilder {
  readonly #externalLabels: Readonly<Record<string, string>>;
  readonly #series = new Map<string, { readonly labels: Series['labels']; readonly samples: Sample[] }>();
  #count = 0;

  constructor(externalLabels: Readonly<Record<string, string>>) {
    this.#externalLabels = externalLabels;
  }

  /** Whether another row may have more samples than fit. */
  get isFull(): boolean {
    return this.#count > MAX_SAMPLES - ROOM;
  }

  get count(): number {
    return this.#count;
  }

  get batch(): Batch {
    return [...this.#series.values()];
  }

  add({ source, context }: SentHistory, index: number, { labels, at, value }: HistorySample): void {
    const name = source.families[index]?.family.name ?? '';
    const { name: account } = context.account;
    const key = JSON.stringify([name, account, labels]);
    const series = this.#series.get(key) ?? {
      labels: Object.entries({ ...this.#externalLabels, ...labels, __name__: name, account }),
      samples: [],
    };
    series.samples.push({ at, value });
    this.#series.set(key, series);
    this.#count += 1;
  }
}

// Turns samples into lines, gathers them by family, and passes them on in short texts.

import type { Family, HistogramValue, SampleSink } from '../lib/family.ts';
import { LabelRenderer } from './label-renderer.ts';
import { bucketBound } from './text-format.ts';

/** Receives finished texts: whole lines of one family, about 8 KiB at a time. */
export interface TextOutput {
  take(family: string, text: string): void;
  /** Resolves when the output can take more. */
  drain(): Promise<void>;
}

// V8 keeps a concatenated string as a tree until it is written. Longer texts would cost too much garbage collection.
const MAX_TEXT_LENGTH = 8 * 1024;

export class SampleWriter implements SampleSink {
  readonly #texts = new Map<string, string>();
  readonly #labels: LabelRenderer;
  readonly #output: TextOutput;

  /** Only families named in `families` can be written. An empty account adds no label. */
  constructor(families: Iterable<string>, account: string, output: TextOutput) {
    for (const name of families) this.#texts.set(name, '');
    this.#labels = new LabelRenderer(account);
    this.#output = output;
  }

  sample<L extends string>(
    { name, labels: names }: Family<L>,
    labels: Readonly<Record<L, string>>,
    value: number | null | undefined,
  ): void {
    if (!Number.isFinite(value)) return;
    this.#append(name, `${name}${this.#labels.render(names, labels).closed} ${value}\n`);
  }

  histogram<L extends string>(
    { name, labels: names }: Family<L>,
    labels: Readonly<Record<L, string>>,
    { bounds, counts, sum, count }: HistogramValue,
  ): void {
    const { closed, open } = this.#labels.render(names, labels);
    const bucket = (le: string, value: number) => `${name}_bucket${open}le="${le}"} ${value}\n`;
    const buckets = bounds.map((bound, index) => bucket(bucketBound(bound), counts[index] ?? 0)).join('');
    const totals = `${name}_sum${closed} ${sum}\n${name}_count${closed} ${count}\n`;
    this.#append(name, `${buckets}${bucket('+Inf', count)}${totals}`);
  }

  drain(): Promise<void> {
    return this.#output.drain();
  }

  /** Passes on the texts that are left. */
  finish(): void {
    for (const [name, text] of this.#texts) if (text !== '') this.#output.take(name, text);
  }

  #append(name: string, lines: string): void {
    const text = this.#texts.get(name);
    if (text === undefined) throw new Error(`The family ${name} is not in the exposition's list`);
    if (text.length + lines.length < MAX_TEXT_LENGTH) {
      this.#texts.set(name, text + lines);
    } else {
      this.#texts.set(name, '');
      this.#output.take(name, text + lines);
    }
  }
}

// The sink that turns samples into lines, gathered family by family and handed on in short texts.

import type { Family, HistogramValue, SampleSink } from '../lib/family.ts';
import { LabelBlock } from './label-block.ts';
import { bucketBound } from './text-format.ts';

/** Where finished texts go: whole lines of one family, some 8 KiB at a time. */
export interface TextOutput {
  take(family: string, text: string): void;
  /** Resolves when there is room for more. */
  drain(): Promise<void>;
}

// Texts are trees of pieces until they are written: longer ones keep the garbage collector busy.
const TEXT_LENGTH = 8 * 1024;

export class SampleWriter implements SampleSink {
  readonly #texts = new Map<string, string>();
  readonly #labels: LabelBlock;
  readonly #output: TextOutput;

  /** `families` names what may be written; an empty account adds no label. */
  constructor(families: Iterable<string>, account: string, output: TextOutput) {
    for (const name of families) this.#texts.set(name, '');
    this.#labels = new LabelBlock(account);
    this.#output = output;
  }

  sample<L extends string>(
    { name, labels: names }: Family<L>,
    labels: Readonly<Record<L, string>>,
    value: number | null | undefined,
  ): void {
    if (!Number.isFinite(value)) return;
    this.#append(name, `${name}${this.#labels.textOf(names, labels).closed} ${value}\n`);
  }

  histogram<L extends string>(
    { name, labels: names }: Family<L>,
    labels: Readonly<Record<L, string>>,
    { bounds, counts, sum, count }: HistogramValue,
  ): void {
    const { closed, open } = this.#labels.textOf(names, labels);
    const bucket = (le: string, value: number) => `${name}_bucket${open}le="${le}"} ${value}\n`;
    const buckets = bounds.map((bound, index) => bucket(bucketBound(bound), counts[index] ?? 0)).join('');
    const totals = `${name}_sum${closed} ${sum}\n${name}_count${closed} ${count}\n`;
    this.#append(name, `${buckets}${bucket('+Inf', count)}${totals}`);
  }

  drain(): Promise<void> {
    return this.#output.drain();
  }

  /** Hands on what is left. */
  finish(): void {
    for (const [name, text] of this.#texts) if (text !== '') this.#output.take(name, text);
  }

  #append(name: string, lines: string): void {
    const text = this.#texts.get(name);
    if (text === undefined) throw new Error(`The family ${name} is not in the exposition's list`);
    if (text.length + lines.length < TEXT_LENGTH) {
      this.#texts.set(name, text + lines);
    } else {
      this.#texts.set(name, '');
      this.#output.take(name, text + lines);
    }
  }
}

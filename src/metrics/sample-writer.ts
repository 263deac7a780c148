// Turns samples into lines, gathers them by family, and passes them on in chunks.

import type { Family, HistogramValue, SampleSink } from '../lib/family.ts';
import { LabelRenderer } from './label-renderer.ts';
import { LineBuffer } from './line-buffer.ts';
import { bucketBound } from './text-format.ts';

/** Receives finished chunks: whole lines of one family, 256 KiB at a time. */
export interface LineOutput {
  /** Later lines overwrite the bytes, so the output must not keep them. */
  take(family: string, lines: Buffer): void;
  /** Resolves when the output can take more. */
  drain(): Promise<void>;
}

/** Deflating that many bytes takes half a millisecond, which is long compared to zlib's start-up cost. */
const CHUNK_BYTES = 256 * 1024;

interface FamilyLines {
  readonly name: Buffer;
  readonly lines: LineBuffer;
}

export class SampleWriter implements SampleSink {
  readonly #families = new Map<string, FamilyLines>();
  readonly #known: ReadonlySet<string>;
  readonly #labels: LabelRenderer;
  readonly #output: LineOutput;

  /** Only families named in `families` can be written. Others are left out if they are derived. An empty account adds no label. */
  constructor(families: Iterable<string>, account: string, output: LineOutput) {
    this.#known = new Set(families);
    this.#labels = new LabelRenderer(account);
    this.#output = output;
  }

  sample<L extends string>(
    { name, labels: names, isDerived }: Family<L>,
    labels: Readonly<Record<L, string>>,
    value: number | null | undefined,
  ): void {
    if (value === null || value === undefined || !Number.isFinite(value)) return;
    if (isDerived && !this.#known.has(name)) return;
    const family = this.#linesOf(name);
    family.lines.addSample(family.name, this.#labels.render(names, labels), value);
    this.#passOn(name, family.lines);
  }

  histogram<L extends string>(
    { name, labels: names }: Family<L>,
    labels: Readonly<Record<L, string>>,
    { bounds, counts, sum, count }: HistogramValue,
  ): void {
    const closed = this.#labels.render(names, labels);
    // The label `le` follows the others.
    const open = closed === '' ? '{' : `${closed.slice(0, -1)},`;
    const bucket = (le: string, value: number) => `${name}_bucket${open}le="${le}"} ${value}\n`;
    const buckets = bounds.map((bound, index) => bucket(bucketBound(bound), counts[index] ?? 0)).join('');
    const totals = `${name}_sum${closed} ${sum}\n${name}_count${closed} ${count}\n`;
    const { lines } = this.#linesOf(name);
    lines.addText(`${buckets}${bucket('+Inf', count)}${totals}`);
    this.#passOn(name, lines);
  }

  drain(): Promise<void> {
    return this.#output.drain();
  }

  /** Passes on the lines that are left. */
  finish(): void {
    for (const [name, { lines }] of this.#families)
      if (lines.length > 0) this.#output.take(name, lines.take());
  }

  #linesOf(name: string): FamilyLines {
    const known = this.#families.get(name);
    if (known) return known;
    if (!this.#known.has(name)) throw new Error(`The family ${name} is not in the exposition's list`);
    const family = { name: Buffer.from(name), lines: new LineBuffer() };
    this.#families.set(name, family);
    return family;
  }

  #passOn(name: string, lines: LineBuffer): void {
    if (lines.length >= CHUNK_BYTES) this.#output.take(name, lines.take());
  }
}

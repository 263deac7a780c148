// Turns samples into lines, gathers them by family, and passes them on in chunks.

import type { Family, HistogramValue, SampleBlocks, SampleSink } from '../lib/family.ts';
import { bucketBound, LabelRenderer } from './text-format.ts';

/** Receives finished chunks: whole lines of one family, 256 KiB at a time. */
export interface LineOutput {
  /** Later lines overwrite the bytes, so the output must not keep them. */
  take(family: string, lines: Buffer): void;
  /** Resolves when the output can take more. */
  drain(): Promise<void>;
  /** The rest is optional: an output of blocks has the lines that are written, and takes those of a block as a whole. */
  readonly blocks?: SampleBlocks;
  readonly keepsLines?: boolean;
  linesOf?(family: string): LineBuffer;
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

  get blocks(): SampleBlocks | undefined {
    return this.#output.blocks;
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
    const family = { name: Buffer.from(name), lines: this.#output.linesOf?.(name) ?? new LineBuffer() };
    this.#families.set(name, family);
    return family;
  }

  #passOn(name: string, lines: LineBuffer): void {
    if (lines.length >= CHUNK_BYTES && !this.#output.keepsLines) this.#output.take(name, lines.take());
  }
}

const FIRST_BYTES = 1_024;
/** The most bytes that one character of a JavaScript string has in UTF-8. */
const BYTES_PER_CHARACTER = 3;
/** No number is longer as text. */
const NUMBER_BYTES = 32;
const [SPACE, NEWLINE, ZERO] = [0x20, 0x0a, 0x30];

/** Collects lines as bytes. As strings, the lines of 100,000 users would be 100 MB of garbage. */
export class LineBuffer {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds the line `<name><labels> <value>`. */
  addSample(name: Uint8Array, labels: string, value: number): void {
    this.#reserve(name.length + labels.length * BYTES_PER_CHARACTER + NUMBER_BYTES);
    this.#bytes.set(name, this.#length);
    this.#length += name.length;
    this.#length += this.#bytes.write(labels, this.#length);
    this.#addByte(SPACE);
    this.#addNumber(value);
    this.#addByte(NEWLINE);
  }

  addText(text: string): void {
    this.#reserve(text.length * BYTES_PER_CHARACTER);
    this.#length += this.#bytes.write(text, this.#length);
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns the collected bytes and starts again with none. The next line overwrites the returned bytes. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, wanted, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  #addByte(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  /** Whole numbers are written digit by digit, which makes no garbage. */
  #addNumber(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      this.#length += this.#bytes.write(String(value), this.#length);
      return;
    }
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
    this.#length += digits;
    for (let at = this.#length - 1, rest = value; digits > 0; at -= 1, digits -= 1) {
      const tenth = Math.floor(rest / 10);
      this.#bytes[at] = ZERO + (rest - 10 * tenth);
      rest = tenth;
    }
  }
}

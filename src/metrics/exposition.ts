// What /metrics shows: rendered part by part off the scrape path, and sent compressed as it is kept.

import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Family, SampleSink } from '../lib/family.ts';
import type { Negotiated } from './negotiate.ts';
import { SampleWriter } from './sample-writer.ts';
import { isEverything, isSelected, type Selection, selecting } from './selection.ts';
import { gzipChunks, joinSlices, type Slice, sliceOf } from './slice.ts';
import { SliceOutput } from './slice-output.ts';
import { CONTENT_TYPES, type Format, headerOf, TRAILERS } from './text-format.ts';

/** What is rendered anew at once: one collector's families of one account; `''` is the process as a whole. */
export interface Part {
  readonly collector: string;
  readonly account: string;
  /** Tells parts of one collector and account apart. */
  readonly section?: string;
}

/** Metrics that are read at scrape time: few, and about the daemon itself. */
export interface MetricSource {
  readonly families: readonly Family[];
  /** Labels are written as they are given, `account` too. */
  write(sink: SampleSink): Promise<void>;
}

export interface Scrape {
  readonly contentType: string;
  readonly contentEncoding?: 'gzip';
  /** Bytes of the body. */
  readonly contentLength: number;
  readonly body: Readable;
}

interface RenderedPart extends Part {
  /** By the family's name. */
  readonly slices: ReadonlyMap<string, Slice>;
}

export class Exposition {
  /** By the family's name, in the order of the output. */
  readonly #headers: ReadonlyMap<string, Readonly<Record<Format, Slice>>>;
  readonly #own: MetricSource;
  readonly #parts = new Map<string, RenderedPart>();
  /** Renderings and drops are numbered as they begin, so that none undoes a newer one of its part. */
  #turn = 0;
  readonly #settled = new Map<string, number>();
  /** What every scraper gets between two renderings, joined once for each format that was asked for. */
  readonly #whole = new Map<Format, Slice>();

  /** Families are written in the order given, each contiguous over all parts; those of `own` come last. */
  constructor(families: readonly Family[], own: MetricSource = { families: [], write: async () => {} }) {
    this.#headers = new Map(families.map((family) => [family.name, headersOf(family)]));
    this.#own = own;
    const all = [...families, ...own.families].map(({ name }) => name);
    const twice = all.find((name, index) => all.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`The family ${twice} is listed twice`);
  }

  /**
   * Replaces the part by what `write` writes, at once and only when all is written; on an error nothing changes,
   * and neither when the part was dropped meanwhile or a rendering that began later is in its place already.
   */
  async render(part: Part, write: (sink: SampleSink) => Promise<void>): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const output = new SliceOutput();
    const writer = new SampleWriter(this.#headers.keys(), part.account, output);
    await write(writer);
    writer.finish();
    if (turn < (this.#settled.get(keyOf(part)) ?? 0)) return;
    this.#settled.set(keyOf(part), turn);
    this.#parts.set(keyOf(part), { ...part, slices: output.finish() });
    this.#whole.clear();
  }

  drop(part: Part): void {
    this.#turn += 1;
    this.#settled.set(keyOf(part), this.#turn);
    this.#parts.delete(keyOf(part));
    this.#whole.clear();
  }

  dropAccount(account: string): void {
    for (const part of this.#parts.values()) if (part.account === account) this.drop(part);
  }

  async scrape({ format, encoding, ...selection }: Negotiated & Selection): Promise<Scrape> {
    const rendered = this.#rendered(format, selection);
    const own = sliceOf(Buffer.from((await this.#ownText(format, selection)) + TRAILERS[format]));
    const chunks = gzipChunks([rendered, own]);
    const contentType = CONTENT_TYPES[format];
    return encoding === 'gzip'
      ? { contentType, contentEncoding: 'gzip', contentLength: bytesOf(chunks), body: Readable.from(chunks) }
      : { contentType, contentLength: rendered.length + own.length, body: inflated(chunks) };
  }

  #rendered(format: Format, selection: Selection): Slice {
    if (!isEverything(selection)) return this.#join(format, selection);
    const whole = this.#whole.get(format) ?? this.#join(format, selection);
    this.#whole.set(format, whole);
    return whole;
  }

  #join(format: Format, selection: Selection): Slice {
    const keys = [...this.#parts.keys()].sort();
    const parts = keys.map((key) => this.#parts.get(key)).filter((part) => part !== undefined);
    const selected = parts.filter((part) => isSelected(selection, part));
    const slices: Slice[] = [];
    for (const [family, headers] of this.#headers) {
      const samples = selected.map((part) => part.slices.get(family)).filter((slice) => slice !== undefined);
      if (samples.length > 0) slices.push(headers[format], ...samples);
    }
    return joinSlices(slices);
  }

  async #ownText(format: Format, selection: Selection): Promise<string> {
    const texts = new Map<string, string>(this.#own.families.map(({ name }) => [name, '']));
    const writer = new SampleWriter(texts.keys(), '', {
      take: (family, text) => texts.set(family, texts.get(family) + text),
      drain: async () => {},
    });
    await this.#own.write(selecting(writer, selection));
    writer.finish();
    const written = this.#own.families.filter(({ name }) => texts.get(name) !== '');
    return written.map((family) => headerOf(family, format) + texts.get(family.name)).join('');
  }
}

const headersOf = (family: Family): Readonly<Record<Format, Slice>> => ({
  text: sliceOf(Buffer.from(headerOf(family, 'text'))),
  openmetrics: sliceOf(Buffer.from(headerOf(family, 'openmetrics'))),
});

/** Sorts by account, then collector. */
const keyOf = ({ account, collector, section = '' }: Part): string =>
  JSON.stringify([account, collector, section]);

const bytesOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, { length }) => sum + length, 0);

/** Plain text is never kept: who asks for it gets it inflated, a little at a time. */
const inflated = (chunks: readonly Buffer[]): Readable =>
  // Whoever reads the body sees its errors; a reader that left early is none.
  pipeline(Readable.from(chunks), createGunzip({ chunkSize: 64 * 1024 }), () => {});

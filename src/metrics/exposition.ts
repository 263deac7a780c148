// Renders /metrics part by part outside of scrapes, keeps the parts compressed, and sends those selected as they are.

import type { Readable } from 'node:stream';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Family, SampleSink } from '../lib/family.ts';
import { BlockOutput, type RenderedSlices } from './block-output.ts';
import type { Negotiated } from './negotiate.ts';
import { PacedBodies, PlainText } from './paced-body.ts';
import { SampleWriter } from './sample-writer.ts';
import { gzipFile, listOf, type Slice, type SliceList, sliceOf } from './slice.ts';
import { CONTENT_TYPES, type Format, headerOf, TRAILERS } from './text-format.ts';

/** The unit of rendering: the families of one collector for one account. `''` stands for the whole process. */
export interface ExpositionPart {
  readonly collector: string;
  readonly account: string;
  /** Distinguishes several parts of one collector and account. */
  readonly section?: string;
}

/** A few metrics about the daemon itself, which are read at scrape time. */
export interface MetricSource {
  readonly families: readonly Family[];
  /** Writes the samples with all their labels; the sink adds no `account`. */
  write(sink: SampleSink): Promise<void>;
}

export interface Scrape {
  readonly contentType: string;
  readonly contentEncoding?: 'gzip';
  /** The length of the body in bytes. */
  readonly contentLength: number;
  readonly body: Readable;
}

type RenderedPart = ExpositionPart & RenderedSlices;

export class Exposition {
  /** By the name of the family, in the order of the output. */
  readonly #families: ReadonlyMap<string, Family>;
  /** Deflated when they are first needed, by format and the name of the family. */
  readonly #headers: Readonly<Record<Format, Map<string, Slice>>> = {
    text: new Map(),
    openmetrics: new Map(),
  };
  readonly #scrapeTime: MetricSource;
  readonly #parts = new Map<string, RenderedPart>();
  /** Numbers renderings and drops in the order in which they start, so that none undoes a newer one of the same part. */
  #sequence = 0;
  readonly #latestSequence = new Map<string, number>();
  readonly #dropped = new Set<string>();
  #renderingCount = 0;
  /** By format: the slices of all parts, without a selection. They are listed at the first scrape after a rendering. */
  readonly #lists = new Map<Format, SliceList>();
  /** By format and selection. */
  readonly #scrapeTimeSlices = new Map<string, Promise<Slice>>();
  readonly #bodies = new PacedBodies();
  readonly #plainText: PlainText;

  /** Families are written in the order given, each contiguous over all parts. Those of `scrapeTime` come last. */
  constructor(
    families: readonly Family[],
    scrapeTime: MetricSource = { families: [], write: async () => {} },
    clock: Clock = systemClock,
  ) {
    this.#plainText = new PlainText(clock);
    this.#families = new Map(families.map((family) => [family.name, family]));
    this.#scrapeTime = scrapeTime;
    const all = [...families, ...scrapeTime.families].map(({ name }) => name);
    const duplicate = all.find((name, index) => all.indexOf(name) !== index);
    if (duplicate !== undefined) throw new Error(`The family ${duplicate} is listed twice`);
  }

  /**
   * Replaces the part by what `write` writes, atomically when all is written. On an error nothing changes. It also does
   * nothing if the part was dropped meanwhile, or if a rendering that started later has ended first.
   */
  async render(part: ExpositionPart, write: (sink: SampleSink) => Promise<void>): Promise<void> {
    this.#sequence += 1;
    this.#renderingCount += 1;
    try {
      await this.#render(part, write, this.#sequence);
    } finally {
      this.#renderingCount -= 1;
      this.#forgetDropped();
    }
  }

  /** The bytes of all parts as plain text. */
  get length(): number {
    let length = 0;
    for (const { slices } of this.#parts.values())
      for (const slice of slices.values()) length += slice.length;
    return length;
  }

  drop(part: ExpositionPart): void {
    this.#sequence += 1;
    this.#latestSequence.set(keyOf(part), this.#sequence);
    this.#dropped.add(keyOf(part));
    this.#parts.delete(keyOf(part));
    this.#lists.clear();
    this.#forgetDropped();
  }

  dropAccount(account: string): void {
    for (const part of this.#parts.values()) if (part.account === account) this.drop(part);
  }

  /** Throws BusyError if too many clients want plain text. `isGone` says whether the client has disconnected. */
  async scrape(
    { format, encoding, ...selection }: Negotiated & Selection,
    isGone?: () => boolean,
  ): Promise<Scrape> {
    const list = this.#listOf(format, selection);
    const last = await this.#scrapeTimeSlice(format, selection);
    const contentType = CONTENT_TYPES[format];
    if (encoding === 'gzip') {
      const { chunks, length } = gzipFile(list, last);
      const body = this.#bodies.open(chunks);
      return { contentType, contentEncoding: 'gzip', contentLength: length, body };
    }
    const body = await this.#plainText.open(list.slices, last, isGone);
    return { contentType, contentLength: list.length + last.length, body };
  }

  async #render(
    part: ExpositionPart,
    write: (sink: SampleSink) => Promise<void>,
    sequence: number,
  ): Promise<void> {
    const output = new BlockOutput(this.#parts.get(keyOf(part))?.written);
    const writer = new SampleWriter(this.#families.keys(), part.account, output);
    await write(writer);
    writer.finish();
    if (sequence < (this.#latestSequence.get(keyOf(part)) ?? 0)) return;
    this.#latestSequence.set(keyOf(part), sequence);
    this.#parts.set(keyOf(part), { ...part, ...output.finish() });
    this.#lists.clear();
  }

  /** The number of a dropped part matters only to renderings that started before the drop. */
  #forgetDropped(): void {
    if (this.#renderingCount > 0) return;
    for (const key of this.#dropped) if (!this.#parts.has(key)) this.#latestSequence.delete(key);
    this.#dropped.clear();
  }

  /** The slices are not joined, so that answers to clients that read slowly share the memory of the parts. */
  #listOf(format: Format, selection: Selection): SliceList {
    if (!selectsAll(selection)) return listOf(this.#slicesOf(format, selection));
    const list = this.#lists.get(format) ?? listOf(this.#slicesOf(format, selection));
    this.#lists.set(format, list);
    return list;
  }

  #slicesOf(format: Format, selection: Selection): readonly Slice[] {
    const byFamily = new Map<string, Slice[]>([...this.#families.keys()].map((family) => [family, []]));
    for (const key of [...this.#parts.keys()].sort()) {
      const part = this.#parts.get(key);
      if (part && isSelected(selection, part))
        for (const [family, slice] of part.slices) byFamily.get(family)?.push(slice);
    }
    return [...this.#families.values()].flatMap((family) => {
      const samples = byFamily.get(family.name) ?? [];
      return samples.length > 0 ? [this.#headerSlice(family, format), ...samples] : [];
    });
  }

  #headerSlice(family: Family, format: Format): Slice {
    const known = this.#headers[format].get(family.name);
    if (known) return known;
    const slice = sliceOf(Buffer.from(headerOf(family, format)));
    this.#headers[format].set(family.name, slice);
    return slice;
  }

  /** Scrapes of the same turn of the event loop share it, so that a burst of clients costs little more than one. */
  #scrapeTimeSlice(format: Format, selection: Selection): Promise<Slice> {
    const key = JSON.stringify([format, selection]);
    const current = this.#scrapeTimeSlices.get(key);
    if (current) return current;
    const slice = this.#scrapeTimeText(format, selection).then((text) => sliceOf(text));
    this.#scrapeTimeSlices.set(key, slice);
    setImmediate(() => this.#scrapeTimeSlices.delete(key));
    return slice;
  }

  async #scrapeTimeText(format: Format, selection: Selection): Promise<Buffer> {
    const chunks = new Map<string, Buffer[]>(this.#scrapeTime.families.map(({ name }) => [name, []]));
    const writer = new SampleWriter(chunks.keys(), '', {
      take: (family, lines) => chunks.get(family)?.push(Buffer.from(lines)),
      drain: async () => {},
    });
    await this.#scrapeTime.write(filterSink(writer, selection));
    writer.finish();
    const blocks = this.#scrapeTime.families.flatMap((family) => {
      const lines = chunks.get(family.name) ?? [];
      return lines.length === 0 ? [] : [Buffer.from(headerOf(family, format)), ...lines];
    });
    return Buffer.concat([...blocks, Buffer.from(TRAILERS[format])]);
  }
}

const keyOf = ({ account, collector, section = '' }: ExpositionPart): string =>
  JSON.stringify([account, collector, section]);

/** Names to show; no names mean all. Samples without an account or without a collector are always shown. */
export interface Selection {
  readonly accounts?: readonly string[] | undefined;
  readonly collectors?: readonly string[] | undefined;
}

const selectsAll = ({ accounts = [], collectors = [] }: Selection): boolean =>
  accounts.length + collectors.length === 0;

const isSelected = (
  { accounts, collectors }: Selection,
  { account, collector }: { readonly account?: string | undefined; readonly collector?: string | undefined },
): boolean => isNamed(accounts, account) && isNamed(collectors, collector);

/** Passes on the samples whose labels `account` and `collector` are selected. */
const filterSink = (sink: SampleSink, selection: Selection): SampleSink => ({
  sample: (family, labels, value) => {
    if (isSelected(selection, labels)) sink.sample(family, labels, value);
  },
  histogram: (family, labels, value) => {
    if (isSelected(selection, labels)) sink.histogram(family, labels, value);
  },
  drain: () => sink.drain(),
});

const isNamed = (names: readonly string[] = [], name = ''): boolean =>
  names.length === 0 || name === '' || names.includes(name);

// Deflates the lines of a part in blocks of items, and deflates a block again only if one of its items changed.

import type { SampleBlocks } from '../lib/family.ts';
import { LineBuffer, type LineOutput } from './sample-writer.ts';
import { joinSlices, plainOf, type Slice, SliceOutput, sliceOf } from './slice.ts';

interface BlockText {
  readonly slice: Slice;
  /** Where the text of each item ends (bytes). */
  readonly ends: Uint32Array;
}

/** By the name of the family. */
type Block = ReadonlyMap<string, BlockText>;

export interface WrittenBlocks {
  readonly list: object;
  readonly blocks: readonly Block[];
}

export interface RenderedSlices {
  /** By the name of the family. */
  readonly slices: ReadonlyMap<string, Slice>;
  readonly written: WrittenBlocks | undefined;
}

/** Lines in no block follow those of blocks. */
export class BlockOutput implements LineOutput {
  readonly #shown: WrittenBlocks | undefined;
  readonly #others = new SliceOutput();
  readonly #texts = new Map<string, FamilyText>();
  readonly #blocks: Block[] = [];
  #list: object | undefined;
  #isOpen = false;
  /** The block at this place of the list before. */
  #before: Block = NO_TEXT;
  /** How many items of the block are in the texts. */
  #written = 0;

  /** `shown` are the blocks that the part shows. */
  constructor(shown: WrittenBlocks | undefined) {
    this.#shown = shown;
  }

  readonly blocks: SampleBlocks = {
    begin: (list, before) => {
      [this.#list, this.#isOpen] = [list, true];
      const canRepeat = before !== undefined && before === this.#shown?.list;
      this.#beginBlock();
      return canRepeat;
    },
    beginItem: (place) => this.#repeatUntil(place),
    endItem: () => {
      this.#written += 1;
      for (const text of this.#texts.values()) text.end();
    },
    endBlock: (items) => this.#endBlock(items),
    close: () => {
      this.#isOpen = false;
    },
  };

  /** A block is taken as a whole. */
  get keepsLines(): boolean {
    return this.#isOpen;
  }

  linesOf(family: string): LineBuffer {
    return this.#textOf(family).lines;
  }

  take(family: string, lines: Buffer): void {
    this.#others.take(family, lines);
  }

  drain(): Promise<void> {
    return this.#others.drain();
  }

  finish(): RenderedSlices {
    const slices = this.#others.finish();
    if (this.#list === undefined) return { slices, written: undefined };
    for (const family of this.#texts.keys()) {
      const parts = [...this.#blocks.map((block) => block.get(family)?.slice), slices.get(family)];
      const known = parts.filter((slice) => slice !== undefined);
      if (known.length > 0) slices.set(family, joinSlices(known));
    }
    return { slices, written: { list: this.#list, blocks: sharing(slices, this.#blocks) } };
  }

  #beginBlock(): void {
    this.#before = this.#shown?.blocks[this.#blocks.length] ?? NO_TEXT;
    this.#written = 0;
    for (const family of this.#before.keys()) this.#textOf(family);
    for (const [family, text] of this.#texts) text.begin(this.#before.get(family));
  }

  #endBlock(items: number): void {
    if (this.#written === 0) this.#blocks.push(items === 0 ? NO_TEXT : this.#before);
    else {
      this.#repeatUntil(items);
      const block = new Map<string, BlockText>();
      for (const [family, text] of this.#texts) if (text.lines.length > 0) block.set(family, text.finish());
      this.#blocks.push(block);
    }
    this.#beginBlock();
  }

  /** A block of which no item is written is repeated as a whole. */
  #repeatUntil(place: number): void {
    if (this.#written === place) return;
    for (const text of this.#texts.values()) text.repeat(this.#written, place);
    this.#written = place;
  }

  #textOf(family: string): FamilyText {
    const known = this.#texts.get(family);
    if (known) return known;
    const text = new FamilyText();
    // The items before have no lines of this family.
    for (let item = 0; item < this.#written; item += 1) text.end();
    this.#texts.set(family, text);
    return text;
  }
}

const NO_TEXT: Block = new Map();

/** Returns the blocks as views of the joined slices, which begin with them, so that the memory has no text twice. */
const sharing = (joined: ReadonlyMap<string, Slice>, blocks: readonly Block[]): Block[] => {
  const offsets = new Map<string, number>();
  const shared = (family: string, { slice, ends }: BlockText): BlockText => {
    const from = offsets.get(family) ?? 0;
    const to = from + slice.deflated.length;
    offsets.set(family, to);
    const deflated = joined.get(family)?.deflated.subarray(from, to) ?? slice.deflated;
    return { slice: { ...slice, deflated }, ends };
  };
  return blocks.map((block) => new Map([...block].map(([family, text]) => [family, shared(family, text)])));
};

/** The text of one family in the block that is being written. */
class FamilyText {
  readonly lines = new LineBuffer();
  #ends: number[] = [];
  #before: BlockText | undefined;
  /** The text before, once a part of it is repeated. */
  #plain: Buffer | undefined;

  begin(before: BlockText | undefined): void {
    [this.#ends, this.#before, this.#plain] = [[], before, undefined];
  }

  end(): void {
    this.#ends.push(this.lines.length);
  }

  /** Repeats the items from `from` up to `to`, without the last one. */
  repeat(from: number, to: number): void {
    const ends = this.#before?.ends ?? [];
    const start = ends[from - 1] ?? 0;
    const shift = this.lines.length - start;
    if (this.#before) {
      this.#plain ??= plainOf(this.#before.slice);
      this.lines.addBytes(this.#plain.subarray(start, ends[to - 1]));
    }
    for (let item = from; item < to; item += 1) this.#ends.push(shift + (ends[item] ?? start));
  }

  /** A text that is the same as before keeps its slice. */
  finish(): BlockText {
    const plain = this.lines.take();
    const isSame = this.#plain?.equals(plain);
    const slice = (isSame ? this.#before?.slice : undefined) ?? sliceOf(plain);
    return { slice, ends: new Uint32Array(this.#ends) };
  }
}

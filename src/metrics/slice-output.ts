// Deflates the texts of one part as they come, with pauses in which the event loop breathes.

import { setImmediate } from 'node:timers/promises';
import type { TextOutput } from './sample-writer.ts';
import { joinSlices, type Slice, sliceOf } from './slice.ts';

/** Bytes deflated at once: in half a millisecond, and what zlib takes to begin is little beside it. */
const PIECE_BYTES = 256 * 1024;

export class SliceOutput implements TextOutput {
  readonly #families = new Map<string, Pieces>();

  take(family: string, text: string): void {
    const known = this.#families.get(family);
    const pieces = known ?? new Pieces();
    if (!known) this.#families.set(family, pieces);
    pieces.add(Buffer.from(text));
  }

  drain(): Promise<void> {
    return setImmediate();
  }

  /** One slice a family. */
  finish(): Map<string, Slice> {
    return new Map([...this.#families].map(([family, pieces]) => [family, pieces.join()]));
  }
}

/** The pieces of one family. */
class Pieces {
  readonly #slices: Slice[] = [];
  #plain: Buffer[] = [];
  #bytes = 0;

  add(plain: Buffer): void {
    this.#plain.push(plain);
    this.#bytes += plain.length;
    if (this.#bytes >= PIECE_BYTES) this.#deflate();
  }

  join(): Slice {
    this.#deflate();
    return joinSlices(this.#slices);
  }

  #deflate(): void {
    this.#slices.push(sliceOf(Buffer.concat(this.#plain)));
    this.#plain = [];
    this.#bytes = 0;
  }
}

// Deflates the texts of one part as they arrive, with pauses for the event loop.

import { setImmediate } from 'node:timers/promises';
import type { TextOutput } from './sample-writer.ts';
import { joinSlices, type Slice, sliceOf } from './slice.ts';

/** How many bytes are deflated at once. This takes half a millisecond, which is long compared to zlib's start-up cost. */
const CHUNK_BYTES = 256 * 1024;

export class SliceOutput implements TextOutput {
  readonly #families = new Map<string, FamilyOutput>();

  take(family: string, text: string): void {
    const known = this.#families.get(family);
    const output = known ?? new FamilyOutput();
    if (!known) this.#families.set(family, output);
    output.add(Buffer.from(text));
  }

  drain(): Promise<void> {
    return setImmediate();
  }

  /** Returns one slice for each family. */
  finish(): Map<string, Slice> {
    return new Map([...this.#families].map(([family, output]) => [family, output.join()]));
  }
}

/** Gathers the texts of one family and deflates them in chunks. */
class FamilyOutput {
  readonly #slices: Slice[] = [];
  #plain: Buffer[] = [];
  #bytes = 0;

  add(plain: Buffer): void {
    this.#plain.push(plain);
    this.#bytes += plain.length;
    if (this.#bytes >= CHUNK_BYTES) this.#deflate();
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

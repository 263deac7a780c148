// Collects received chunks in one buffer that grows by doubling.

import { NO_BYTES } from './reader.ts';

const FIRST_SIZE = 1_024;

export class ReceivedBytes {
  #buffer: Buffer = NO_BYTES;
  #length = 0;

  /** The bytes so far. They are valid until the next append. */
  get bytes(): Buffer {
    return this.#buffer.length === this.#length ? this.#buffer : this.#buffer.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    // Most answers come in one chunk, which then needs no copy.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(FIRST_SIZE, 2 * length));
    this.bytes.copy(larger);
    this.#buffer = larger;
  }
}

// Defines how an answer is read from a connection, and collects its bytes.

/** An answer, and the bytes that follow it. */
export interface Complete<T> {
  readonly value: T;
  readonly rest: Buffer;
}

/** Reads one answer, chunk by chunk. Both methods throw a ProbeError if the answer is not of the protocol. */
export interface Reader<T> {
  /** Returns null while the answer goes on. */
  take(chunk: Buffer): Complete<T> | null;
  /** Called when the other side has closed. Returns null if the answer is not complete. */
  close(): Complete<T> | null;
}

export const NO_BYTES = Buffer.alloc(0);

/** Returns a complete answer with the bytes that follow it. */
export const complete = <T>(value: T, rest: Buffer = NO_BYTES): Complete<T> => ({ value, rest });

const FIRST_SIZE = 1_024;

/** Collects received chunks in one buffer that grows by doubling. */
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

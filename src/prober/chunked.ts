// Decodes a body in the chunked transfer coding of HTTP/1.1.

import { ProbeError } from './probe-error.ts';

const LF = 10;
/** The longest line with the size of a chunk, with its extensions. */
const MAX_LINE_BYTES = 1_024;

const notChunked = (): ProbeError => new ProbeError('protocol', 'the body has a wrong chunk');

export class ChunkedDecoder {
  /** The bytes of the current chunk that are missing, with its line end; 0 where a line with a size begins. */
  #missing = 0;
  /** The part of a line that is received. */
  #line = '';
  #isEnded = false;

  /** Whether the last chunk was read. Trailers are not read, because nothing needs them. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Returns the parts of the body in these bytes. */
  decode(bytes: Buffer): Buffer[] {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length && !this.#isEnded; ) {
      at = this.#missing > 0 ? this.#takeData(bytes, at, parts) : this.#takeLine(bytes, at);
    }
    return parts;
  }

  #takeData(bytes: Buffer, at: number, parts: Buffer[]): number {
    const available = Math.min(this.#missing, bytes.length - at);
    // The last two of the missing bytes are the line end after the chunk.
    const data = Math.min(available, Math.max(0, this.#missing - 2));
    if (data > 0) parts.push(bytes.subarray(at, at + data));
    this.#missing -= available;
    return at + available;
  }

  #takeLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
    if (this.#line.length > MAX_LINE_BYTES) throw notChunked();
    if (end < 0) return bytes.length;
    this.#begin(this.#line);
    this.#line = '';
    return end + 1;
  }

  #begin(line: string): void {
    const [, digits] = /^([\da-f]{1,8})\s*(?:;|$)/i.exec(line.trimEnd()) ?? [];
    if (digits === undefined) throw notChunked();
    const size = Number.parseInt(digits, 16);
    if (size === 0) this.#isEnded = true;
    else this.#missing = size + 2;
  }
}

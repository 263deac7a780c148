// Reads the body of an HTTP/1.1 answer, only as far as the expectation needs.

import { StringDecoder } from 'node:string_decoder';
import type { TextPattern } from '../lib/text-pattern.ts';
import type { HttpHead } from './http-head.ts';
import { ProbeError } from './probe.ts';
import { type Complete, complete, type Reader, ReceivedBytes } from './reader.ts';

export const MAX_BODY_BYTES = 64 * 1_024;
/** A pattern that says what follows, such as the end of the text, can match a part of the body wrongly. */
const SAYS_WHAT_FOLLOWS = /\$|\\[bz]/i;

const SEARCHED_CHUNKS = 16;
const GROWTH = 1.25;

/** Returns the text of the body so far. It ends early at the first match, unless the whole body is wanted. */
export class BodyReader implements Reader<string> {
  readonly #body = new ReceivedBytes();
  readonly #chunked: ChunkedDecoder | null;
  readonly #length: number;
  readonly #pattern: TextPattern | undefined;
  #searches = 0;
  #searchedBytes = 0;

  constructor(head: HttpHead, pattern: TextPattern | undefined, isWhole: boolean) {
    this.#chunked = isChunked(head) ? new ChunkedDecoder() : null;
    this.#length = this.#chunked ? Number.POSITIVE_INFINITY : lengthOf(head);
    this.#pattern = isWhole || SAYS_WHAT_FOLLOWS.test(pattern?.source ?? '') ? undefined : pattern;
  }

  take(chunk: Buffer): Complete<string> | null {
    for (const part of this.#chunked?.decode(chunk) ?? [chunk]) this.#body.append(part);
    const isEnded = this.#chunked?.isEnded ?? this.#body.length >= this.#length;
    return isEnded || this.#body.length >= MAX_BODY_BYTES || this.#isMatched() ? this.#ended() : null;
  }

  close(): Complete<string> | null {
    const endsWithConnection = !this.#chunked && this.#length === Number.POSITIVE_INFINITY;
    if (endsWithConnection) return this.#ended();
    throw new ProbeError('closed', 'the connection closed before the end of the body');
  }

  #ended(): Complete<string> {
    const end = Math.min(this.#length, MAX_BODY_BYTES);
    return complete(this.#body.bytes.subarray(0, end).toString('utf8'));
  }

  /**
   * Each of the first chunks is searched as it comes, because a server can wait after the match. Later the body must have
   * grown by a quarter, so that an answer in tiny chunks does not take long.
   */
  #isMatched(): boolean {
    const { length } = this.#body;
    const isDue = this.#searches < SEARCHED_CHUNKS || length >= GROWTH * this.#searchedBytes;
    if (!this.#pattern || length === 0 || !isDue) return false;
    this.#searches += 1;
    this.#searchedBytes = length;
    return this.#pattern.isIn(wholeCharacters(this.#body.bytes));
  }
}

/** The last character can be received in part only, and would look like another one. */
const wholeCharacters = (bytes: Buffer): string => new StringDecoder('utf8').write(bytes);

const isChunked = ({ headers }: HttpHead): boolean =>
  /(?:^|,)\s*chunked\s*$/i.test(headers.get('transfer-encoding') ?? '');

/** Infinite if the end of the connection ends the body. */
const lengthOf = ({ status, headers }: HttpHead): number => {
  if (status === 204 || status === 304) return 0;
  const text = headers.get('content-length');
  if (text === undefined) return Number.POSITIVE_INFINITY;
  // Equal lengths may be repeated (RFC 9110, section 8.6).
  const [length = '', ...others] = text.split(',').map((each) => each.trim());
  if (!/^\d{1,15}$/.test(length) || others.some((other) => other !== length))
    throw new ProbeError('protocol', 'the length of the body is not a number');
  return Number(length);
};

const LF = 10;
/** The longest line with the size of a chunk, with its extensions. */
const MAX_LINE_BYTES = 1_024;

const notChunked = (): ProbeError => new ProbeError('protocol', 'the body has a wrong chunk');

/** Decodes a body in the chunked transfer coding of HTTP/1.1. */
class ChunkedDecoder {
  /** The bytes of the current chunk that are missing, with its line end; 0 where a line with a size begins. */
  #missing = 0;
  /** The part of a line that is received. */
  #line = '';
  /** Whether the last chunk was read. Trailers are not read, because nothing needs them. */
  isEnded = false;

  decode(bytes: Buffer): Buffer[] {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length && !this.isEnded; ) {
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
    if (size === 0) this.isEnded = true;
    else this.#missing = size + 2;
  }
}

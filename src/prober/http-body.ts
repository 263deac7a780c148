// Reads the body of an HTTP/1.1 answer, only as far as the expectation needs.

import type { TextPattern } from '../lib/text-pattern.ts';
import { ChunkedDecoder } from './chunked.ts';
import type { HttpHead } from './http-head.ts';
import { ProbeError } from './probe-error.ts';
import { type Complete, complete, type Reader } from './reader.ts';
import { ReceivedBytes } from './received-bytes.ts';

export const MAX_BODY_BYTES = 64 * 1_024;
/** A pattern that says what follows, such as the end of the text, can match a part of the body wrongly. */
const SAYS_WHAT_FOLLOWS = /\$|\\[bz]/i;

/** Returns the text of the body so far. It ends early at the first match, unless the whole body is wanted. */
export class BodyReader implements Reader<string> {
  readonly #body = new ReceivedBytes();
  readonly #chunked: ChunkedDecoder | null;
  readonly #length: number;
  readonly #pattern: TextPattern | undefined;
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

  /** Searches again only when the body is twice as long, so that all searches take at most twice the time of the last. */
  #isMatched(): boolean {
    if (!this.#pattern || this.#body.length === 0 || this.#body.length < 2 * this.#searchedBytes)
      return false;
    this.#searchedBytes = this.#body.length;
    return this.#pattern.isIn(this.#ended().value);
  }
}

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

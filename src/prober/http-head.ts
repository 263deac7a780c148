// Reads the header of an HTTP/1.1 answer, and skips the 1xx answers before it.

import { ProbeError } from './probe.ts';
import { type Complete, complete, NO_BYTES, type Reader, ReceivedBytes } from './reader.ts';

export interface HttpHead {
  readonly status: number;
  /** By name in lower case. The values of equal names are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** The header as received, for the trace. */
  readonly text: string;
}

const START = 'HTTP/1.';
const LF = 10;
const CR = 13;

const notHttp = (): ProbeError => new ProbeError('protocol', 'the answer is not HTTP/1.1');

/** Reads a header of at most `limit` bytes, with all 1xx answers. */
export class HeadReader implements Reader<HttpHead> {
  readonly #limit: number;
  #received = new ReceivedBytes();
  #skipped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(chunk: Buffer): Complete<HttpHead> | null {
    for (let next = chunk; ; ) {
      const answer = this.#takeOne(next);
      if (answer === null) return null;
      // 101 is final: after it, the connection speaks another protocol.
      if (answer.value.status >= 200 || answer.value.status === 101) return answer;
      if (answer.rest.length === 0) return null;
      next = answer.rest;
    }
  }

  /** Returns the next answer, which may be one with a status of 1xx. */
  #takeOne(chunk: Buffer): Complete<HttpHead> | null {
    const searched = Math.max(0, this.#received.length - 2);
    this.#received.append(chunk);
    const { bytes } = this.#received;
    // Something that is not HTTP may never send an empty line, so its first bytes decide.
    if (!isStartOfHttp(bytes)) throw notHttp();
    const end = endOfHead(bytes, searched);
    if (this.#skipped + (end ?? bytes.length) > this.#limit) {
      throw new ProbeError('protocol', `the header of the answer is longer than ${this.#limit} bytes`);
    }
    if (end === undefined) return null;
    this.#received = new ReceivedBytes();
    this.#skipped += end;
    return complete(
      parseHead(bytes.toString('latin1', 0, end)),
      end === bytes.length ? NO_BYTES : bytes.subarray(end),
    );
  }

  close(): null {
    return null;
  }
}

const isStartOfHttp = (bytes: Buffer): boolean => START.startsWith(bytes.toString('latin1', 0, START.length));

/** Returns the index after the empty line. Lines end with CR LF, or with LF alone as sloppy servers write. */
const endOfHead = (bytes: Buffer, from: number): number | undefined => {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return undefined;
};

const parseHead = (text: string): HttpHead => {
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |\r?\n)/.exec(text) ?? [];
  if (status === undefined || Number(status) < 100) throw notHttp();
  return { status: Number(status), headers: headersOf(text.slice(text.indexOf('\n') + 1)), text };
};

/**
 * A line that begins with a space or a tab continues the line before (RFC 9112, section 5.2). The pattern does not begin
 * with spaces, because a search would then begin at each space of a long row of them.
 */
const CONTINUES = /\r?\n[ \t]+/g;

const headersOf = (text: string): Map<string, string> => {
  const headers = new Map<string, string>();
  const lines = text.trimEnd().replace(CONTINUES, ' ');
  // Each value is trimmed, so a CR before the LF does no harm.
  if (lines !== '') for (const line of lines.split('\n')) addHeader(headers, line);
  return headers;
};

const addHeader = (headers: Map<string, string>, line: string): void => {
  const colon = line.indexOf(':');
  if (colon <= 0) throw notHttp();
  const name = line.slice(0, colon).toLowerCase();
  const value = line.slice(colon + 1).trim();
  const earlier = headers.get(name);
  headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
};

/** Returns the lines as received. */
export const linesOf = ({ text }: Pick<HttpHead, 'text'>): string[] => text.trimEnd().split(/\r?\n/);

// Reads the body of an answer up to a limit, and parses it as JSON.

import type { Dispatcher } from 'undici';

export interface AnswerBody {
  /** Undefined if the body is not JSON, or was not parsed. */
  readonly json: unknown;
  readonly bytes: number;
  /** Why the body was not read to its end, or not parsed. */
  readonly unread?: UnreadReason | undefined;
}

export interface UnreadReason {
  readonly isTooLong: boolean;
  /** What is wrong with the answer, as the end of a sentence. */
  readonly problem: string;
}

/** Ends the connection instead of reading a longer body. A compressed body is not read, because it may be a bomb. */
export const readBody = async (
  { headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  limit: number,
): Promise<AnswerBody> => {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity' && encoding !== '') return discard(body, COMPRESSED);
  if (Number(headers['content-length']) > limit) return discard(body, tooLong(limit));
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) return { json: undefined, bytes, unread: tooLong(limit) };
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks, bytes);
  const excess = excessOf(text, limit);
  if (excess) return { json: undefined, bytes, unread: { isTooLong: false, problem: excess } };
  return { json: parseJson(text.toString('utf8')), bytes };
};

const COMPRESSED: UnreadReason = {
  isTooLong: false,
  problem: 'is compressed, although proxywatch did not ask for a compressed answer',
};

const tooLong = (limit: number): UnreadReason => ({
  isTooLong: true,
  problem: `is longer than ${limit / 1e6} MB, the most that proxywatch reads of such an answer`,
});

const discard = (body: Dispatcher.ResponseData['body'], unread: UnreadReason): AnswerBody => {
  // The body reports its own end as an error.
  body.on('error', () => {});
  body.destroy();
  return { json: undefined, bytes: 0, unread };
};

const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g;
const HALF = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/;

/**
 * Returns undefined for a text that is not JSON. The parse error is dropped, because its message quotes the text, which
 * may contain passwords. Half a surrogate pair is replaced, as everywhere in UTF-8: the store and Prometheus would
 * otherwise see other names than the rest of the daemon, and receivers refuse it.
 */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(/\\u[dD][89a-fA-F]/.test(text) ? withoutHalves(text) : text);
  } catch {
    return undefined;
  }
};

const withoutHalves = (text: string): string =>
  text.replaceAll(ESCAPE, (sequence) => (HALF.test(sequence) ? '\\ufffd' : sequence));

/** Documented answers have 5 levels. The metadata of services and users may have some more. */
const MAX_DEPTH = 64;
/** Documented answers have more than 20 bytes for each value, with its name. */
const MIN_BYTES_PER_VALUE = 16;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns what makes the values too large, as the end of a sentence; undefined if nothing does. It looks before they are
 * parsed, because a text of a megabyte may need hundreds. `limit` is the most bytes that the text may have.
 */
const excessOf = (text: Buffer, limit: number): string | undefined => {
  const maxValues = Math.floor(limit / MIN_BYTES_PER_VALUE);
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfString(text, at);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return `has more than ${MAX_DEPTH} nested levels`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAP) depth -= 1;
    if (values > maxValues) return `has more than ${maxValues} values`;
  }
  return undefined;
};

/** Returns the position of the quote that ends the string which begins at `start`. */
const endOfString = (text: Buffer, start: number): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
};

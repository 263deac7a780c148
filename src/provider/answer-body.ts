// Reads the body of an answer up to a limit, and parses it as JSON.

import type { Dispatcher } from 'undici';
import { parseJson } from './json.ts';
import { excessOf } from './json-bounds.ts';

export interface AnswerBody {
  /** Undefined if the body is not JSON, or was not parsed. */
  readonly json: unknown;
  /** How much was read. */
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

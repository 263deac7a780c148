// Requests the pages of a listing, in smaller pieces if a whole page is longer than the client accepts.

import { z } from 'zod';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './errors.ts';
import type { Query } from './request.ts';
import { nullable, withInvalidity } from './schema.ts';

export const PER_PAGE = 100;
/** A page is then read in ten pieces, so each item may be ten times as long. */
const PER_PIECE = 10;

/** What the provider gives as `total_count` if it does not count. */
export const NOT_COUNTED = -1;

const pageSchema = withInvalidity(
  z.object({ data: z.array(z.unknown()), total_count: nullable(z.int().min(NOT_COUNTED)) }),
);
export type RawPage = z.infer<typeof pageSchema>;

/** Requests one page. Throws ProviderError. */
export const requestPage = (
  client: Pick<ProviderClient, 'get'>,
  endpoint: string,
  query: Query,
  signal: AbortSignal | undefined,
): Promise<RawPage> => client.get(endpoint, { query, schema: pageSchema, signal });

/** Returns a function that requests a page of PER_PAGE items by its number. It throws ProviderError. */
export const pageRequester = (
  client: Pick<ProviderClient, 'get'>,
  endpoint: string,
  query: Query,
  signal: AbortSignal | undefined,
): ((page: number) => Promise<RawPage>) => {
  const request = (page: number, perPage: number): Promise<RawPage> =>
    requestPage(client, endpoint, { ...query, page, per_page: perPage }, signal);
  let isInPieces = false;
  return async (page) => {
    if (!isInPieces) {
      try {
        return await request(page, PER_PAGE);
      } catch (error) {
        if (!(error instanceof ProviderError) || !error.isTooLong) throw error;
        isInPieces = true;
      }
    }
    return joined(await readPieces(page, (piece) => request(piece, PER_PIECE)));
  };
};

const readPieces = async (page: number, request: (piece: number) => Promise<RawPage>): Promise<RawPage[]> => {
  const [pieces, count] = [[] as RawPage[], PER_PAGE / PER_PIECE];
  for (let piece = (page - 1) * count + 1; piece <= page * count; piece += 1) {
    const answer = await request(piece);
    pieces.push(answer);
    if (answer.value.data.length === 0) break;
  }
  return pieces;
};

const joined = (pieces: readonly RawPage[]): RawPage => ({
  value: {
    data: pieces.flatMap(({ value }) => value.data),
    total_count: pieces.at(-1)?.value.total_count ?? null,
  },
  hasInvalidValue: pieces.some(({ hasInvalidValue }) => hasInvalidValue),
});

// Reads subdivisions of countries (subdivision/retrieve).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { count, nullable, text, type Validity, withInvalidity } from '../schema.ts';

/** A value is null if the provider did not give it. */
export interface Subdivision {
  /** `<country>-<code>`, such as `fr-idf`. */
  readonly id: string;
  readonly name: string | null;
  readonly alias: string | null;
  readonly nodes: number | null;
  readonly countryId: string | null;
}

const ENDPOINT = 'subdivision/retrieve';

/** Reads one subdivision. Throws ProviderError: not_found for an unknown id, bad_response for an answer about another one. */
export const readSubdivision = async (
  client: ProviderClient,
  id: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Subdivision & Validity> => {
  const { data } = await client.get(ENDPOINT, { path: id, schema: answer, signal });
  const { value: subdivision, hasInvalidValue } = data;
  if (subdivision.id.toLowerCase() !== id.toLowerCase())
    throw new ProviderError(
      'bad_response',
      ENDPOINT,
      `the answer to a request for subdivision ${id} has another subdivision`,
    );
  return { ...subdivision, hasInvalidValue };
};

const subdivision: z.ZodType<Subdivision> = z
  .object({
    subdivision_id: z.string().min(1),
    subdivision_name: text,
    subdivision_alias: text,
    subdivision_node_count: nullable(count),
    country_id: text,
  })
  .transform((item) => ({
    id: item.subdivision_id,
    name: item.subdivision_name,
    alias: item.subdivision_alias,
    nodes: item.subdivision_node_count,
    countryId: item.country_id,
  }));

const answer = z.object({ data: withInvalidity(subdivision) });

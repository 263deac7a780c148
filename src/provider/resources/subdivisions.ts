// Reads subdivisions of countries (subdivision/retrieve).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { nullable, text } from '../schema.ts';

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

/** Reads one subdivision. Throws ProviderError: not_found for an unknown id. */
export const readSubdivision = async (
  client: ProviderClient,
  id: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Subdivision> => (await client.get(ENDPOINT, { path: id, schema: answer, signal })).data;

const subdivision: z.ZodType<Subdivision> = z
  .object({
    subdivision_id: z.string().min(1),
    subdivision_name: text,
    subdivision_alias: text,
    subdivision_node_count: nullable(z.int()),
    country_id: text,
  })
  .transform((item) => ({
    id: item.subdivision_id,
    name: item.subdivision_name,
    alias: item.subdivision_alias,
    nodes: item.subdivision_node_count,
    countryId: item.country_id,
  }));

const answer = z.object({ data: subdivision });

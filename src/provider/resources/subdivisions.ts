// Reads subdivisions of countries (subdivision/retrieve).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { count, fields, nullable, text, type Validity, withInvalidity } from '../schema.ts';

/** A value is null if the provider did not give it. */
const subdivision = fields({
  /** `<country>-<code>`, such as `fr-idf`. */
  id: ['subdivision_id', z.string().min(1)],
  name: ['subdivision_name', text],
  alias: ['subdivision_alias', text],
  nodes: ['subdivision_node_count', nullable(count)],
  countryId: ['country_id', text],
});
const answer = z.object({ data: withInvalidity(subdivision) });

const ENDPOINT = 'subdivision/retrieve';

/** Reads one subdivision. Throws ProviderError: not_found for an unknown id, bad_response for an answer about another one. */
export const readSubdivision = async (
  client: ProviderClient,
  id: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<z.output<typeof subdivision> & Validity> => {
  const { data } = await client.get(ENDPOINT, { path: id, schema: answer, signal });
  const { value, hasInvalidValue } = data;
  if (value.id.toLowerCase() !== id.toLowerCase())
    throw new ProviderError(
      'bad_response',
      ENDPOINT,
      `the answer to a request for subdivision ${id} has another subdivision`,
    );
  return { ...value, hasInvalidValue };
};

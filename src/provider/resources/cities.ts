// Reads cities (city/retrieve).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { count, degrees, fields, nullable, text, type Validity, withInvalidity } from '../schema.ts';

/** A value is null if the provider did not give it. */
const city = fields({
  id: ['city_id', z.int()],
  name: ['city_name', text],
  alias: ['city_alias', text],
  examplePostcode: ['city_example_postcode', text],
  isPopulous: ['city_is_populous', nullable(z.boolean())],
  /** In degrees; north and east are positive. */
  latitude: ['city_latitude', nullable(degrees)],
  longitude: ['city_longitude', nullable(degrees)],
  nodes: ['city_node_count', nullable(count)],
  population: ['city_population', nullable(count)],
  /** Name of the time zone, such as `Europe/Paris`. */
  timeZone: ['city_timezone', text],
  /** `<country>-<code>` */
  subdivisionId: ['subdivision_id', text],
});
const answer = z.object({ data: withInvalidity(city) });

const ENDPOINT = 'city/retrieve';

/** Reads one city. Throws ProviderError: not_found for an unknown id, bad_response for an answer about another one. */
export const readCity = async (
  client: ProviderClient,
  id: number,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<z.output<typeof city> & Validity> => {
  const { data } = await client.get(ENDPOINT, { path: id, schema: answer, signal });
  const { value, hasInvalidValue } = data;
  if (value.id !== id)
    throw new ProviderError(
      'bad_response',
      ENDPOINT,
      `the answer to a request for city ${id} has another city`,
    );
  return { ...value, hasInvalidValue };
};

// Reads cities (city/retrieve).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { count, degrees, nullable, text, type Validity, withInvalidity } from '../schema.ts';

/** A value is null if the provider did not give it. */
export interface City {
  readonly id: number;
  readonly name: string | null;
  readonly alias: string | null;
  readonly examplePostcode: string | null;
  readonly isPopulous: boolean | null;
  /** In degrees; north and east are positive. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly nodes: number | null;
  readonly population: number | null;
  /** Name of the time zone, such as `Europe/Paris`. */
  readonly timeZone: string | null;
  /** `<country>-<code>` */
  readonly subdivisionId: string | null;
}

const ENDPOINT = 'city/retrieve';

/** Reads one city. Throws ProviderError: not_found for an unknown id, bad_response for an answer about another one. */
export const readCity = async (
  client: ProviderClient,
  id: number,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<City & Validity> => {
  const { data } = await client.get(ENDPOINT, { path: id, schema: answer, signal });
  const { value: city, hasInvalidValue } = data;
  if (city.id !== id)
    throw new ProviderError(
      'bad_response',
      ENDPOINT,
      `the answer to a request for city ${id} has another city`,
    );
  return { ...city, hasInvalidValue };
};

const city: z.ZodType<City> = z
  .object({
    city_id: z.int(),
    city_name: text,
    city_alias: text,
    city_example_postcode: text,
    city_is_populous: nullable(z.boolean()),
    city_latitude: nullable(degrees),
    city_longitude: nullable(degrees),
    city_node_count: nullable(count),
    city_population: nullable(count),
    city_timezone: text,
    subdivision_id: text,
  })
  .transform((item) => ({
    id: item.city_id,
    name: item.city_name,
    alias: item.city_alias,
    examplePostcode: item.city_example_postcode,
    isPopulous: item.city_is_populous,
    latitude: item.city_latitude,
    longitude: item.city_longitude,
    nodes: item.city_node_count,
    population: item.city_population,
    timeZone: item.city_timezone,
    subdivisionId: item.subdivision_id,
  }));

const answer = z.object({ data: withInvalidity(city) });

// Reads continents (continent/search).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Page, readPages } from '../pages.ts';
import { itemDecoder, text } from '../schema.ts';

/** A value is null if the provider did not give it. */
export interface Continent {
  /** Two letters. */
  readonly id: string;
  readonly name: string | null;
  readonly alias: string | null;
}

/** Reads all continents. Throws ProviderError. */
export const readContinents = (
  client: ProviderClient,
  { signal }: Pick<ListingOptions, 'signal'> = {},
): AsyncGenerator<Page<Continent>, void, undefined> =>
  readPages(client, 'continent/search', { idField: 'continent_id', decode: itemDecoder(continent), signal });

const continent: z.ZodType<Continent> = z
  .object({ continent_id: z.string().min(1), continent_name: text, continent_alias: text })
  .transform((item) => ({ id: item.continent_id, name: item.continent_name, alias: item.continent_alias }));

// Reads continents (continent/search).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Page, readPages } from '../pages.ts';
import { fields, itemDecoder, text } from '../schema.ts';

/** A value is null if the provider did not give it. */
const continent = fields({
  /** Two letters. */
  id: ['continent_id', z.string().min(1)],
  name: ['continent_name', text],
  alias: ['continent_alias', text],
});
type Continent = z.output<typeof continent>;

/** Reads all continents. Throws ProviderError. */
export const readContinents = (
  client: ProviderClient,
  { signal }: Pick<ListingOptions, 'signal'> = {},
): AsyncGenerator<Page<Continent>, void, undefined> =>
  readPages(client, 'continent/search', { idField: 'continent_id', decode: itemDecoder(continent), signal });

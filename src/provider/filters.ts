// Reads filtered searches: the filter is sent to the provider, and each item is compared with it again here.

import type { ProviderClient } from './client.ts';
import { type Listing, type Page, readPages } from './pages.ts';
import type { Query } from './request.ts';

/**
 * Fields of the provider with the required values, such as `{ country_id: 'de', min_asn_node_count: 10 }`; all must
 * match. The names come from the provider's public documentation; the API's specification does not have them.
 */
export type Filter = Query;

/**
 * Reads the pages of a search and keeps the items that match the filter. A provider that does not know the filter
 * refuses the search, or answers with everything. A page's `summary` is that of the unfiltered answer. Throws
 * ProviderError.
 */
export async function* readMatching<T>(
  client: ProviderClient,
  endpoint: string,
  { filter = {}, decode, ...listing }: Omit<Listing<T>, 'query'> & { readonly filter?: Filter | undefined },
): AsyncGenerator<Page<T>, void, undefined> {
  const decodeAndMatch = (raw: unknown) => {
    const item = decode(raw);
    return item && { item, isMatch: matches(raw, filter) };
  };
  for await (const page of readPages(client, endpoint, {
    ...listing,
    query: filter,
    decode: decodeAndMatch,
  })) {
    yield { ...page, items: page.items.filter(({ isMatch }) => isMatch).map(({ item }) => item) };
  }
}

/** A field that the item does not carry cannot be compared here, so the provider's filtering is trusted. */
const matches = (item: unknown, filter: Filter): boolean =>
  Object.entries(filter).every(([field, wanted]) => {
    const value = (item as Partial<Record<string, unknown>>)[field];
    return wanted === undefined || value === undefined || value === null || String(value) === String(wanted);
  });

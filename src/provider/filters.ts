// Filtered searches: the filter is sent, and compared here too.

import type { ProviderClient } from './client.ts';
import { type Listing, type Page, readPages } from './pages.ts';
import type { Query } from './request.ts';

/**
 * Provider's fields and the values wanted, such as `{ country_id: 'de', min_asn_node_count: 10 }`; all must hold.
 * The names are known from the provider's public documentation, but not from the API's specification.
 */
export type Filter = Query;

/**
 * The pages of a search with the items that match the filter, which the provider may not know: then it refuses
 * the search, or answers everything. A page's `end` is that of the search as answered. Throws ProviderError.
 */
export async function* readMatching<T>(
  client: ProviderClient,
  endpoint: string,
  { filter = {}, decode, ...listing }: Omit<Listing<T>, 'query'> & { readonly filter?: Filter | undefined },
): AsyncGenerator<Page<T>, void, undefined> {
  const judged = (raw: unknown) => {
    const item = decode(raw);
    return item && { item, isWanted: matches(raw, filter) };
  };
  for await (const page of readPages(client, endpoint, { ...listing, query: filter, decode: judged })) {
    yield { ...page, items: page.items.filter(({ isWanted }) => isWanted).map(({ item }) => item) };
  }
}

/** A field that the item does not carry cannot be compared here, and is left to the provider. */
const matches = (item: unknown, filter: Filter): boolean =>
  Object.entries(filter).every(([field, wanted]) => {
    const value = (item as Partial<Record<string, unknown>>)[field];
    return wanted === undefined || value === undefined || value === null || String(value) === String(wanted);
  });

// Reads autonomous systems (asn/search).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { type Filter, readMatching } from '../filters.ts';
import type { Page } from '../pages.ts';
import { count, fields, itemDecoder, nullable, text, type Validity } from '../schema.ts';

/** A value is null if the provider did not give it. */
const asn = fields({
  id: ['asn_id', z.int()],
  name: ['asn_name', text],
  /** An open set: `hosting`, `isp`, `business` and more. */
  type: ['asn_type', text],
  /** The regional internet registry, an open set: `arin`, `ripe`, `apnic` and more. */
  rir: ['asn_rir', text],
  ipAddresses: ['asn_ip_address_count', nullable(count)],
  /** Nodes that are online now. */
  nodes: ['asn_node_count', nullable(count)],
  /** The country in which it is registered. */
  countryId: ['country_id', text],
});
type Asn = z.output<typeof asn>;

interface AsnQuery {
  readonly filter?: Filter | undefined;
  readonly signal?: AbortSignal | undefined;
}

const ENDPOINT = 'asn/search';

/** Reads the autonomous systems that match the filter; there are tens of thousands in all. Throws ProviderError. */
export const readAsns = (
  client: ProviderClient,
  { filter, signal }: AsnQuery,
): AsyncGenerator<Page<Asn>, void, undefined> =>
  readMatching(client, ENDPOINT, { filter, idField: 'asn_id', decode: itemDecoder(asn), signal });

/**
 * Reads one autonomous system in one request. Throws ProviderError: not_found if the provider does not have it,
 * bad_response if the provider answers with other ones, perhaps because it does not filter by `asn_id`.
 */
export const readAsn = async (
  client: ProviderClient,
  id: number,
  { signal }: Pick<AsnQuery, 'signal'> = {},
): Promise<Asn & Validity> => {
  for await (const { items, skipped, summary } of readAsns(client, { filter: { asn_id: id }, signal })) {
    const [found] = items;
    if (found) return { ...found, hasInvalidValue: skipped > 0 };
    const isEmpty = summary?.distinctIds === 0 && skipped === 0;
    if (!isEmpty)
      throw new ProviderError(
        'bad_response',
        ENDPOINT,
        `the answer to a request for ASN ${id} has another ASN`,
      );
  }
  throw new ProviderError('not_found', ENDPOINT, `there is no ASN ${id}`);
};

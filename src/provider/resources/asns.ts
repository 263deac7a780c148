// Reads autonomous systems (asn/search).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { type Filter, readMatching } from '../filters.ts';
import type { Page } from '../pages.ts';
import { count, itemDecoder, nullable, text, type Validity } from '../schema.ts';

/** A value is null if the provider did not give it. */
export interface Asn {
  readonly id: number;
  readonly name: string | null;
  /** An open set: `hosting`, `isp`, `business` and more. */
  readonly type: string | null;
  /** The regional internet registry, an open set: `arin`, `ripe`, `apnic` and more. */
  readonly rir: string | null;
  readonly ipAddresses: number | null;
  /** Nodes that are online now. */
  readonly nodes: number | null;
  /** The country in which it is registered. */
  readonly countryId: string | null;
}

export interface AsnQuery {
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

const asn: z.ZodType<Asn> = z
  .object({
    asn_id: z.int(),
    asn_name: text,
    asn_type: text,
    asn_rir: text,
    asn_ip_address_count: nullable(count),
    asn_node_count: nullable(count),
    country_id: text,
  })
  .transform((item) => ({
    id: item.asn_id,
    name: item.asn_name,
    type: item.asn_type,
    rir: item.asn_rir,
    ipAddresses: item.asn_ip_address_count,
    nodes: item.asn_node_count,
    countryId: item.country_id,
  }));

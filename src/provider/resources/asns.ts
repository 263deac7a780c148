// Autonomous systems: asn/search.

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { type Filter, readMatching } from '../filters.ts';
import type { Page } from '../pages.ts';
import { itemDecoder, nullable, text } from '../schema.ts';

/** Null where the provider gave no value. */
export interface Asn {
  readonly id: number;
  readonly name: string | null;
  /** An open set: `hosting`, `isp`, `business` and more. */
  readonly type: string | null;
  /** The regional internet registry, an open set: `arin`, `ripe`, `apnic` and more. */
  readonly rir: string | null;
  readonly ipAddresses: number | null;
  /** Online at present. */
  readonly nodes: number | null;
  /** Where it is registered. */
  readonly countryId: string | null;
}

export interface AsnQuery {
  readonly filter?: Filter | undefined;
  readonly signal?: AbortSignal | undefined;
}

const ENDPOINT = 'asn/search';

/** The autonomous systems that match the filter: there are tens of thousands in all. Throws ProviderError. */
export const readAsns = (
  client: ProviderClient,
  { filter, signal }: AsnQuery,
): AsyncGenerator<Page<Asn>, void, undefined> =>
  readMatching(client, ENDPOINT, { filter, idField: 'asn_id', decode: itemDecoder(asn), signal });

/**
 * One autonomous system, in one request. Throws ProviderError: not_found for one that the provider does not have,
 * bad_response where it answers something else, not filtering by `asn_id` perhaps.
 */
export const readAsn = async (
  client: ProviderClient,
  id: number,
  { signal }: Pick<AsnQuery, 'signal'> = {},
): Promise<Asn> => {
  for await (const { items, skipped, end } of readAsns(client, { filter: { asn_id: id }, signal })) {
    const [found] = items;
    if (found) return found;
    const isEmpty = end?.distinct === 0 && skipped === 0;
    if (!isEmpty)
      throw new ProviderError('bad_response', ENDPOINT, `asked for ASN ${id}, answered something else`);
  }
  throw new ProviderError('not_found', ENDPOINT, `there is no ASN ${id}`);
};

const asn: z.ZodType<Asn> = z
  .object({
    asn_id: z.int(),
    asn_name: text,
    asn_type: text,
    asn_rir: text,
    asn_ip_address_count: nullable(z.int()),
    asn_node_count: nullable(z.int()),
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

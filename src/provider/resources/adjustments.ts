// Reads adjustments of services (service_adjustment/search): orders, renewals, top-ups, replacements of proxies and others.

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Pages, readPages } from '../pages.ts';
import {
  count,
  datetime,
  fields,
  itemDecoder,
  nonNegativeAmount,
  nullable,
  numericId,
  text,
} from '../schema.ts';
import { formatLocal } from '../time.ts';

const flag = nullable(z.boolean());

/** A replaced proxy. Its address is its IPv4 address; without one, its IPv6 address. The same is true for the new one. */
const replacement = fields({
  reason: ['proxy_replacement_reason', text],
  oldV4: ['proxy_replacement_ip_address_ipv4', text],
  oldV6: ['proxy_replacement_ip_address_ipv6', text],
  newV4: ['proxy_replacement_new_ip_address_ipv4', text],
  newV6: ['proxy_replacement_new_ip_address_ipv6', text],
}).transform((of) => ({
  reason: of.reason,
  oldAddress: of.oldV4 ?? of.oldV6,
  newAddress: of.newV4 ?? of.newV6,
}));

/**
 * Values of the service before or after. Nothing else of these objects is decoded, because they may have metadata of the
 * customer. A third object, `service_adjustment_eval`, has the same changes in a form that is not documented.
 */
const valuesIn = (zone: string) =>
  fields({
    quantity: ['service_quantity', nullable(count)],
    expiresAt: ['service_expiry_datetime', datetime(zone)],
    total: ['service_total', nullable(nonNegativeAmount)],
  });

/** A value is null if the provider did not give it. */
const adjustmentIn = (zone: string) =>
  fields({
    id: ['service_adjustment_id', numericId.transform(String)],
    serviceId: ['service_id', text],
    type: ['service_adjustment_type', text],
    status: ['service_adjustment_status', text],
    administrator: ['service_adjustment_is_administrator', flag],
    automatic: ['service_adjustment_is_automatic', flag],
    customer: ['service_adjustment_is_customer', flag],
    createdAt: ['service_adjustment_creation_datetime', datetime(zone)],
    updatedAt: ['service_adjustment_last_update_datetime', datetime(zone)],
    pre: ['service_adjustment_pre', nullable(valuesIn(zone))],
    post: ['service_adjustment_post', nullable(valuesIn(zone))],
    replacements: ['proxy_replacements', nullable(z.array(nullable(replacement)))],
  }).transform(({ administrator, automatic, customer, pre, post, replacements, ...adjustment }) => {
    // If several are set, the first one counts.
    const flags = { administrator, automatic, customer };
    return {
      ...adjustment,
      // An adjustment does not name its customer.
      customerId: null,
      by: Object.entries(flags).find(([, isSet]) => isSet)?.[0] ?? null,
      changes: {
        quantityBefore: pre?.quantity ?? null,
        quantityAfter: post?.quantity ?? null,
        expiryBefore: pre?.expiresAt ?? null,
        expiryAfter: post?.expiresAt ?? null,
        totalBefore: pre?.total ?? null,
        totalAfter: post?.total ?? null,
      },
      replacements: replacements?.filter((each) => each !== null) ?? null,
    };
  });

export type ListedAdjustment = z.output<ReturnType<typeof adjustmentIn>>;

export const ADJUSTMENT_ENDPOINT = 'service_adjustment/search';

/**
 * Reads all adjustments, or those that changed at `since` (ms) or later. Whether the provider knows this filter, and whether
 * an adjustment with a new status gets a new time, is not documented. Throws ProviderError.
 */
export const readAdjustments = (
  client: ProviderClient,
  { timeZone, signal, progress, since }: ListingOptions & { readonly since?: number | undefined },
): Pages<ListedAdjustment> =>
  readPages(client, ADJUSTMENT_ENDPOINT, {
    ...(since !== undefined && {
      query: { min_service_adjustment_last_update_datetime: formatLocal(since, timeZone) },
    }),
    idField: 'service_adjustment_id',
    decode: itemDecoder(adjustmentIn(timeZone)),
    signal,
    progress,
  });

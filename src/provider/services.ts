// Purchased services: service/retrieve.

import { z } from 'zod';
import type { ProviderClient } from './client.ts';
import { type AccountProxy, decodeProxy } from './proxies.ts';
import { datetime, decodeAnswer, flag, nullable } from './schema.ts';

/** Null where the provider gave no value. Times are instants (ms). */
export interface Service {
  readonly id: string;
  readonly name: string | null;
  readonly type: string | null;
  readonly protocol: string | null;
  /** An open set: `active`, `paused`, `overdue` and more. */
  readonly status: string | null;
  readonly countryId: string | null;
  /** `<count>:<interval>` */
  readonly cycle: string | null;
  readonly quantity: number | null;
  /** In the provider's unit of money. */
  readonly price: number | null;
  readonly isPaused: boolean;
  readonly isPendingCancellation: boolean;
  readonly isAutomaticCollection: boolean;
  readonly hasOpenInvoice: boolean;
  readonly expiresAt: number | null;
  readonly earliestCancellationAt: number | null;
}

export interface ServiceQuery {
  readonly withProxies: boolean;
  /** Of the provider's datetimes. */
  readonly timeZone: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceAnswer {
  readonly service: Service;
  /** Empty unless asked for. */
  readonly proxies: AccountProxy[];
  /** Proxies that did not decode. */
  readonly skipped: number;
}

const ENDPOINT = 'service/retrieve';

/** Reads one service. Throws ProviderError, not_found for an unknown id. */
export const readService = async (
  client: ProviderClient,
  id: string,
  { withProxies, timeZone, signal }: ServiceQuery,
): Promise<ServiceAnswer> => {
  // `True` is the one form of the parameter that the API's documentation shows.
  const query = { proxies: withProxies ? 'True' : undefined };
  const json = await client.get(ENDPOINT, { path: id, query, signal });
  const { data } = decodeAnswer(z.object({ data: z.record(z.string(), z.unknown()) }), ENDPOINT, json);
  const service = decodeAnswer(serviceIn(timeZone), ENDPOINT, data);
  const items = withProxies ? proxiesOf(data) : [];
  const proxies = items.flatMap((item) => decodeProxy(item) ?? []);
  return { service, proxies, skipped: items.length - proxies.length };
};

const serviceIn = (timeZone: string): z.ZodType<Service> =>
  z
    .object({
      service_id: z.string().min(1),
      service_name: nullable(z.string()),
      service_type: nullable(z.string()),
      service_protocol: nullable(z.string()),
      service_status: nullable(z.string()),
      country_id: nullable(z.string()),
      service_cycle: nullable(z.string()),
      service_quantity: nullable(z.int()),
      service_total: nullable(z.number()),
      service_subscription_is_paused: flag,
      service_is_pending_cancellation: flag,
      service_is_automatic_collection: flag,
      open_invoice_id: nullable(z.string()),
      service_expiry_datetime: datetime(timeZone),
      service_earliest_cancellation_datetime: datetime(timeZone),
    })
    .transform((service) => ({
      id: service.service_id,
      name: service.service_name,
      type: service.service_type,
      protocol: service.service_protocol,
      status: service.service_status,
      countryId: service.country_id,
      cycle: service.service_cycle,
      quantity: service.service_quantity,
      price: service.service_total,
      isPaused: service.service_subscription_is_paused,
      isPendingCancellation: service.service_is_pending_cancellation,
      isAutomaticCollection: service.service_is_automatic_collection,
      hasOpenInvoice: Boolean(service.open_invoice_id),
      expiresAt: service.service_expiry_datetime,
      earliestCancellationAt: service.service_earliest_cancellation_datetime,
    }));

/** The field that carries the proxies is not named in the API's documentation: it is the list with proxy ids. */
const proxiesOf = (data: Record<string, unknown>): unknown[] =>
  Object.values(data)
    .filter((value) => Array.isArray(value))
    .find((list) => list.some((item) => typeof item === 'object' && item !== null && 'proxy_id' in item)) ??
  [];

// Reads purchased services (service/retrieve).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import {
  count,
  datetime,
  decodeAnswer,
  detectInvalid,
  nonNegativeAmount,
  nullable,
  text,
} from '../schema.ts';
import { type AccountProxy, decodeProxy } from './proxies.ts';
import { lineItemsOf, type ServiceLineItem } from './service-line-items.ts';

/** A value is null if the provider did not give it. Times are instants (ms). */
export interface Service {
  readonly id: string;
  readonly name: string | null;
  /** An open set: `isp`, `datacenter`, `residential`, `mobile` and more. */
  readonly type: string | null;
  /** An open set: `ipv4`, `ipv6`, `dual`. */
  readonly protocol: string | null;
  /**
   * An open set. The provider's public documentation names `active`, `paused`, `overdue`, `canceled`, `complete`,
   * `awaiting_fulfillment` and more; the specification shows only `active`.
   */
  readonly status: string | null;
  readonly countryId: string | null;
  /** `<count>:<interval>`, such as `1:month`. */
  readonly cycle: string | null;
  /** Number of proxies bought; perhaps gigabytes if the service is sold by the byte. */
  readonly quantity: number | null;
  /** The price of a cycle in the provider's unit of money: cents by its documentation, which does not name the currency. */
  readonly price: number | null;
  readonly isPaused: boolean | null;
  /** Whether the service ends when it expires. */
  readonly isPendingCancellation: boolean | null;
  /** Whether the service is paid and renewed automatically when it expires. */
  readonly isAutomaticCollection: boolean | null;
  readonly hasOpenInvoice: boolean;
  readonly hasPaymentMethod: boolean;
  readonly createdAt: number | null;
  /** The end of the billing cycle. */
  readonly expiresAt: number | null;
  readonly earliestCancellationAt: number | null;
  readonly updatedAt: number | null;
  readonly dispatchedAt: number | null;
  readonly isReconfigurable: boolean | null;
  readonly promotionalCode: string | null;
  readonly subscriptionId: string | null;
  readonly subscriptionScheduleId: string | null;
}

export interface ServiceQuery {
  readonly withProxies: boolean;
  /** Zone of the provider's datetimes. */
  readonly timeZone: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceAnswer {
  readonly service: Service;
  /** One for each location; empty also if the provider's list could not be recognized. */
  readonly lineItems: ServiceLineItem[];
  /** Number of line items that did not decode. */
  readonly skippedLineItems: number;
  /** Proxies of every status. Empty unless requested. */
  readonly proxies: AccountProxy[];
  /** Number of proxies that are wholly or partly invalid, plus 1 if the service is. */
  readonly skipped: number;
  /** Whether the answer lists the proxies and all are valid, so that they can be counted by status. */
  readonly areAllProxiesValid: boolean;
}

const ENDPOINT = 'service/retrieve';

/** Reads one service. Throws ProviderError: not_found for an unknown id. */
export const readService = async (
  client: ProviderClient,
  id: string,
  { withProxies, timeZone, signal }: ServiceQuery,
): Promise<ServiceAnswer> => {
  // The API's documentation shows only this form of the parameter: `True`.
  const query = { proxies: withProxies ? 'True' : undefined };
  const schema = z.object({ data: z.record(z.string(), z.unknown()) });
  const { data } = await client.get(ENDPOINT, { path: id, query, schema, signal });
  const { decoded: service, hasInvalidValue } = detectInvalid(() =>
    decodeAnswer({ schema: serviceIn(timeZone), endpoint: ENDPOINT }, data),
  );
  if (service.id.toLowerCase() !== id.toLowerCase())
    throw new ProviderError(
      'bad_response',
      ENDPOINT,
      `the answer to a request for service ${id} has another service`,
    );
  const items = withProxies ? proxiesOf(data) : [];
  const decoded = (items ?? []).map((item) => detectInvalid(() => decodeProxy(item)));
  const proxies = decoded.flatMap(({ decoded: proxy }) => proxy ?? []);
  const invalidProxies = decoded.filter((proxy) => proxy.decoded === null || proxy.hasInvalidValue).length;
  // The field of the proxies is probably called `proxies`.
  const isListInvalid = items === undefined && (data.proxies ?? null) !== null;
  return {
    ...{ service, ...lineItemsOf(data), proxies },
    skipped: invalidProxies + Number(isListInvalid) + Number(hasInvalidValue),
    areAllProxiesValid: items !== undefined && invalidProxies === 0,
  };
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
      service_quantity: nullable(count),
      service_total: nullable(nonNegativeAmount),
      service_subscription_is_paused: nullable(z.boolean()),
      service_is_pending_cancellation: nullable(z.boolean()),
      service_is_automatic_collection: nullable(z.boolean()),
      open_invoice_id: text,
      payment_method_id: text.catch(null),
      service_creation_datetime: datetime(timeZone),
      service_expiry_datetime: datetime(timeZone),
      service_earliest_cancellation_datetime: datetime(timeZone),
      service_last_update_datetime: datetime(timeZone),
      service_dispatch_datetime: datetime(timeZone),
      service_is_reconfigurable: nullable(z.boolean()),
      service_promotional_code: text,
      service_subscription_id: text,
      subscription_schedule_id: text,
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
      hasOpenInvoice: service.open_invoice_id !== null,
      hasPaymentMethod: service.payment_method_id !== null,
      createdAt: service.service_creation_datetime,
      expiresAt: service.service_expiry_datetime,
      earliestCancellationAt: service.service_earliest_cancellation_datetime,
      updatedAt: service.service_last_update_datetime,
      dispatchedAt: service.service_dispatch_datetime,
      isReconfigurable: service.service_is_reconfigurable,
      promotionalCode: service.service_promotional_code,
      subscriptionId: service.service_subscription_id,
      subscriptionScheduleId: service.subscription_schedule_id,
    }));

/**
 * The API's documentation does not name the field that carries the proxies, so it is found as the list with proxy ids.
 * Without one, an empty list shows that there are no proxies. Returns undefined if the answer does not say.
 */
const proxiesOf = (data: Record<string, unknown>): unknown[] | undefined => {
  const lists = Object.values(data).filter((value) => Array.isArray(value));
  const hasProxyId = (item: unknown): boolean =>
    typeof item === 'object' && item !== null && 'proxy_id' in item;
  return lists.find((list) => list.some(hasProxyId)) ?? lists.find((list) => list.length === 0);
};

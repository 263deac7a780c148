// Reads purchased services (service/retrieve, service/search). Finds their line items, whose field names are not documented.

import { z } from 'zod';
import type { Metadata } from '../../lib/label-parts.ts';
import type { ProviderClient } from '../client.ts';
import { otherAnswer } from '../errors.ts';
import { metadataOf } from '../metadata.ts';
import { type ListingOptions, type Pages, readPages } from '../pages.ts';
import {
  count,
  countInvalidValue,
  datetime,
  decodeAnswer,
  detectInvalid,
  fields,
  itemDecoder,
  nonNegativeAmount,
  nullable,
  text,
  withoutInvalid,
} from '../schema.ts';
import { type AccountProxy, decodeProxy } from './proxies.ts';

/** A value is null if the provider did not give it, or it has an unexpected type. */
interface ServiceLineItem {
  /** The id that `lineItemId` of a proxy refers to. */
  readonly id: string | null;
  /** Two lowercase letters. */
  readonly countryId: string | null;
  /** Number of proxies in this location. */
  readonly quantity: number;
  /** For the whole cycle, in the provider's unit of money: cents by its documentation. */
  readonly price: number | null;
}

export interface ServiceLineItems {
  readonly lineItems: ServiceLineItem[];
  /** Number of items that have no quantity, are not objects, or lack a value because its type is unexpected. */
  readonly skippedLineItems: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether the field that is probably the one of the line items has no list. */
const isFieldInvalid = (service: Fields): boolean =>
  Object.entries(service).some(
    ([key, value]) => isNamed(key, 'line_items') && (value ?? null) !== null && !Array.isArray(value),
  );

/**
 * Finds the line items of a service. The specification says that a service carries them, but names neither their field
 * nor their content except an id. So it takes the list whose items have the id of a line item, or else a quantity. The
 * items of proxies also have the id of a line item; they are recognized by their own id.
 */
const lineItemsOf = (service: Fields): ServiceLineItems => {
  const lists = Object.values(service).filter((value) => Array.isArray(value));
  const candidates = lists.filter((list) => !list.some((item) => hasField(item, 'proxy_id')));
  const items: unknown[] =
    candidates.find((list) => list.some((item) => hasField(item, 'line_item_id'))) ??
    candidates.find((list) => list.some((item) => hasField(item, 'quantity'))) ??
    [];
  const decoded = items.map((item) => detectInvalid(() => toLineItem(item)));
  const skipped = decoded.filter(({ decoded: item, hasInvalidValue }) => !item || hasInvalidValue).length;
  return {
    lineItems: decoded.flatMap(({ decoded: item }) => item ?? []),
    skippedLineItems: skipped + Number(items.length === 0 && isFieldInvalid(service)),
  };
};

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasField = (item: unknown, name: string): boolean =>
  isObject(item) && Object.keys(item).some((key) => isNamed(key, name));

/** The provider puts the resource before a field's name: `quantity`, `item_quantity`, `service_line_item_quantity`. */
const isNamed = (key: string, name: string): boolean => key === name || key.endsWith(`_${name}`);

const toLineItem = (item: unknown): ServiceLineItem | undefined => {
  if (!isObject(item)) return undefined;
  const values = (name: string) =>
    Object.entries(item).flatMap(([key, value]) => (isNamed(key, name) ? [value] : []));
  const quantity = values('quantity').find((value) => count.safeParse(value).success);
  if (quantity === undefined) return undefined;
  return {
    id: textOf(values('line_item_id')),
    countryId: textOf(values('country_id')),
    quantity: Number(quantity),
    price: priceOf(values('total')),
  };
};

const textOf = (values: readonly unknown[]): string | null =>
  countIfInvalid(values, values.find((value) => typeof value === 'string') ?? null);

const priceOf = (values: readonly unknown[]): number | null => {
  const [price = null] = values.flatMap((value) => nonNegativeAmount.safeParse(value).data ?? []);
  return countIfInvalid(values, price);
};

/** Counts an invalid value if the item gives a value of which none was found. */
const countIfInvalid = <T>(values: readonly unknown[], found: T | null): T | null => {
  if (found === null && values.some((value) => (value ?? null) !== null)) countInvalidValue();
  return found;
};

/** A value is null if the provider did not give it. Times are instants (ms). */
const serviceIn = (timeZone: string) =>
  fields({
    id: ['service_id', z.string().min(1)],
    name: ['service_name', nullable(z.string())],
    /** An open set: `isp`, `datacenter`, `residential`, `mobile` and more. */
    type: ['service_type', nullable(z.string())],
    /** An open set: `ipv4`, `ipv6`, `dual`. */
    protocol: ['service_protocol', nullable(z.string())],
    /**
     * An open set. The provider's public documentation names `active`, `paused`, `overdue`, `canceled`, `complete`,
     * `awaiting_fulfillment` and more; the specification shows only `active`.
     */
    status: ['service_status', nullable(z.string())],
    countryId: ['country_id', nullable(z.string())],
    /** `<count>:<interval>`, such as `1:month`. */
    cycle: ['service_cycle', nullable(z.string())],
    /** Number of proxies bought; perhaps gigabytes if the service is sold by the byte. */
    quantity: ['service_quantity', nullable(count)],
    /** The price of a cycle in the provider's unit of money: cents by its documentation, which does not name the currency. */
    price: ['service_total', nullable(nonNegativeAmount)],
    isPaused: ['service_subscription_is_paused', nullable(z.boolean())],
    /** Whether the service ends when it expires. */
    isPendingCancellation: ['service_is_pending_cancellation', nullable(z.boolean())],
    /** Whether the service is paid and renewed automatically when it expires. */
    isAutomaticCollection: ['service_is_automatic_collection', nullable(z.boolean())],
    hasOpenInvoice: ['open_invoice_id', text.transform((id) => id !== null)],
    /** False is a null in the answer. An absent id, or one of another type, says nothing. */
    hasPaymentMethod: [
      'payment_method_id',
      z
        .unknown()
        .optional()
        .transform((id) =>
          id === null ? false : typeof id === 'string' || typeof id === 'number' ? true : withoutInvalid(id),
        ),
    ],
    createdAt: ['service_creation_datetime', datetime(timeZone)],
    /** The end of the billing cycle. */
    expiresAt: ['service_expiry_datetime', datetime(timeZone)],
    earliestCancellationAt: ['service_earliest_cancellation_datetime', datetime(timeZone)],
    updatedAt: ['service_last_update_datetime', datetime(timeZone)],
    dispatchedAt: ['service_dispatch_datetime', datetime(timeZone)],
    isReconfigurable: ['service_is_reconfigurable', nullable(z.boolean())],
    promotionalCode: ['service_promotional_code', text],
    subscriptionId: ['service_subscription_id', text],
    subscriptionScheduleId: ['subscription_schedule_id', text],
  });
type Service = z.output<ReturnType<typeof serviceIn>>;

interface ServiceOptions extends ListingOptions {
  readonly withProxies: boolean;
  /** The keys of the metadata that are read; by default none. */
  readonly metadataKeys?: readonly string[];
}

export interface ServiceAnswer {
  readonly id: string;
  /** A service does not name its customer; its proxies do. */
  readonly customerId: null;
  readonly service: Service;
  /** Undefined unless keys of it were requested. */
  readonly metadata?: Metadata | undefined;
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

export const SERVICE_ENDPOINT = 'service/retrieve';
/** In the provider's public documentation alone. */
export const SERVICES_ENDPOINT = 'service/search';

/** The API's documentation shows only this form of the parameter. */
const proxiesParameter = (withProxies: boolean) => ({ proxies: withProxies ? 'True' : undefined });

/** Reads one service. Throws ProviderError: not_found for an unknown id. */
export const readService = async (
  client: ProviderClient,
  id: string,
  options: ServiceOptions,
): Promise<ServiceAnswer> => {
  const query = proxiesParameter(options.withProxies);
  const schema = z.object({ data: z.record(z.string(), z.unknown()) });
  const { data } = await client.get(SERVICE_ENDPOINT, { path: id, query, schema, signal: options.signal });
  const answer = answerOf(data, options, (type) =>
    decodeAnswer({ schema: type, endpoint: SERVICE_ENDPOINT }, data),
  );
  if (answer?.service.id.toLowerCase() !== id.toLowerCase())
    throw otherAnswer(SERVICE_ENDPOINT, 'service', id);
  return answer;
};

/** Reads all services. Throws ProviderError. */
export const readServices = (client: ProviderClient, options: ServiceOptions): Pages<ServiceAnswer> =>
  readPages(client, SERVICES_ENDPOINT, {
    ...options,
    query: proxiesParameter(options.withProxies),
    idField: 'service_id',
    decode: (item) => answerOf(item as Fields, options, (type) => itemDecoder(type)(item)),
  });

/** `decode` returns null for what is not a service. */
const answerOf = (
  data: Fields,
  { withProxies, timeZone, metadataKeys }: ServiceOptions,
  decode: (type: ReturnType<typeof serviceIn>) => Service | null,
): ServiceAnswer | null => {
  const { decoded: answer, hasInvalidValue } = detectInvalid(() => {
    const service = decode(serviceIn(timeZone));
    const isNamed = service && metadataKeys?.length;
    return { service, metadata: isNamed ? metadataOf(data.service_metadata, metadataKeys) : undefined };
  });
  const { service, metadata } = answer;
  if (!service) return null;
  const items = withProxies ? proxiesOf(data) : [];
  const decoded = (items ?? []).map((item) => detectInvalid(() => decodeProxy(item)));
  const proxies = decoded.flatMap(({ decoded: proxy }) => proxy ?? []);
  const invalidProxies = decoded.filter((proxy) => proxy.decoded === null || proxy.hasInvalidValue).length;
  // The field of the proxies is probably called `proxies`.
  const isListInvalid = items === undefined && (data.proxies ?? null) !== null;
  return {
    ...{ id: service.id, customerId: null, service, ...lineItemsOf(data), proxies },
    ...(metadata && { metadata }),
    skipped: invalidProxies + Number(isListInvalid) + Number(hasInvalidValue),
    areAllProxiesValid: items !== undefined && invalidProxies === 0,
  };
};

/**
 * The API's documentation does not name the field that carries the proxies, so it is found as the list with proxy ids.
 * Without one, an empty list shows that there are no proxies. Returns undefined if the answer does not say.
 */
const proxiesOf = (data: Fields): unknown[] | undefined => {
  const lists = Object.values(data).filter((value) => Array.isArray(value));
  const hasProxyId = (item: unknown): boolean => isObject(item) && 'proxy_id' in item;
  return lists.find((list) => list.some(hasProxyId)) ?? lists.find((list) => list.length === 0);
};

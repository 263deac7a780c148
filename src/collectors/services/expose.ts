// Exposes the purchased services from the store as samples.

import { gauge, type SampleSink } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { SECOND } from '../../lib/time.ts';
import type { StoredService } from '../../store/service-store.ts';
import type { ReadContext } from '../context.ts';
import {
  type EffectiveStatus,
  effectiveStatusOf,
  missingProxies,
  removedServices,
  shownServices,
} from './effective-status.ts';
import type { ServiceOptions } from './options.ts';

const SOURCE = 'from service/retrieve, polled.';
const SERVICE = ['service_id'] as const;

export const families = {
  info: gauge('proxywatch_service_info', `Always 1; what the provider says of the service, ${SOURCE}`, [
    'service_id',
    'service_name',
    'product_type',
    'protocol',
    'status',
    'country_id',
    'cycle',
  ]),
  quantity: gauge(
    'proxywatch_service_quantity',
    `Proxies bought; perhaps gigabytes, where they are sold by the byte, ${SOURCE}`,
    SERVICE,
  ),
  effectiveStatus: gauge(
    'proxywatch_service_standing',
    `Always 1; what status, pause and expiry of the service come to: active, awaiting (fulfillment), paused, not_active (overdue, canceled, or unheard of), over (long past, or complete), gone (configured, and not found) or unknown, ${SOURCE}`,
    ['service_id', 'standing'],
  ),
  lastAnswer: gauge(
    'proxywatch_service_last_answer_timestamp_seconds',
    `When the provider last answered for the service, in seconds since the epoch, ${SOURCE}`,
    SERVICE,
  ),
  proxiesMissing: gauge(
    'proxywatch_service_proxies_missing',
    `Proxies bought and not in use; absent where they are sold by the byte, ${SOURCE}`,
    SERVICE,
  ),
  lineItemQuantity: gauge('proxywatch_service_line_item_quantity', `Bought of one location, ${SOURCE}`, [
    'service_id',
    'line_item_id',
    'country_id',
  ]),
  price: gauge(
    'proxywatch_service_price',
    `Price of a cycle in the provider's unit of money, cents by its documentation, ${SOURCE}`,
    SERVICE,
  ),
  paused: gauge(
    'proxywatch_service_paused',
    `1 while the subscription is paused, else 0, ${SOURCE}`,
    SERVICE,
  ),
  pendingCancellation: gauge(
    'proxywatch_service_pending_cancellation',
    `1 if the service ends when it expires, else 0, ${SOURCE}`,
    SERVICE,
  ),
  automaticCollection: gauge(
    'proxywatch_service_automatic_collection',
    `1 if the service is paid and renewed by itself when it expires, else 0, ${SOURCE}`,
    SERVICE,
  ),
  openInvoice: gauge(
    'proxywatch_service_open_invoice',
    `1 while an invoice is open, else 0, ${SOURCE}`,
    SERVICE,
  ),
  expiry: gauge(
    'proxywatch_service_expiry_timestamp_seconds',
    `End of the billing cycle in seconds since the epoch, ${SOURCE}`,
    SERVICE,
  ),
  earliestCancellation: gauge(
    'proxywatch_service_earliest_cancellation_timestamp_seconds',
    `When the service can be canceled first, in seconds since the epoch, ${SOURCE}`,
    SERVICE,
  ),
  proxies: gauge('proxywatch_service_proxies', `Proxies of the service by their status, ${SOURCE}`, [
    'service_id',
    'status',
  ]),
} as const;

export const exposeServices = async (
  context: ReadContext<ServiceOptions>,
  sink: SampleSink,
): Promise<void> => {
  for (const service of await shownServices(context)) exposeService(service, sink);
  for (const service_id of await removedServices(context))
    sink.sample(families.effectiveStatus, { service_id, standing: 'gone' satisfies EffectiveStatus }, 1);
};

const exposeService = (service: StoredService, sink: SampleSink): void => {
  const labels = { service_id: service.id };
  const info = {
    ...labels,
    service_name: service.name ?? '',
    product_type: service.productType ?? '',
    protocol: service.protocol ?? '',
    status: service.status ?? '',
    country_id: service.countryId ?? '',
    cycle: service.cycle ?? '',
  };
  sink.sample(families.info, info, 1);
  sink.sample(families.effectiveStatus, { ...labels, standing: effectiveStatusOf(service) }, 1);
  sink.sample(families.lastAnswer, labels, service.answeredAt / SECOND);
  sink.sample(families.proxiesMissing, labels, missingProxies(service));
  sink.sample(families.quantity, labels, service.quantity);
  sink.sample(families.price, labels, service.price);
  sink.sample(families.paused, labels, asNumber(service.isPaused));
  sink.sample(families.pendingCancellation, labels, asNumber(service.isPendingCancellation));
  sink.sample(families.automaticCollection, labels, asNumber(service.isAutomaticCollection));
  sink.sample(families.openInvoice, labels, Number(service.hasOpenInvoice));
  sink.sample(families.expiry, labels, asSeconds(service.expiresAt));
  sink.sample(families.earliestCancellation, labels, asSeconds(service.earliestCancellationAt));
  for (const { id, countryId, quantity } of service.lineItems) {
    sink.sample(families.lineItemQuantity, { ...labels, line_item_id: id, country_id: countryId }, quantity);
  }
  for (const [status, count] of Object.entries(proxyCountsOf(service)))
    sink.sample(families.proxies, { ...labels, status }, count);
};

/** Counts proxies by status. A service that lost all of its proxies has 0 in use; one sold by the byte has no proxies. */
const proxyCountsOf = ({ productType, proxies }: StoredService): Readonly<Record<string, number>> => {
  if (!proxies) return {};
  const isMetered = METERED_TYPES.some((type) => type === productType);
  return isMetered ? proxies : { in_use: 0, ...proxies };
};

const asNumber = (flag: boolean | null): number | null => (flag === null ? null : Number(flag));

const asSeconds = (at: number | null): number | null => (at === null ? null : at / SECOND);

// Exposes the purchased services from the store as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import type { StoredService } from '../../store/service-store.ts';
import type { Collector } from '../collector.ts';
import { asNumber, asSeconds, gauges, sampleAll } from '../families.ts';
import { MetadataLabels } from '../metadata-labels.ts';
import {
  type EffectiveStatus,
  effectiveStatusOf,
  isSoldByProxy,
  missingProxies,
  removedServices,
  shownServices,
} from './effective-status.ts';
import type { ServiceOptions } from './selection.ts';

const SOURCE = 'polled from service/retrieve.';
const SERVICE = ['service_id'] as const;

export const families = {
  ...gauges(['service_id', 'service_name', 'product_type', 'protocol', 'status', 'country_id', 'cycle'], {
    proxywatch_service_info: `Details of the service, in labels, ${SOURCE} The value is always 1.`,
  }),
  ...gauges(SERVICE, {
    proxywatch_service_quantity: `Number of proxies that you bought, ${SOURCE} For services that the provider sells by the byte, the unit is unknown.`,
  }),
  ...gauges(['service_id', 'standing'], {
    proxywatch_service_standing: `Effective status of the service, in a label, ${SOURCE} The status is active, awaiting (fulfillment), paused, not_active (overdue, canceled or an unknown status), over (complete, or expired long ago), gone (configured, but the provider does not find it) or unknown. The value is always 1.`,
  }),
  ...gauges(SERVICE, {
    proxywatch_service_last_answer_timestamp_seconds: `Time of the provider's last answer about the service, in seconds since the epoch, ${SOURCE}`,
    proxywatch_service_proxies_missing: `Number of bought proxies that are not in use, ${SOURCE} The series is missing for services that the provider sells by the byte.`,
  }),
  ...gauges(['service_id', 'line_item_id', 'country_id'], {
    proxywatch_service_line_item_quantity: `Quantity of one location in the service, ${SOURCE}`,
  }),
  ...gauges(SERVICE, {
    proxywatch_service_price: `Price of one billing cycle in cents of the account's currency, ${SOURCE}`,
    proxywatch_service_paused: `Whether the subscription is paused (1) or not (0), ${SOURCE}`,
    proxywatch_service_pending_cancellation: `Whether the service ends when it expires (1) or not (0), ${SOURCE}`,
    proxywatch_service_automatic_collection: `Whether the provider collects the payment and renews the service automatically (1) or not (0), ${SOURCE}`,
    proxywatch_service_payment_method: `Whether the service has a payment method (1) or not (0), ${SOURCE}`,
    proxywatch_service_open_invoice: `Whether the service has an open invoice (1) or not (0), ${SOURCE}`,
    proxywatch_service_expiry_timestamp_seconds: `End of the billing cycle in seconds since the epoch, ${SOURCE}`,
    proxywatch_service_earliest_cancellation_timestamp_seconds: `Earliest time at which you can cancel the service, in seconds since the epoch, ${SOURCE}`,
  }),
  ...gauges(['service_id', 'status'], {
    proxywatch_service_proxies: `Number of proxies of the service by status, ${SOURCE}`,
  }),
} as const;

export const exposeServices: Collector<ServiceOptions>['expose'] = async (context, sink) => {
  const info = new MetadataLabels(families.proxywatch_service_info, context.options.labels_from_metadata);
  for (const service of await shownServices(context)) exposeService(service, info, sink);
  for (const service_id of await removedServices(context))
    sink.sample(
      families.proxywatch_service_standing,
      { service_id, standing: 'gone' satisfies EffectiveStatus },
      1,
    );
};

const exposeService = (service: StoredService, infoLabels: InfoLabels, sink: SampleSink): void => {
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
  sink.sample(infoLabels.family, infoLabels.added(info, service.metadata), 1);
  sink.sample(families.proxywatch_service_standing, { ...labels, standing: effectiveStatusOf(service) }, 1);
  sampleAll(sink, labels, families, {
    proxywatch_service_last_answer_timestamp_seconds: service.answeredAt / SECOND,
    proxywatch_service_proxies_missing: missingProxies(service),
    proxywatch_service_quantity: service.quantity,
    proxywatch_service_price: service.price,
    proxywatch_service_paused: asNumber(service.isPaused),
    proxywatch_service_pending_cancellation: asNumber(service.isPendingCancellation),
    proxywatch_service_automatic_collection: asNumber(service.isAutomaticCollection),
    proxywatch_service_payment_method: asNumber(service.hasPaymentMethod),
    proxywatch_service_open_invoice: Number(service.hasOpenInvoice),
    proxywatch_service_expiry_timestamp_seconds: asSeconds(service.expiresAt),
    proxywatch_service_earliest_cancellation_timestamp_seconds: asSeconds(service.earliestCancellationAt),
  });
  for (const { id, countryId, quantity } of service.lineItems) {
    sink.sample(
      families.proxywatch_service_line_item_quantity,
      { ...labels, line_item_id: id, country_id: countryId },
      quantity,
    );
  }
  for (const [status, count] of Object.entries(proxyCountsOf(service)))
    sink.sample(families.proxywatch_service_proxies, { ...labels, status }, count);
};

type InfoLabels = MetadataLabels<(typeof families.proxywatch_service_info)['labels'][number]>;

/** Counts proxies by status. A service that lost all of its proxies has 0 in use; one sold by the byte has no proxies. */
const proxyCountsOf = (service: StoredService): Readonly<Record<string, number>> =>
  service.proxies && isSoldByProxy(service) ? { in_use: 0, ...service.proxies } : (service.proxies ?? {});

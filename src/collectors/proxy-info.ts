// Exposes proxywatch_proxy_info, and decides from a proxy's status whether the proxy is in use.
//
// The inventory writes the details, or the proxy tests if the inventory is off, so that no proxy appears twice.

import { gauge, type SampleSink } from '../lib/family.ts';
import type { ProxyFacts, SourceProxy } from '../store/source-proxy-store.ts';

/**
 * The statuses come from the provider's public documentation; the API's specification only shows `in_use`. The set is
 * open. An unknown status counts as in use, so that its proxies are not silently left out.
 */
const NOT_IN_USE: ReadonlySet<string | null> = new Set([
  'available',
  'reserved',
  'waiting',
  'pending_deletion',
]);

export const isInUse = (status: string | null): boolean => !NOT_IN_USE.has(status);

export const proxyInfo = gauge(
  'proxywatch_proxy_info',
  'Details of a proxy from the configuration and the provider, in labels. Unknown labels are empty. Tested proxies have the series. If the inventory collector is on, untested proxies also have the series, up to max_series_proxies. The value is always 1.',
  [
    ...(['proxy_id', 'name', 'product_type', 'protocol', 'status', 'ip_address', 'country_id'] as const),
    ...(['city_name', 'asn_id', 'asn_name', 'subnet_id', 'service_id'] as const),
  ],
);

/** Converts the provider's values of a proxy to text, as they are stored and shown. Null becomes an empty string. */
export const proxyFactsOf = (
  proxy: Readonly<Record<keyof ProxyFacts, string | number | null>>,
): ProxyFacts => ({
  status: textOf(proxy.status),
  address: textOf(proxy.address),
  countryId: textOf(proxy.countryId),
  cityName: textOf(proxy.cityName),
  asnId: textOf(proxy.asnId),
  asnName: textOf(proxy.asnName),
  subnetId: textOf(proxy.subnetId),
  serviceId: textOf(proxy.serviceId),
});

const textOf = (value: string | number | null): string => String(value ?? '');

type ShownProxy = Pick<SourceProxy, 'id' | 'name' | 'productType' | 'protocol' | 'facts'>;

export const exposeProxyInfo = (
  { id, name, productType, protocol, facts }: ShownProxy,
  sink: SampleSink,
): void => {
  // Spelled out, because there may be 100,000 proxies: labels that are made from the table take seven times as long.
  const labels = {
    ...{ proxy_id: id, name, product_type: productType, protocol },
    status: facts?.status ?? '',
    ip_address: facts?.address ?? '',
    country_id: facts?.countryId ?? '',
    city_name: facts?.cityName ?? '',
    asn_id: facts?.asnId ?? '',
    asn_name: facts?.asnName ?? '',
    subnet_id: facts?.subnetId ?? '',
    service_id: facts?.serviceId ?? '',
  };
  sink.sample(proxyInfo, labels, 1);
};

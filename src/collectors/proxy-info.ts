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

/** The labels of what the provider says about a proxy. */
const FACT_LABELS = {
  status: 'status',
  address: 'ip_address',
  countryId: 'country_id',
  cityName: 'city_name',
  asnId: 'asn_id',
  asnName: 'asn_name',
  subnetId: 'subnet_id',
  serviceId: 'service_id',
} as const satisfies Readonly<Record<keyof ProxyFacts, string>>;
const FACTS = Object.entries(FACT_LABELS) as [keyof ProxyFacts, (typeof FACT_LABELS)[keyof ProxyFacts]][];

export const proxyInfo = gauge(
  'proxywatch_proxy_info',
  'Details of a proxy from the configuration and the provider, in labels. Unknown labels are empty. Tested proxies have the series. If the inventory collector is on, untested proxies also have the series, up to max_series_proxies. The value is always 1.',
  ['proxy_id', 'name', 'product_type', 'protocol', ...Object.values(FACT_LABELS)],
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
  const labels = Object.fromEntries(FACTS.map(([fact, label]) => [label, facts?.[fact] ?? '']));
  sink.sample<string>(proxyInfo, { proxy_id: id, name, product_type: productType, protocol, ...labels }, 1);
};

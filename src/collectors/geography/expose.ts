// Exposes places and networks from the store as samples.

import { gauge, type SampleSink } from '../../lib/family.ts';
import type { Place } from '../../store/catalog-store.ts';
import type { ReadContext } from '../context.ts';
import type { GeographyOptions } from './options.ts';

const ASN = ['asn_id', 'asn_name'] as const;

export const families = {
  asnNodes: gauge(
    'proxywatch_asn_nodes',
    'Number of nodes that are online in the autonomous system, polled from asn/search.',
    ASN,
  ),
  asnIpAddresses: gauge(
    'proxywatch_asn_ip_addresses',
    'Number of IP addresses of the autonomous system, polled from asn/search.',
    ASN,
  ),
  cityNodes: gauge(
    'proxywatch_city_nodes',
    'Number of nodes that are online in the city, polled from city/retrieve.',
    ['city_id', 'city_name'],
  ),
  subdivisionNodes: gauge(
    'proxywatch_subdivision_nodes',
    'Number of nodes that are online in the subdivision, polled from subdivision/retrieve.',
    ['subdivision_id', 'subdivision_name'],
  ),
  continents: gauge(
    'proxywatch_continents',
    'Continents of the provider, polled from continent/search. The value is always 1.',
    ['continent_id', 'continent_name'],
  ),
} as const;

export const exposeGeography = async (
  { account, store }: ReadContext<GeographyOptions>,
  sink: SampleSink,
): Promise<void> => {
  for (const place of await store.geography.places(account.name)) exposePlace(place, sink);
};

const exposePlace = ({ kind, id, name, nodes, ipAddresses }: Place, sink: SampleSink): void => {
  const label = name ?? '';
  switch (kind) {
    case 'asn':
      sink.sample(families.asnNodes, { asn_id: id, asn_name: label }, nodes);
      sink.sample(families.asnIpAddresses, { asn_id: id, asn_name: label }, ipAddresses);
      break;
    case 'city':
      sink.sample(families.cityNodes, { city_id: id, city_name: label }, nodes);
      break;
    case 'subdivision':
      sink.sample(families.subdivisionNodes, { subdivision_id: id, subdivision_name: label }, nodes);
      break;
    case 'continent':
      sink.sample(families.continents, { continent_id: id, continent_name: label }, 1);
  }
};

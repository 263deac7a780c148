// Exposes places and networks from the store as samples.

import { gauge, type SampleSink } from '../../lib/family.ts';
import type { Place } from '../../store/geography-store.ts';
import type { ReadContext } from '../context.ts';
import type { GeographyOptions } from './options.ts';

const ASN = ['asn_id', 'asn_name'] as const;

export const families = {
  asnNodes: gauge(
    'proxywatch_asn_nodes',
    'Nodes online in the autonomous system, from asn/search, polled.',
    ASN,
  ),
  asnIpAddresses: gauge(
    'proxywatch_asn_ip_addresses',
    'IP addresses of the autonomous system, from asn/search, polled.',
    ASN,
  ),
  cityNodes: gauge('proxywatch_city_nodes', 'Nodes in the city, from city/retrieve, polled.', [
    'city_id',
    'city_name',
  ]),
  subdivisionNodes: gauge(
    'proxywatch_subdivision_nodes',
    'Nodes in the subdivision, from subdivision/retrieve, polled.',
    ['subdivision_id', 'subdivision_name'],
  ),
  continents: gauge('proxywatch_continents', 'Always 1; the continents, from continent/search, polled.', [
    'continent_id',
    'continent_name',
  ]),
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

// The documented fields of continents, networks, cities and subdivisions.

import { object, word } from './shapes.ts';
import { ASN_RIR_WORDS, ASN_TYPE_WORDS } from './words.ts';

export const continent = object({
  text: 'continent_id continent_name',
  'text or null': 'continent_alias',
});

export const asn = object(
  { integer: 'asn_id asn_ip_address_count asn_node_count', text: 'asn_name', country: 'country_id' },
  { asn_type: word(ASN_TYPE_WORDS), asn_rir: word(ASN_RIR_WORDS) },
);

export const city = object({
  integer: 'city_id city_node_count',
  'integer or null': 'city_population',
  text: 'city_name city_timezone subdivision_id',
  'text or null': 'city_alias city_example_postcode',
  boolean: 'city_is_populous',
  number: 'city_latitude city_longitude',
});

export const subdivision = object({
  text: 'subdivision_id subdivision_name subdivision_alias',
  integer: 'subdivision_node_count',
  country: 'country_id',
});

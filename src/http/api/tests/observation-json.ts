// What the newest result of a tested proxy said of it, and where a tester stands, as JSON.

import { z } from 'zod';
import type { ProxyObservation, TesterPlace } from '../../../store/test-store.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { count, text, time } from '../fields.ts';

export const sighting = z
  .strictObject({
    result_id: text.nullable(),
    tester_proxy_id: text.nullable().describe('Of the proxy within its test run'),
    created_at: time.nullable().describe('By the provider’s clock, as the next one'),
    updated_at: time.nullable(),
    ip_address: text.nullable(),
    country_id: text.nullable(),
    city_id: count.nullable(),
    city_name: text.nullable(),
    asn_id: count.nullable(),
    asn_name: text.nullable(),
  })
  .meta({ id: 'ProxySighting' });

export const testerPlace = {
  city_id: count.nullable(),
  city_name: text.nullable(),
  country_id: text.nullable(),
};

export const sightingJson = (seen: ProxyObservation) => ({
  result_id: seen.resultId,
  tester_proxy_id: seen.testerProxyId,
  created_at: rfc3339(seen.createdAt),
  updated_at: rfc3339(seen.updatedAt),
  ip_address: seen.address,
  country_id: seen.countryId,
  city_id: seen.cityId,
  city_name: seen.cityName,
  asn_id: seen.asnId,
  asn_name: seen.asnName,
});

export const testerPlaceJson = (place: TesterPlace | undefined) => ({
  city_id: place?.cityId ?? null,
  city_name: place?.cityName ?? null,
  country_id: place?.countryId ?? null,
});

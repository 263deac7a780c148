// Defines the JSON of the newest observation of a tested proxy, and of a tester's place.

import { z } from 'zod';
import type { ProxyObservation, TesterPlace } from '../../../store/test-store.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { count, text, time } from '../fields.ts';

export const observation = z
  .strictObject({
    result_id: text.nullable(),
    tester_proxy_id: text.nullable().describe('Id of the proxy in its test run'),
    created_at: time.nullable().describe('Time by the provider’s clock. `updated_at` uses the same clock'),
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

export const observationJson = (observation: ProxyObservation) => ({
  result_id: observation.resultId,
  tester_proxy_id: observation.testerProxyId,
  created_at: rfc3339(observation.createdAt),
  updated_at: rfc3339(observation.updatedAt),
  ip_address: observation.address,
  country_id: observation.countryId,
  city_id: observation.cityId,
  city_name: observation.cityName,
  asn_id: observation.asnId,
  asn_name: observation.asnName,
});

export const testerPlaceJson = (place: TesterPlace | undefined) => ({
  city_id: place?.cityId ?? null,
  city_name: place?.cityName ?? null,
  country_id: place?.countryId ?? null,
});

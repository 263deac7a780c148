// Reads the details of a test result: the tester's place, and what it observed of the proxy. None of them is required.

import type { z } from 'zod';
import { cutText } from '../../lib/quoted-text.ts';
import { count, datetime, nullable, text } from '../schema.ts';

/** A value is null if the provider did not give it. */
export interface TesterPlace {
  readonly cityId: number | null;
  readonly cityName: string | null;
  readonly countryId: string | null;
}

export interface ProxyObservation {
  readonly resultId: string | null;
  /** The provider's id of the proxy within its test run. */
  readonly testerProxyId: string | null;
  /** Times by the provider's clock (ms). */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly address: string | null;
  readonly countryId: string | null;
  readonly cityId: number | null;
  readonly cityName: string | null;
  readonly asnId: number | null;
  readonly asnName: string | null;
}

/** The maximum length of a text, because the store keeps an observation of every tested proxy. */
const MAX_LENGTH = 100;

const word = text.catch(null).transform((value) => (value === null ? null : cutText(value, MAX_LENGTH)));
const integer = nullable(count).catch(null);

export const detailFieldsIn = (timeZone: string) => ({
  proxy_test_result_id: word,
  proxy_tester_proxy_id: word,
  proxy_test_server_city_id: integer,
  proxy_test_server_city_name: word,
  proxy_test_server_country_id: word,
  proxy_test_result_creation_datetime: datetime(timeZone).catch(null),
  proxy_test_result_last_update_datetime: datetime(timeZone).catch(null),
  proxy_ip_address: word,
  proxy_country_id: word,
  proxy_city_id: integer,
  proxy_city_name: word,
  proxy_asn_id: integer,
  proxy_asn_name: word,
});

type Details = z.output<z.ZodObject<ReturnType<typeof detailFieldsIn>>>;

export const placeOf = (result: Details): TesterPlace => ({
  cityId: result.proxy_test_server_city_id,
  cityName: result.proxy_test_server_city_name,
  countryId: result.proxy_test_server_country_id,
});

export const observationOf = (result: Details): ProxyObservation => ({
  resultId: result.proxy_test_result_id,
  testerProxyId: result.proxy_tester_proxy_id,
  createdAt: result.proxy_test_result_creation_datetime,
  updatedAt: result.proxy_test_result_last_update_datetime,
  address: result.proxy_ip_address,
  countryId: result.proxy_country_id,
  cityId: result.proxy_city_id,
  cityName: result.proxy_city_name,
  asnId: result.proxy_asn_id,
  asnName: result.proxy_asn_name,
});

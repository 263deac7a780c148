// Makes proxy test runs (proxy_test_run/create) and reads their results from the same answer.

import { z } from 'zod';
import { cutText } from '../../lib/quoted-text.ts';
import type { Secret } from '../../lib/secret.ts';
import { SECOND } from '../../lib/time.ts';
import { testRunLimit } from '../answer-limits.ts';
import type { ProviderClient } from '../client.ts';
import type { AttemptObserver } from '../request.ts';
import {
  count,
  datetime,
  detectInvalid,
  itemDecoder,
  nonNegativeAmount,
  nullable,
  port,
  text,
  textOrNumber,
} from '../schema.ts';

/** The maximum length of a text, because the store keeps an observation of every tested proxy. */
const MAX_LENGTH = 100;

const word = text.catch(null).transform((value) => (value === null ? null : cutText(value, MAX_LENGTH)));
const integer = nullable(count).catch(null);

/** A value is null if the provider did not give it. */
const detailFieldsIn = (timeZone: string) => ({
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

const placeOf = (result: Details) => ({
  cityId: result.proxy_test_server_city_id,
  cityName: result.proxy_test_server_city_name,
  countryId: result.proxy_test_server_country_id,
});

const observationOf = (result: Details) => ({
  resultId: result.proxy_test_result_id,
  /** The provider's id of the proxy within its test run. */
  testerProxyId: result.proxy_tester_proxy_id,
  /** Times by the provider's clock (ms). */
  createdAt: result.proxy_test_result_creation_datetime,
  updatedAt: result.proxy_test_result_last_update_datetime,
  address: result.proxy_ip_address,
  countryId: result.proxy_country_id,
  cityId: result.proxy_city_id,
  cityName: result.proxy_city_name,
  asnId: result.proxy_asn_id,
  asnName: result.proxy_asn_name,
});

/** One call takes at most this many proxies (the API's documentation). */
export const MAX_PROXIES_PER_RUN = 20;

export interface TestRunRequest {
  /** At most 20. A proxy string is `host:port:user:password` or a URL. */
  readonly proxies: readonly { readonly proxyId?: string | undefined; readonly proxyString: Secret }[];
  readonly urls: readonly (Secret | string)[];
  /** An empty list means all. */
  readonly testerServers: readonly string[];
  readonly timeoutMs: number;
  /** The unit of the provider's response times. */
  readonly responseTimeUnit: 'milliseconds' | 'seconds';
  /** Zone of the provider's datetimes. */
  readonly timeZone: string;
  readonly signal?: AbortSignal | undefined;
  readonly attempts?: AttemptObserver | undefined;
}

/** The result of one proxy against one URL from one tester server. It does not carry the proxy's id. */
export type TestResult = Readonly<z.output<ReturnType<typeof resultIn>>>;

export interface TestRun {
  readonly runIds: string[];
  readonly results: TestResult[];
  /** Number of results that did not decode, or lack a value because its type differed from the documented one. */
  readonly skipped: number;
}

const ENDPOINT = 'proxy_test_run/create';

const answer = z.object({
  created: z.array(z.string()),
  data: z.record(z.string(), z.object({ results: z.array(z.unknown()) })),
});

/** Tests all proxies against all URLs. Throws ProviderError; the run may still have been made and counted then. */
export const createTestRun = async (client: ProviderClient, request: TestRunRequest): Promise<TestRun> => {
  const { timeoutMs, signal, attempts, responseTimeUnit, timeZone } = request;
  const { proxies, urls, testerServers } = request;
  const maxBytes = testRunLimit(proxies.length, urls.length, testerServers.length);
  const options = { timeoutMs, schema: answer, signal, attempts, maxBytes };
  const { created, data } = await client.post(ENDPOINT, toBody(request), options);
  const unitsPerSecond = responseTimeUnit === 'milliseconds' ? SECOND : 1;
  const decode = itemDecoder(resultIn(unitsPerSecond, timeZone));
  const items = Object.values(data).flatMap(({ results }) => results);
  const decoded = items.map((item) => detectInvalid(() => decode(item)));
  const skipped = decoded.filter(({ decoded: result, hasInvalidValue }) => !result || hasInvalidValue).length;
  return { runIds: created, results: decoded.flatMap(({ decoded: result }) => result ?? []), skipped };
};

const toBody = ({ proxies, urls, testerServers }: TestRunRequest) => ({
  proxies: proxies.map(({ proxyId, proxyString }) => ({ proxy_id: proxyId, proxy_string: proxyString })),
  urls,
  proxy_tester_server_id: testerServers.length === 0 ? undefined : testerServers,
});

const resultIn = (unitsPerSecond: number, timeZone: string) =>
  z
    .object({
      proxy_host: z.string().min(1),
      proxy_port: port,
      proxy_username: nullable(z.string()),
      proxy_test_result_url: z.string(),
      proxy_test_server_id: z.string(),
      proxy_test_result_is_successful: z.boolean(),
      // One page of the provider's documentation has numbers here, such as 4221 and 2; its OpenAPI document has texts.
      proxy_test_result_error_code: nullable(textOrNumber),
      proxy_test_result_error_source: nullable(textOrNumber),
      proxy_test_result_response_time: nullable(nonNegativeAmount),
      ...detailFieldsIn(timeZone),
    })
    .transform((result) => ({
      host: result.proxy_host,
      port: result.proxy_port,
      username: result.proxy_username,
      /** The URL as tested, including its query; do not log it. */
      url: result.proxy_test_result_url,
      testerServer: result.proxy_test_server_id,
      isSuccessful: result.proxy_test_result_is_successful,
      errorCode: result.proxy_test_result_error_code,
      /** An open set: `client`, `proxy`, `target`. */
      errorSource: result.proxy_test_result_error_source,
      responseTimeSeconds: inSeconds(result.proxy_test_result_response_time, unitsPerSecond),
      testerPlace: placeOf(result),
      observation: observationOf(result),
    }));

const inSeconds = (value: number | null, unitsPerSecond: number): number | null =>
  value === null ? null : value / unitsPerSecond;

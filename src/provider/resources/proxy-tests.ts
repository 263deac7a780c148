// Makes proxy test runs (proxy_test_run/create) and reads their results from the same answer.

import { z } from 'zod';
import { cutText } from '../../lib/quoted-text.ts';
import type { Secret } from '../../lib/secret.ts';
import { SECOND } from '../../lib/time.ts';
import { testRunLimit } from '../answer-limits.ts';
import type { ProviderClient } from '../client.ts';
import { readPages } from '../pages.ts';
import type { AttemptObserver } from '../request.ts';
import {
  count,
  datetime,
  detectInvalid,
  fields,
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
const testerPlace = fields({
  cityId: ['proxy_test_server_city_id', integer],
  cityName: ['proxy_test_server_city_name', word],
  countryId: ['proxy_test_server_country_id', word],
});

/** A value is null if the provider did not give it. */
const observationIn = (timeZone: string) =>
  fields({
    resultId: ['proxy_test_result_id', word],
    /** The provider's id of the proxy within its test run. */
    testerProxyId: ['proxy_tester_proxy_id', word],
    /** Times by the provider's clock (ms). */
    createdAt: ['proxy_test_result_creation_datetime', datetime(timeZone).catch(null)],
    updatedAt: ['proxy_test_result_last_update_datetime', datetime(timeZone).catch(null)],
    address: ['proxy_ip_address', word],
    countryId: ['proxy_country_id', word],
    cityId: ['proxy_city_id', integer],
    cityName: ['proxy_city_name', word],
    asnId: ['proxy_asn_id', integer],
    asnName: ['proxy_asn_name', word],
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
export type TestResult = Readonly<NonNullable<ReturnType<ReturnType<typeof resultDecoder>>>>;

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
  const decode = resultDecoder(unitsPerSecond, timeZone);
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

const decodeResult = itemDecoder(
  fields({
    host: ['proxy_host', z.string().min(1)],
    port: ['proxy_port', port],
    username: ['proxy_username', nullable(z.string())],
    /** The URL as tested, including its query; do not log it. */
    url: ['proxy_test_result_url', z.string()],
    testerServer: ['proxy_test_server_id', z.string()],
    isSuccessful: ['proxy_test_result_is_successful', z.boolean()],
    // One page of the provider's documentation has numbers here, such as 4221 and 2; its OpenAPI document has texts.
    errorCode: ['proxy_test_result_error_code', nullable(textOrNumber)],
    /** An open set: `client`, `proxy`, `target`. */
    errorSource: ['proxy_test_result_error_source', nullable(textOrNumber)],
    responseTime: ['proxy_test_result_response_time', nullable(nonNegativeAmount)],
  }),
);

const resultDecoder = (unitsPerSecond: number, timeZone: string) => {
  const observation = observationIn(timeZone);
  return (item: unknown) => {
    const decoded = decodeResult(item);
    if (!decoded) return null;
    const { responseTime, ...result } = decoded;
    return {
      ...result,
      responseTimeSeconds: responseTime === null ? null : responseTime / unitsPerSecond,
      testerPlace: testerPlace.parse(item),
      observation: observation.parse(item),
    };
  };
};

export const TESTERS_ENDPOINT = 'proxy_test_server/search';
const testerItem = z.object({ proxy_test_server_id: z.string() });

/** Returns the ids of the provider's testers, which its public documentation lists by this search. Throws ProviderError. */
export const readTesterIds = async (client: ProviderClient, signal: AbortSignal): Promise<string[]> => {
  const ids: string[] = [];
  const decode = itemDecoder(testerItem);
  const options = { idField: 'proxy_test_server_id', decode, signal };
  for await (const { items } of readPages(client, TESTERS_ENDPOINT, options))
    ids.push(...items.map((item) => item.proxy_test_server_id));
  return ids;
};

// Simulates proxy_test_run/create, which tests every proxy with every URL from every tester in one call.

import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import type { Outage } from '../faults/outages.ts';
import { failureOf, type ProxyEndpoint, parseProxyString, type TestAttempt } from '../faults/test-outcome.ts';
import { HttpError, type Route } from '../http.ts';
import type { LocalTime } from '../local-time.ts';
import { memoizeByObject } from '../memoize.ts';
import type { ProxyAddresses } from '../proxies/simulated-proxy.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario, Tester } from '../scenario.ts';
import type { Inventory, InventoryProxy } from './proxies.ts';

interface TestContext {
  readonly scenario: Scenario;
  readonly local: LocalTime;
  readonly inventory: Inventory;
  readonly addresses: ProxyAddresses;
  readonly outages: () => readonly Outage[];
}

const MAX_PROXIES = 20;
const TIMEOUT_MS = 30_000;

const bodySchema = z.object({
  proxies: z
    .array(z.object({ proxy_id: z.string().nullish(), proxy_string: z.string().transform(endpointOf) }))
    .min(1),
  proxy_tester_server_id: z.array(z.string()).nullish(),
  urls: z.array(z.url({ protocol: /^https?$/ })).min(1),
});

export const proxyTestRoute = (context: TestContext): Route => {
  const { scenario, inventory } = context;
  const byAddress = memoizeByObject(proxiesByAddress);
  const checkDailyLimit = dailyLimit(scenario.test_runs_per_day);
  let runs = 0;
  const handle: Route['handle'] = ({ body, at }) => {
    const { endpoints, testers, urls } = parseBody(body, scenario);
    checkDailyLimit(at);
    const runId = uuid(scenario.seed, `run ${at} ${++runs}`);
    const proxies = byAddress(inventory.rows(at));
    const entries = endpoints.map((endpoint, place) => {
      const id = uuid(scenario.seed, `${runId} ${place}`);
      const proxy = proxies.get(`${endpoint.host}:${endpoint.port}`);
      const documented = context.addresses.documented(endpoint);
      const attempts = urls.flatMap((url) =>
        testers.map((tester) => ({ endpoint, documented, proxy, url, tester, at })),
      );
      return { id, results: attempts.map((attempt, i) => testResult(context, attempt, runId, id, i)) };
    });
    return {
      created: [runId],
      data: Object.fromEntries(entries.map(({ id, results }) => [id, { results }])),
      message: 'Proxy test run created.',
      proxy_test_result_created: entries.flatMap(({ results }) =>
        results.map((made) => made.proxy_test_result_id),
      ),
      proxy_tester_proxy_created: entries.map(({ id }) => id),
    };
  };
  return { method: 'POST', endpoint: 'proxy_test_run/create', handle };
};

/** Maps both endpoints (host:port) of each proxy to the proxy. */
const proxiesByAddress = (proxies: readonly InventoryProxy[]): Map<string, InventoryProxy> =>
  new Map(
    proxies.flatMap((proxy) =>
      [proxy.proxy_http_port, proxy.proxy_socks5_port].map((port) => [
        `${proxy.proxy_ip_address}:${port}`,
        proxy,
      ]),
    ),
  );

/** Returns a function that counts a run and throws HttpError 429 above the limit. Days are in UTC. */
const dailyLimit = (limit: number) => {
  let today = { day: Number.NaN, runs: 0 };
  return (at: number): void => {
    const day = Math.floor(at / DAY);
    if (today.day !== day) today = { day, runs: 0 };
    if (today.runs >= limit) throw new HttpError(429, 'Rate limit exceeded. Please try again later.');
    today.runs += 1;
  };
};

/** Throws HttpError: 400 for a malformed body, 422 for too many proxies and for testers that do not exist. */
const parseBody = (
  body: unknown,
  scenario: Scenario,
): { endpoints: ProxyEndpoint[]; testers: readonly Tester[]; urls: string[] } => {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) throw new HttpError(400, z.prettifyError(parsed.error));
  const { proxies, proxy_tester_server_id: wanted, urls } = parsed.data;
  if (proxies.length > MAX_PROXIES)
    throw new HttpError(422, `At most ${MAX_PROXIES} proxies can be tested at once.`);
  const unknown = wanted?.find((id) => !scenario.testers.some((tester) => tester.id === id));
  if (unknown !== undefined) throw new HttpError(422, `Unknown proxy tester server ${unknown}.`);
  return {
    endpoints: proxies.map(({ proxy_string }) => proxy_string),
    testers: scenario.testers.filter(({ id }) => wanted?.includes(id) ?? true),
    urls,
  };
};

function endpointOf(text: string, context: z.RefinementCtx<string>): ProxyEndpoint {
  const endpoint = parseProxyString(text);
  if (endpoint) return endpoint;
  context.addIssue('expected <host>:<port>:<username>:<password> or a url');
  return z.NEVER;
}

const testResult = (
  { scenario, local, outages }: TestContext,
  attempt: TestAttempt,
  runId: string,
  proxyId: string,
  index: number,
) => {
  const { endpoint, proxy, url, tester, at } = attempt;
  const failure = failureOf(scenario, outages(), attempt);
  return {
    proxy_test_result_id: uuid(scenario.seed, `${proxyId} ${index}`),
    proxy_test_run_id: runId,
    proxy_tester_proxy_id: proxyId,
    proxy_test_result_url: url,
    proxy_test_result_is_successful: !failure,
    proxy_test_result_error_code: failure?.code ?? null,
    proxy_test_result_error_source: failure?.source ?? null,
    proxy_test_result_protocol: endpoint.protocol,
    proxy_test_result_response_time: responseTime(scenario.seed, attempt, failure?.code),
    proxy_test_server_id: tester.id,
    proxy_test_server_city_id: tester.city_id,
    proxy_test_server_city_name: tester.city_name,
    proxy_test_server_country_id: tester.country_id,
    proxy_test_result_creation_datetime: local.datetime(at),
    proxy_test_result_last_update_datetime: local.datetime(at),
    proxy_username: endpoint.username,
    proxy_host: endpoint.host,
    proxy_port: endpoint.port,
    proxy_ip_address: proxy?.proxy_ip_address ?? null,
    proxy_country_id: proxy?.country_id ?? null,
    proxy_city_id: proxy?.city_id ?? null,
    proxy_city_name: proxy?.city_name ?? null,
    proxy_asn_id: proxy?.asn_id ?? null,
    proxy_asn_name: proxy?.asn_name ?? null,
  };
};

/** Returns milliseconds: a constant part for the route from tester to proxy, and a part of this request. */
const responseTime = (seed: number, attempt: TestAttempt, failureCode: string | undefined): number => {
  if (failureCode === 'connection_timeout') return TIMEOUT_MS;
  const { documented, tester, url, at } = attempt;
  const { host, port } = documented;
  const route = draw(mix(mix(seed, hashText(tester.id)), hashText(host)), 1);
  const request = draw(mix(mix(seed, hashText(`${host}:${port} ${url}`)), at / 1_000), 2);
  return Math.round(60 + 500 * route + 400 * request ** 3);
};

// Defines two accounts that are polled every second, for the test that Prometheus and the daemon agree on alerts.

import { proxyAddress, services, userId, userPassword } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput, type Simulator } from '../../src/simulator/simulator.ts';

const SECONDLY = '* * * * * *';
const NEVER = '0 0 29 2 *';
const PROXIES = 12;

/** An account without any problem: nothing is low, fails or ends soon, on any date. */
export const SCENARIO: ScenarioInput = {
  ...{ pace: null, test_runs_per_day: 1_000_000, proxies: PROXIES },
  ...{ users: 2, deleted_user_ratio: 0, limits: { unlimited: 0, zero: 0, near: 0, over: 0 } },
  ledger: { top_up_bytes: 1_000_000_000_000 },
  changes: [{ kind: 'service', subject: 0, set: { service_is_automatic_collection: true } }],
};

const scenario = parseScenario(SCENARIO);
export const SERVICE_ID = services(scenario)[0]?.id ?? '';
export const USER_IDS = [userId(0), userId(1)];

const proxyEntries = Array.from({ length: PROXIES }, (_, index) => {
  const { host, httpPort } = proxyAddress(index);
  const proxy = `${host}:${httpPort}:${userId(0)}:${userPassword(scenario.seed, 0)}`;
  return { name: `p${index}`, product_type: 'isp', proxy };
});

const MAIN = {
  name: 'main',
  // A daemon on a busy machine polls late. A fault that begins during a run may make a part wait for a minute, which
  // is longer than the scaled hold of PartsFailing.
  alerts: {
    DataStale: { threshold: 60 },
    TestQuotaRefused: { threshold: '5s' },
    // Longer than the scaled hold of CollectorFailing.
    ProviderUnreachable: { threshold: '15s' },
    PartsFailing: { threshold: 10 },
    ProxyUserQuotaLow: { steps: [0.8, 0.9, 1] },
  },
  traffic: {
    schedule: SECONDLY,
    reread: '20m',
    deep_reread: { schedule: NEVER, span: '1h' },
    catch_up: '2h',
    graphs: [{ name: 'isp', product_type: 'isp', expect: { min_requests: 10, within: '5m' } }],
  },
  residential_ledger: { schedule: SECONDLY },
  proxy_users: { schedule: SECONDLY },
  reconciliation: false,
  services: { schedule: SECONDLY, ids: [SERVICE_ID], discover: false },
  proxy_tests: {
    schedule: SECONDLY,
    urls: ['www.example.com', 'shop.example', 'api.example.com'].map((name) => ({
      ...{ name, url: `https://${name}/` },
    })),
    max_runs_per_day: 1_000_000,
    proxies: proxyEntries,
  },
};
/** Without answers its data is stale before its requests time out. */
const OTHER = {
  ...{ name: 'other', traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
  ...{ request_timeout: '8s', catalog: { schedule: SECONDLY }, alerts: { DataStale: { threshold: 6 } } },
};

/** Returns the section `accounts` of the settings. */
export const accountsAt = (main: Simulator, other: Simulator): Record<string, unknown>[] =>
  (
    [
      [MAIN, main],
      [OTHER, other],
    ] as const
  ).map(([account, { baseUrl, publicKey, privateKey }]) => ({
    ...account,
    ...{ base_url: baseUrl, public_key: publicKey, private_key: privateKey, requests_per_second: 1_000 },
  }));

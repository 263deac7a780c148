// Builds a daemon that only tests the proxies of the simulated account.

import { proxyAddress, userId, userPassword } from '../../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../../src/simulator/scenario.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

export const START = '2026-07-06T12:01:30Z';
export const ENDPOINT = 'proxy_test_run/create';
export const URLS = ['https://www.example.com/', { name: 'shop', url: 'https://shop.example/?token=t0ken' }];
export const [LONDON, FRANKFURT] = ['london', 'frankfurt'] as const;
/** Two tester servers, with short names. */
const TESTERS = [LONDON, FRANKFURT].map((id) => ({ id, city_id: 100, city_name: id, country_id: 'gb' }));

/** The password that all proxies of the simulated account share. */
export const PASSWORD = userPassword(parseScenario({}).seed, 0);

export const hostOf = (index: number): string => proxyAddress(index).host;
export const nameOf = (index: number): string => `p${index}`;

/** The entry of a proxy in the configuration. */
export const entryOf = (index: number, more: Record<string, unknown> = {}) => {
  const { host, httpPort } = proxyAddress(index);
  const proxy = `${host}:${httpPort}:${userId(0)}:${PASSWORD}`;
  return { name: nameOf(index), product_type: 'isp', proxy, ...more };
};

export const entries = (count: number) => Array.from({ length: count }, (_, index) => entryOf(index));

interface TestsHarnessOptions
  extends Partial<
    Pick<HarnessOptions, 'firstStepHold' | 'log' | 'metrics' | 'now' | 'remoteWrite' | 'storeFile'>
  > {
  readonly tests?: Record<string, unknown>;
  readonly scenario?: ScenarioInput;
}

/** By default the daemon tests five proxies × two urls × two testers every ten minutes. */
export const buildTests = ({ tests, scenario, ...rest }: TestsHarnessOptions = {}): Promise<Harness> =>
  Harness.build({
    now: START,
    firstStepHold: '0s',
    scenario: { testers: TESTERS, ...scenario },
    account: {
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      proxy_tests: { urls: URLS, proxies: entries(5), ...tests },
    },
    ...rest,
  });

export interface TestCall {
  readonly at: number;
  readonly status: number;
  readonly lines: readonly string[];
}

/** The calls of the provider's proxy test, oldest first. */
export const callsOf = ({ simulator }: Harness): TestCall[] =>
  simulator.requests.recent
    .filter(({ endpoint }) => endpoint === ENDPOINT)
    .map(({ at, status, body }) => {
      const { proxies } = JSON.parse(String(body)) as { proxies: { proxy_string: string }[] };
      return { at, status, lines: proxies.map(({ proxy_string }) => proxy_string) };
    });

/** The faults in the metrics, such as `proxy p0`. */
export const faultsOf = async (harness: Harness): Promise<string[]> =>
  (await harness.samples())
    .all('proxywatch_fault')
    .filter(({ value }) => value === 1)
    .map(({ labels: { kind, proxy_id, url, tester_server } }) => `${kind} ${proxy_id}${url}${tester_server}`);

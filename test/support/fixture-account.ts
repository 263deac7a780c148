// Builds and runs the account of the stores in test/fixtures/stores, which have data of every kind.

import { FAMILIES } from '../../src/collectors/index.ts';
import { HOUR } from '../../src/lib/time.ts';
import { proxyAddress, services, userId, userPassword } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import { Harness, type HarnessOptions } from './harness.ts';

export const FIXTURE_START = '2026-07-05T12:01:30Z';
const FIXTURE_HOURS = 26;
/** The time at which the data of the fixtures ends. */
export const FIXTURE_END = new Date(Date.parse(FIXTURE_START) + FIXTURE_HOURS * HOUR).toISOString();

const SCENARIO: ScenarioInput = {
  start: '2026-07-03T00:00:00Z',
  users: 5,
  services: 3,
  testers: ['london', 'paris'].map((id) => ({ id, city_id: 1, city_name: id, country_id: 'gb' })),
  traffic: { revised: { ratio: 0.02, longest_minutes: 300 } },
  ledger: { per_service: true, top_up_every_days: 2 },
  outages: [proxyAddress(2).host, proxyAddress(3).host].map((subject, index) => ({
    kind: 'proxy',
    subject,
    from: '2026-07-06T08:00:00Z',
    // At the end one fault is still present and the other has ended.
    until: index === 0 ? null : '2026-07-06T11:00:00Z',
  })),
};
const PARSED = parseScenario(SCENARIO);

const proxyLine = (index: number): string => {
  const { host, httpPort } = proxyAddress(index);
  return `${host}:${httpPort}:${userId(0)}:${userPassword(PARSED.seed, 0)}`;
};

const HOURLY = { schedule: '0 * * * *' };

/** Builds a harness for the account, by default at FIXTURE_START and with a new store. */
export const buildFixtureHarness = (
  options: Partial<HarnessOptions> = {},
  traffic: Record<string, unknown> = {},
): Promise<Harness> =>
  Harness.build({
    now: FIXTURE_START,
    scenario: SCENARIO,
    metrics: { derived_counters: true },
    account: {
      traffic: {
        ...HOURLY,
        catch_up: '4h',
        reread: '3h',
        graphs: [{ name: 'shop', hostname: 'shop.example' }],
        ...traffic,
      },
      residential_ledger: HOURLY,
      proxy_users: HOURLY,
      proxy_tests: {
        ...HOURLY,
        urls: ['https://shop.example/?token=t0ken'],
        proxies: [
          ...[1, 2, 3].map((index) => ({ name: `p${index}`, product_type: 'isp', proxy: proxyLine(index) })),
          { service_id: services(PARSED)[0]?.id },
        ],
      },
    },
    ...options,
  });

/** Runs the daemon until FIXTURE_END, with one hour in which all proxy tests fail with an error. */
export const runFixtureAccount = async (harness: Harness): Promise<void> => {
  const { faults } = harness.simulator;
  for (let hour = 0; hour < FIXTURE_HOURS; hour += 1) {
    if (hour === 5) faults.add({ kind: 'status', status: 500, endpoint: 'proxy_test_run' });
    await harness.advance(HOUR);
    faults.clear();
  }
};

/** Returns the counters of the provider's data by series. Those of a histogram are its counts and its sum. */
export const countersOf = (metrics: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...metrics].filter(([series]) => isCounter(series)).toSorted());

const isCounter = (series: string): boolean => COUNTERS.has(series.slice(0, series.indexOf('{')));

const COUNTERS = new Set(
  FAMILIES.flatMap(({ name, type }) =>
    type === 'histogram'
      ? [`${name}_bucket`, `${name}_sum`, `${name}_count`]
      : type === 'counter'
        ? [name]
        : [],
  ),
);

// Returns the report of a daemon with all collectors, whose simulated provider's answers a test rewrites.

import { optionalSections } from '../../../src/collectors/index.ts';
import { createView } from '../../../src/daemon/http-view.ts';
import type { ProviderReport } from '../../../src/http/provider-report.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { type PlantedFault, startFaultyProvider } from '../../support/faulty-provider.ts';
import { Harness, QuickClock } from '../../support/harness.ts';

const NOW = '2026-07-05T12:01:30Z';
const EVERY_MINUTE = { schedule: '* * * * *' };
/** The name of the account, which no report may contain. */
const ACCOUNT_NAME = 'canary_account';

/** Three pages of users, and something of everything else. The keys are canaries too. */
const SCENARIO = {
  start: '2026-07-03T00:00:00Z',
  users: 250,
  services: 3,
  // Errors would take so many requests that only a sample of them is compared.
  traffic: { error_ratio: 0 },
  proxies: 8,
  public_key: 'canary_public_key',
  private_key: 'canary_private_key',
  // A replaced proxy, for the adjustments.
  changes: [
    {
      ...{ kind: 'proxy' as const, subject: 3 },
      until: '2026-07-04T00:00:00Z',
      set: { proxy_ip_address: '192.0.2.3' },
    },
  ],
  testers: ['london', 'paris'].map((id) => ({ id, city_id: 1, city_name: id, country_id: 'gb' })),
};

const ACCOUNT = {
  name: ACCOUNT_NAME,
  ...optionalSections(EVERY_MINUTE),
  traffic: { ...EVERY_MINUTE, catch_up: '2h', graphs: [{ name: 'shop', hostname: 'shop.example' }] },
  residential_ledger: EVERY_MINUTE,
  proxy_users: EVERY_MINUTE,
  usage: { ...EVERY_MINUTE, max_pages: 3 },
  request_log: { schedule: '*/2 * * * *' },
  inventory: { ...EVERY_MINUTE, max_geolocations_per_day: 1_000 },
  quotes: { ...EVERY_MINUTE, items: [{ name: 'isp', product_code: 'isp_gb', quantity: 1 }] },
  geography: {
    ...{ ...EVERY_MINUTE, asns: [64_500], cities: [202], subdivisions: ['fr-idf'] },
    availability: { residential: ['gb'], mobile: ['gb'] },
  },
  proxy_tests: {
    ...EVERY_MINUTE,
    max_runs_per_day: 1_000_000,
    urls: ['https://www.example.com/'],
    proxies: [{ search: {} }],
  },
};

/** The daemon reads everything for some minutes while each answer is as `react` returns it. */
export const watchProvider = async (react: PlantedFault['react']): Promise<ProviderReport> => {
  const clock = new QuickClock(NOW);
  await using simulator = await startSimulator({
    scenario: { pace: null, ...SCENARIO },
    now: () => clock.now(),
  });
  await using provider = await startFaultyProvider(simulator.baseUrl);
  provider.fault = { matches: () => true, react };
  await using harness = await Harness.build({
    now: NOW,
    clock,
    account: ACCOUNT,
    simulator: { ...simulator, baseUrl: provider.baseUrl },
  });
  for (let minute = 0; minute < 5; minute += 1) await harness.advance(MINUTE);
  return createView({ app: harness.app, clock, version: '0.0.0-test' }).providerReport();
};

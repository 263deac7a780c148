// Describes the simulated account of the month.

import { DAY } from '../../../src/lib/time.ts';
import { userId, userPassword } from '../../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../../src/simulator/scenario.ts';
import type { TrafficFilter } from '../../../src/simulator/traffic/slices.ts';

/** The last second of its minute, so that the tick at this time runs everything that became due at 04:35. */
export const START = Date.parse('2026-03-02T04:35:59Z');
export const PROXIES = 12;
export const USERS = 40;
export const TESTERS = ['london', 'paris'];

export const scenarioOf = (seed: number): ScenarioInput => ({
  seed,
  start: new Date(START - 5 * DAY).toISOString(),
  ...{ pace: null, users: USERS, proxies: PROXIES, services: 4 },
  testers: TESTERS.map((id, index) => ({ id, city_id: index, city_name: id, country_id: 'gb' })),
  traffic: {
    late: { ratio: 0.02, longest_minutes: 60 },
    // Less than the deep reread spans.
    revised: { ratio: 0.02, longest_minutes: 12 * 60 },
  },
  ledger: { per_service: true, top_up_every_days: 2 },
});

/** The graphs that are configured all the time, with the same filter of the simulator. */
export const GRAPHS: Readonly<Record<string, { options: object; filter: TrafficFilter }>> = {
  residential: { options: { product_type: 'residential' }, filter: { network: 'residential' } },
  shop: { options: { hostname: 'shop.example' }, filter: { hostname: 'shop.example' } },
};

/** URLs that each proxy is tested with. */
export const urlsOn = (day: number): object[] =>
  ['www', 'shop', `day-${day}`].map((name) => ({ name, url: `https://${name}.example/` }));
/** Returns the lines of the file of proxies. One of them is another proxy every day. */
export const proxyLinesOn = (day: number, seed: number): string => {
  const password = userPassword(parseScenario({ seed }).seed, 0);
  return [`192.0.2.250:8000`, `192.0.2.${day % 250}:8001`]
    .map((address) => `${address}:${userId(0)}:${password}\n`)
    .join('');
};

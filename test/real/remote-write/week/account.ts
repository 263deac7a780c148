// Describes the simulated account of the week, and the configuration of its daemon.

import { join } from 'node:path';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../src/lib/time.ts';
import type { ScenarioInput } from '../../../../src/simulator/simulator.ts';
import type { TrafficFilter } from '../../../../src/simulator/traffic/slices.ts';

/** Another seed draws other traffic, corrections and faults. */
export const SEED = Number(process.env.WEEK_SEED ?? 20_261_124);
export const DAYS = 7;
/** Old days do: Prometheus compares times with its newest sample, and VictoriaMetrics keeps ten years. */
const FIRST_DAY = Date.parse('2026-03-30');
/** The midnights (UTC) at which the compared days begin. A month ends within them. */
export const MIDNIGHTS = Array.from({ length: DAYS }, (_, day) => FIRST_DAY + day * DAY);
/** Late enough in its minute that the tick at this time runs everything that became due at 04:35. */
export const START = FIRST_DAY + 4 * HOUR + 35 * MINUTE + 40 * SECOND;
/** When the first days have ended, the deep reread has found all their corrections, and the receivers have everything. */
export const endOf = (days: number): number => START + days * DAY + 90 * MINUTE;
export const END = endOf(DAYS);

export const SCENARIO: ScenarioInput = {
  seed: SEED,
  start: new Date(START - 3 * DAY).toISOString(),
  ...{ pace: null, monthly_reset_ratio: 0 },
  traffic: {
    late: { ratio: 0.02, longest_minutes: 180 },
    revised: { ratio: 0.03, longest_minutes: 4 * 60 },
  },
  ledger: { per_service: true, top_up_every_days: 2, adjustment_every_days: 2 },
};

/** The graphs, with the same filter of the simulator. */
export const GRAPHS: Readonly<
  Record<string, { options: Readonly<Record<string, string>>; filter: TrafficFilter }>
> = {
  residential: { options: { product_type: 'residential' }, filter: { network: 'residential' } },
  shop: { options: { hostname: 'shop.example' }, filter: { hostname: 'shop.example' } },
};

/** `receivers` are the settings of receivers by name. */
export const configurationOf = (
  folder: string,
  provider: { readonly baseUrl: string; readonly publicKey: string; readonly privateKey: string },
  receivers: Readonly<Record<string, object>>,
): object => ({
  server: { listen: '127.0.0.1:0' },
  // Traffic is rolled up soon after it was sent.
  store: { path: join(folder, 'proxywatch.db'), retention: { raw: '2d', hourly: '4d', daily: '8d' } },
  remote_write: Object.entries(receivers).map(([name, settings]) => ({ name, start: '5h', ...settings })),
  accounts: [
    {
      name: 'main',
      base_url: provider.baseUrl,
      public_key: provider.publicKey,
      private_key: provider.privateKey,
      requests_per_second: 1_000_000,
      request_timeout: '5s',
      traffic: {
        schedule: '5,35 * * * *',
        ...{ catch_up: '36h', reread: '2h', deep_reread: { schedule: '35 4 * * *', span: '36h' } },
        graphs: Object.entries(GRAPHS).map(([name, { options }]) => ({ name, ...options })),
      },
      residential_ledger: { schedule: '35 * * * *' },
      proxy_users: { schedule: '35 * * * *' },
      reconciliation: false,
    },
  ],
});

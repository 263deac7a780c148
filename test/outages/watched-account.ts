// Describes the account of the outages: every collector, polled as often as a busy operator does.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { proxyAddress, services, userId, userPassword } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import type { TrafficFilter } from '../../src/simulator/traffic/slices.ts';
import type { TwinsOptions } from '../support/twins.ts';

const SCENARIO: ScenarioInput = {
  start: '2026-07-05T00:00:00Z',
  users: 5,
  // No alert fires while all is well.
  limits: { zero: 0, near: 0, over: 0 },
  services: 2,
  proxies: 8,
  testers: ['london', 'paris'].map((id) => ({ id, city_id: 1, city_name: id, country_id: 'gb' })),
  traffic: {
    late: { ratio: 0.05, longest_minutes: 60 },
    revised: { ratio: 0.05, longest_minutes: 120 },
  },
};

const PARSED = parseScenario(SCENARIO);
const SERVICES = services(PARSED).map(({ id }) => id);

/** Graphs by name, each with its settings and the same filter of the simulator. */
export const GRAPHS: Readonly<Record<string, { options: Record<string, string>; filter: TrafficFilter }>> = {
  residential: { options: { product_type: 'residential' }, filter: { network: 'residential' } },
  shop: { options: { hostname: 'shop.example' }, filter: { hostname: 'shop.example' } },
  user: { options: { proxy_user_id: userId(1) }, filter: { proxyUserId: userId(1) } },
};

const proxyLine = (index: number): string => {
  const { host, httpPort } = proxyAddress(index);
  return `${host}:${httpPort}:${userId(0)}:${userPassword(PARSED.seed, 0)}`;
};

const OFTEN = { schedule: '*/5 * * * *' };
const SELDOM = { schedule: '*/10 * * * *' };

export const ACCOUNT = {
  traffic: {
    ...OFTEN,
    catch_up: '6h',
    // Longer than the scenario takes to revise a minute.
    reread: '150m',
    deep_reread: { schedule: '0 * * * *', span: '4h' },
    graphs: Object.entries(GRAPHS).map(([name, { options }]) => ({ name, ...options })),
  },
  residential_ledger: SELDOM,
  inventory: SELDOM,
  services: SELDOM,
  proxy_users: SELDOM,
  proxy_tests: {
    ...SELDOM,
    discover_every: '10m',
    urls: ['https://www.example.com/'],
    proxies: [
      { name: 'configured', proxy: proxyLine(0) },
      { service_id: SERVICES[1] },
      { search: { proxy_type: 'datacenter' } },
    ],
  },
  catalog: SELDOM,
  quotes: { ...SELDOM, items: [{ name: 'isp-gb', product_code: 'isp_gb', quantity: 10 }] },
  geography: { ...SELDOM, asns: [64_500], cities: [202], subdivisions: ['fr-idf'] },
  reconciliation: SELDOM,
};

const CERTIFICATES = join(import.meta.dirname, '../fixtures/provider-certificates');
const read = (name: string): string => readFileSync(join(CERTIFICATES, name), 'utf8');

export const AUTHORITY = read('ca.pem');
export const certificate = (name: 'valid' | 'expired' | 'self-signed') => ({
  cert: read(`${name}.pem`),
  key: read(`${name}.key`),
});

export const START = '2026-07-06T05:59:30Z';
/** The name is resolved for each connection, unlike an address. */
export const HOST = 'localhost';
export const STEP_MS = 5 * MINUTE;
export const STEPS_PER_HOUR = HOUR / STEP_MS;

export const WATCHED: TwinsOptions = {
  start: START,
  scenario: SCENARIO,
  account: ACCOUNT,
  preparation: [MINUTE / 2 + 1_000, HOUR, HOUR],
  life: [...Array<number>(STEPS_PER_HOUR + 6).fill(STEP_MS), ...Array<number>(2).fill(HOUR)],
  holdScale: 1,
  // Conditions that depend on time are evaluated every 15 s.
  tickMs: 16_000,
  // Tests of keys check them before the simulator does.
  provider: { tls: certificate('valid'), headers: { 'x-api-private-key': PARSED.private_key } },
  baseUrlOf: ({ baseUrl }) => baseUrl.replace('127.0.0.1', HOST),
};

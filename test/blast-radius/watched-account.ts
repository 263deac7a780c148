// Describes the account of the tables of faults and fields: everything that proxywatch can watch, in small numbers.

import type { CollectorName } from '../../src/collectors/context.ts';
import { optionalSections } from '../../src/collectors/index.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { proxyAddress, services, userId, userPassword } from '../../src/simulator/identities.ts';
import { uuid } from '../../src/simulator/random.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import type { ProviderRequest } from '../support/faulty-provider.ts';
import type { TwinsOptions } from '../support/twins.ts';

const PROXIES = 104;
const TESTERS = ['london', 'paris'].map((id) => ({ id, city_id: 1, city_name: id, country_id: 'gb' }));

/** What changes while the twins live, because values that stand still cannot show that they stopped. */
const CHANGED = { from: '2026-07-06T23:55:00Z' };
const CHANGES: ScenarioInput['changes'] = [
  ...[0, 1].map((subject) => ({
    ...CHANGED,
    kind: 'service' as const,
    subject,
    set: { service_total: 1_000, service_expiry_datetime: '2026-09-01 00:00:00' },
  })),
  // The proxies of the other two services, which are not tested, move to another city.
  ...Array.from({ length: PROXIES }, (_, index) => index)
    .filter((index) => index % 4 >= 2)
    .map((subject) => ({ ...CHANGED, kind: 'proxy' as const, subject, set: { city_id: 202 as const } })),
  { ...CHANGED, kind: 'product', subject: 'isp_fr', set: { product_stock: 0 } },
];

const SCENARIO: ScenarioInput = {
  start: '2026-03-25T00:00:00Z',
  users: 104,
  deleted_user_ratio: 0,
  // No alert fires while all is well.
  limits: { zero: 0, near: 0, over: 0 },
  services: 4,
  proxies: PROXIES,
  testers: TESTERS,
  ledger: { per_service: true },
  changes: CHANGES,
};

const PARSED = parseScenario(SCENARIO);
export const SERVICES = services(PARSED).map(({ id }) => id);

const proxyLine = (index: number): string => {
  const { host, httpPort } = proxyAddress(index);
  return `${host}:${httpPort}:${userId(0)}:${userPassword(PARSED.seed, 0)}`;
};

/** Tells the batches of tests apart by a proxy that only one of them has. */
export const BATCH_OF = {
  firstProxy: ({ body }: ProviderRequest): boolean =>
    JSON.stringify(body).includes(`"${proxyAddress(0).host}:`),
};

/** Services own the proxies in turn. Returns the ids of those of one service. */
const idsOf = (service: number): string[] =>
  Array.from({ length: PROXIES / 4 }, (_, index) => uuid(PARSED.seed, `proxy ${4 * index + service}`));

/** The ids of the proxies to test, by where proxywatch finds them. */
export const TESTED_IDS = {
  configured: [0, 1, 2, 3].map((index) => `configured-${index}`),
  service: idsOf(1),
  search: idsOf(0),
};

const EVERY = '*/10 * * * *';

// The many requests of these collectors have twins of their own: the driven clock does not wait for them while something else waits.
const { usage: _, request_log: __, ...SECTIONS } = optionalSections({ schedule: EVERY });
export const REQUEST_LOG = {
  ...{ schedule: EVERY, settle: '1m' },
  // All requests are read: the same answer is given to the same request, so none is at random.
  client_addresses: { allow: ['198.51.100.0/29'], samples: 10_000 },
};
export const USAGE = { schedule: EVERY, history_days: 2, reread_days: 2 };

const ACCOUNT: Readonly<Partial<Record<CollectorName, object>>> = {
  ...SECTIONS,
  traffic: {
    schedule: EVERY,
    catch_up: '60h',
    reread: '2h',
    deep_reread: { schedule: '*/30 * * * *', span: '6h' },
    graphs: [
      { name: 'residential', product_type: 'residential' },
      { name: 'host', hostname: 'shop.example' },
      { name: 'user', proxy_user_id: userId(1) },
      { name: 'service', service_id: SERVICES[0], expect: { min_requests: 1, within: '30m' } },
    ],
  },
  residential_ledger: { schedule: EVERY },
  // A user of the first page, and one of the second.
  prices: { schedule: EVERY, residential: 3.5, mobile: 6, budget: { month: 1_000 } },
  proxy_users: { schedule: EVERY, select: { ids: [userId(0), userId(101)] } },
  proxy_tests: {
    schedule: EVERY,
    discover_every: '10m',
    urls: ['https://www.example.com/', 'https://shop.example/'],
    proxies: [
      ...TESTED_IDS.configured.map((name, index) => ({ name, proxy: proxyLine(index) })),
      { service_id: SERVICES[1] },
      { search: { proxy_type: 'datacenter', country_id: 'de' }, proxy_user_id: userId(2) },
    ],
  },
  quotes: {
    schedule: EVERY,
    items: [
      { name: 'isp-gb', product_code: 'isp_gb', quantity: 10 },
      { name: 'isp-de', product_type: 'isp', locations: [{ country_id: 'de', quantity: 1 }] },
    ],
  },
  geography: {
    schedule: EVERY,
    asns: [64_500, 64_501],
    cities: [202, 201],
    subdivisions: ['fr-idf', 'de-he'],
    availability: { residential: ['gb', 'us'], mobile: ['gb', 'us'] },
  },
  reconciliation: { schedule: EVERY },
  // Few enough that some proxies are left for the life of the twins.
  inventory: { schedule: EVERY, max_geolocations_per_day: 80 },
};

export const WATCHED: TwinsOptions = {
  start: '2026-07-05T21:32:00Z',
  scenario: SCENARIO,
  account: ACCOUNT,
  preparation: Array<number>(13).fill(2 * HOUR),
  life: Array<number>(5).fill(10 * MINUTE),
  holdScale: 1 / 20,
};

export const WATCHED_USAGE: TwinsOptions = {
  ...WATCHED,
  scenario: { ...SCENARIO, users: 5 },
  account: {
    ...Object.fromEntries(
      (['traffic', 'residential_ledger', 'mobile_ledger', 'proxy_users', 'reconciliation'] as const).map(
        (name) => [name, ACCOUNT[name]],
      ),
    ),
    usage: USAGE,
  },
};

export const WATCHED_REQUEST_LOG: TwinsOptions = {
  ...WATCHED,
  account: {
    ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
    request_log: REQUEST_LOG,
  },
};

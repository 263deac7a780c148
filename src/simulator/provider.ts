// Builds the simulated provider without its HTTP server: the account of a scenario and the routes over it. Returns the exact state of
// the account at any time, without faults, to compare with what a daemon observed.

import { DAY, MINUTE } from '../lib/time.ts';
import { Changes } from './faults/changes.ts';
import { type Outage, outageSchema } from './faults/outages.ts';
import { RuntimeList } from './faults/runtime-list.ts';
import type { Route } from './http.ts';
import { services } from './identities.ts';
import { type Interval, LocalTime } from './local-time.ts';
import type { ProxyAddresses } from './proxies/simulated-proxy.ts';
import { Adjustments } from './resources/adjustments.ts';
import { catalogOf, catalogRoute, productRoute } from './resources/catalog.ts';
import { customerRoutes } from './resources/customer.ts';
import { geographyRoutes } from './resources/geography.ts';
import { type Bucket, bucketsOf, graphRoute } from './resources/graph.ts';
import { ledgerRows } from './resources/ledger.ts';
import { logRoute } from './resources/log-search.ts';
import { LogSummaries } from './resources/log-summaries.ts';
import { ProxiedRequests } from './resources/proxied-requests.ts';
import { Inventory, proxyRoutes } from './resources/proxies.ts';
import { proxyTestRoute } from './resources/proxy-tests.ts';
import { ProxyUsers } from './resources/proxy-users.ts';
import { quoteRoute } from './resources/quote.ts';
import { searchRoute } from './resources/search.ts';
import { serviceRoutes } from './resources/services.ts';
import type { Scenario } from './scenario.ts';
import type { Traffic } from './traffic/minutes.ts';
import { PublishedTraffic } from './traffic/published-traffic.ts';
import type { TrafficFilter } from './traffic/slices.ts';

export type Provider = ReturnType<typeof simulatedProvider>;
export type Truth = ReturnType<typeof truthOf>;

const HISTORY = 30 * DAY;

/** Returns what the account consists of. */
const partsOf = (scenario: Scenario, now: () => number, addresses: ProxyAddresses) => {
  const start =
    scenario.start === null ? Math.floor((now() - HISTORY) / DAY) * DAY : Date.parse(scenario.start);
  const local = new LocalTime(scenario.time_zone, scenario.datetimes);
  const traffic = new PublishedTraffic(scenario, start);
  const changes = new Changes(scenario.changes);
  const inventory = new Inventory(scenario, local, start, changes, addresses.of);
  const restrictions = {
    services: services(scenario).map(({ id }) => id),
    proxies: inventory.unchangedRows.map(({ proxy_id }) => proxy_id),
  };
  return {
    ...{ start, local, traffic, changes, inventory },
    ledger: ledgerRows('residential', scenario, traffic, local),
    mobileLedger: ledgerRows('mobile', scenario, traffic, local),
    logSummaries: new LogSummaries(scenario, traffic, local),
    adjustments: new Adjustments({ scenario, local, start, inventory, changes }),
    proxiedRequests: new ProxiedRequests(scenario, traffic, local),
    users: new ProxyUsers(scenario, traffic, local, restrictions, changes),
    outages: new RuntimeList(outageSchema, scenario.outages),
  };
};

type Parts = ReturnType<typeof partsOf>;

/** `now` is the injected clock in milliseconds. */
export const simulatedProvider = (scenario: Scenario, now: () => number, addresses: ProxyAddresses) => {
  const parts = partsOf(scenario, now, addresses);
  const { outages, changes, inventory, users, traffic } = parts;
  const routes = routesOf(scenario, parts, addresses);
  return { outages, changes, inventory, users, traffic, truth: truthOf(parts, now), routes };
};

const routesOf = (scenario: Scenario, parts: Parts, addresses: ProxyAddresses): Route[] => {
  const { start, local, traffic, changes, inventory, ledger, mobileLedger, outages } = parts;
  const catalog = catalogOf(scenario.seed, changes);
  const currentOutages = (): readonly Outage[] => outages.list;
  return [
    graphRoute({
      ...{ traffic, local, sendsEmpty: scenario.empty_buckets, sendsFuture: scenario.future_buckets },
      discrepancies: scenario.discrepancies,
    }),
    searchRoute('residential_ledger/search', { rows: ledger, item: (row) => row, liveFields: [] }),
    searchRoute('mobile_ledger/search', { rows: mobileLedger, item: (row) => row, liveFields: [] }),
    parts.logSummaries.route(),
    searchRoute('service_adjustment/search', parts.adjustments),
    logRoute({ scenario, requests: parts.proxiedRequests, local, start }),
    ...customerRoutes({
      scenario,
      ledgers: { residential: ledger, mobile: mobileLedger },
      proxiesAt: (at) => inventory.rows(at).length,
    }),
    searchRoute('proxy_user/search', parts.users),
    searchRoute('proxy_test_server/search', {
      rows: () => scenario.testers,
      item: ({ id, ...tester }) => ({ proxy_test_server_id: id, ...tester }),
      liveFields: [],
    }),
    proxyTestRoute({ scenario, local, inventory, addresses, outages: currentOutages }),
    ...serviceRoutes({ scenario, local, start, inventory, changes }),
    ...proxyRoutes(inventory, scenario),
    catalogRoute(catalog),
    productRoute(scenario),
    quoteRoute(scenario, catalog),
    ...geographyRoutes(scenario),
  ];
};

/** Times are in milliseconds. `at` is the time as of which values are returned as published; its default is now. */
const truthOf = (
  { traffic, local, logSummaries, proxiedRequests, inventory, users, ...parts }: Parts,
  now: () => number,
) => ({
  /** Sums over the minutes that start in [from, to), including those that the provider does not return any more. */
  traffic: (filter: TrafficFilter, from: number, to: number, at = now()): Traffic => {
    const { peakRequests: _, lastChangeAt: __, ...sums } = traffic.sum(traffic.select(filter), from, to, at);
    return sums;
  },
  buckets: (filter: TrafficFilter, interval: Interval, from: number, to: number, at = now()) =>
    bucketsOf(traffic, local, filter, { interval, from, to }, at).map(withoutSumFields),
  ledger: (at = now()) => parts.ledger(at),
  mobileLedger: (at = now()) => parts.mobileLedger(at),
  /** Returns the use of the day that begins at `day`, under the names before any summary. */
  uses: (day: number, at = now()) => logSummaries.uses(day, at),
  adjustments: (at = now()) => parts.adjustments.rows(at),
  /** Returns the cells of the log in the minutes that start in [from, to), with rows that come late. */
  logged: (from: number, to: number) =>
    Array.from({ length: (to - from) / MINUTE }, (_, index) =>
      proxiedRequests.cells(from + index * MINUTE),
    ).flat(),
  proxies: (at = now()) => inventory.rows(at),
  /** Returns the used bytes by user id and product type. */
  users: (at = now()) => new Map(users.rows(at).map((row) => [row.fixed.proxy_user_id, users.used(row, at)])),
});

const withoutSumFields = ({
  peakRequests: _,
  lastChangeAt: __,
  ...bucket
}: Bucket): Traffic & { start: number } => bucket;

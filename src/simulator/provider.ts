// Builds the simulated provider without its HTTP server: the account of a scenario and the routes over it. Returns the exact state of
// the account at any time, without faults, to compare with what a daemon observed.

import { DAY, MINUTE } from '../lib/time.ts';
import { Changes } from './faults/changes.ts';
import { type Outage, outageSchema } from './faults/outages.ts';
import { RuntimeList } from './faults/runtime-list.ts';
import { services } from './identities.ts';
import { type Interval, LocalTime } from './local-time.ts';
import type { ProxyAddresses } from './proxies/simulated-proxy.ts';
import { Adjustments } from './resources/adjustments.ts';
import { catalogOf, catalogRoute, productRoute } from './resources/catalog.ts';
import { customerRoutes } from './resources/customer.ts';
import { geographyRoutes } from './resources/geography.ts';
import { type Bucket, bucketsOf, graphRoute } from './resources/graph.ts';
import { type LedgerRow, ledgerRows } from './resources/ledger.ts';
import { logRoute } from './resources/log-search.ts';
import { LogSummaries } from './resources/log-summaries.ts';
import { ProxiedRequests } from './resources/proxied-requests.ts';
import { Inventory, proxyRoutes } from './resources/proxies.ts';
import { proxyTestRoute } from './resources/proxy-tests.ts';
import { ProxyUsers } from './resources/proxy-users.ts';
import { quoteRoute } from './resources/quote.ts';
import { searchRoute } from './resources/search.ts';
import { serviceRoute } from './resources/services.ts';
import type { Scenario } from './scenario.ts';
import type { Traffic } from './traffic/minutes.ts';
import { PublishedTraffic } from './traffic/published-traffic.ts';
import type { TrafficFilter } from './traffic/slices.ts';

export type Provider = ReturnType<typeof simulatedProvider>;
export type Truth = ReturnType<typeof truthOf>;

const HISTORY = 30 * DAY;

/** `now` is the injected clock in milliseconds. */
export const simulatedProvider = (scenario: Scenario, now: () => number, addresses: ProxyAddresses) => {
  const start =
    scenario.start === null ? Math.floor((now() - HISTORY) / DAY) * DAY : Date.parse(scenario.start);
  const local = new LocalTime(scenario.time_zone, scenario.datetimes);
  const traffic = new PublishedTraffic(scenario, start);
  const changes = new Changes(scenario.changes);
  const inventory = new Inventory(scenario, local, start, changes, addresses.of);
  const ledger = ledgerRows('residential', scenario, traffic, local);
  const mobileLedger = ledgerRows('mobile', scenario, traffic, local);
  const logSummaries = new LogSummaries(scenario, traffic, local);
  const adjustments = new Adjustments({ scenario, local, start, inventory, changes });
  const proxiedRequests = new ProxiedRequests(scenario, traffic, local);
  const restrictions = {
    services: services(scenario).map(({ id }) => id),
    proxies: inventory.unchangedRows.map(({ proxy_id }) => proxy_id),
  };
  const users = new ProxyUsers(scenario, traffic, local, restrictions, changes);
  const catalog = catalogOf(scenario.seed, changes);
  const outages = new RuntimeList(outageSchema, scenario.outages);
  const currentOutages = (): readonly Outage[] => outages.list;
  return {
    ...{ outages, changes, inventory, users, traffic },
    truth: truthOf(
      { traffic, local, ledger, mobileLedger, logSummaries, adjustments, proxiedRequests, inventory, users },
      now,
    ),
    routes: [
      graphRoute({
        ...{ traffic, local, sendsEmpty: scenario.empty_buckets, sendsFuture: scenario.future_buckets },
        discrepancies: scenario.discrepancies,
      }),
      searchRoute('residential_ledger/search', { rows: ledger, item: (row) => row, liveFields: [] }),
      searchRoute('mobile_ledger/search', { rows: mobileLedger, item: (row) => row, liveFields: [] }),
      logSummaries.route(),
      searchRoute('service_adjustment/search', adjustments),
      logRoute({ scenario, requests: proxiedRequests, local, start }),
      ...customerRoutes({
        scenario,
        ledgers: { residential: ledger, mobile: mobileLedger },
        proxiesAt: (at) => inventory.rows(at).length,
      }),
      searchRoute('proxy_user/search', users),
      proxyTestRoute({ scenario, local, inventory, addresses, outages: currentOutages }),
      serviceRoute({ scenario, local, start, inventory, changes }),
      ...proxyRoutes(inventory),
      catalogRoute(catalog),
      productRoute(scenario),
      quoteRoute(scenario, catalog),
      ...geographyRoutes(scenario),
    ],
  };
};

interface TruthSources {
  readonly traffic: PublishedTraffic;
  readonly local: LocalTime;
  readonly ledger: (at: number) => readonly LedgerRow<'residential'>[];
  readonly mobileLedger: (at: number) => readonly LedgerRow<'mobile'>[];
  readonly logSummaries: LogSummaries;
  readonly adjustments: Adjustments;
  readonly proxiedRequests: ProxiedRequests;
  readonly inventory: Inventory;
  readonly users: ProxyUsers;
}

/** Times are in milliseconds. `at` is the time as of which values are returned as published; its default is now. */
const truthOf = (
  {
    traffic,
    local,
    ledger,
    mobileLedger,
    logSummaries,
    adjustments,
    proxiedRequests,
    inventory,
    users,
  }: TruthSources,
  now: () => number,
) => ({
  /** Sums over the minutes that start in [from, to), including those that the provider does not return any more. */
  traffic: (filter: TrafficFilter, from: number, to: number, at = now()): Traffic => {
    const { peakRequests: _, lastChangeAt: __, ...sums } = traffic.sum(traffic.select(filter), from, to, at);
    return sums;
  },
  buckets: (filter: TrafficFilter, interval: Interval, from: number, to: number, at = now()) =>
    bucketsOf(traffic, local, filter, { interval, from, to }, at).map(withoutSumFields),
  ledger: (at = now()) => ledger(at),
  mobileLedger: (at = now()) => mobileLedger(at),
  /** Returns the use of the day that begins at `day`, under the names before any summary. */
  uses: (day: number, at = now()) => logSummaries.uses(day, at),
  adjustments: (at = now()) => adjustments.rows(at),
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

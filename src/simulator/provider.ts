// Builds the simulated provider without its HTTP server: the account of a scenario and the routes over it.

import { DAY } from '../lib/time.ts';
import { Changes } from './faults/changes.ts';
import { type Outage, outageSchema } from './faults/outages.ts';
import { RuntimeList } from './faults/runtime-list.ts';
import type { Route } from './http.ts';
import { services } from './identities.ts';
import { LocalTime } from './local-time.ts';
import type { ProxyAddresses } from './proxies/simulated-proxy.ts';
import { catalogOf, catalogRoute } from './resources/catalog.ts';
import { geographyRoutes } from './resources/geography.ts';
import { graphRoute } from './resources/graph.ts';
import { ledgerRows } from './resources/ledger.ts';
import { Inventory, proxyRoutes } from './resources/proxies.ts';
import { proxyTestRoute } from './resources/proxy-tests.ts';
import { ProxyUsers } from './resources/proxy-users.ts';
import { quoteRoute } from './resources/quote.ts';
import { searchRoute } from './resources/search.ts';
import { serviceRoute } from './resources/services.ts';
import type { Scenario } from './scenario.ts';
import { PublishedTraffic } from './traffic/published-traffic.ts';
import { type Truth, truthOf } from './truth.ts';

export interface Provider {
  readonly routes: readonly Route[];
  readonly truth: Truth;
  readonly outages: RuntimeList<typeof outageSchema>;
  readonly changes: Changes;
  readonly inventory: Inventory;
  readonly users: ProxyUsers;
  readonly traffic: PublishedTraffic;
}

const HISTORY = 30 * DAY;

/** `now` is the injected clock in milliseconds. */
export const simulatedProvider = (
  scenario: Scenario,
  now: () => number,
  addresses: ProxyAddresses,
): Provider => {
  const start =
    scenario.start === null ? Math.floor((now() - HISTORY) / DAY) * DAY : Date.parse(scenario.start);
  const local = new LocalTime(scenario.time_zone, scenario.datetimes);
  const traffic = new PublishedTraffic(scenario, start);
  const changes = new Changes(scenario.changes);
  const inventory = new Inventory(scenario, local, start, changes, addresses.of);
  const ledger = ledgerRows(scenario, traffic, local);
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
    truth: truthOf({ traffic, local, ledger, inventory, users }, now),
    routes: [
      graphRoute({
        ...{ traffic, local, sendsEmpty: scenario.empty_buckets, sendsFuture: scenario.future_buckets },
        discrepancies: scenario.discrepancies,
      }),
      searchRoute('residential_ledger/search', { rows: ledger, item: (row) => row, liveFields: [] }),
      searchRoute('proxy_user/search', users),
      proxyTestRoute({ scenario, local, inventory, addresses, outages: currentOutages }),
      serviceRoute({ scenario, local, start, inventory, changes }),
      ...proxyRoutes(inventory),
      catalogRoute(catalog),
      quoteRoute(scenario, catalog),
      ...geographyRoutes(scenario),
    ],
  };
};

// The account's proxies, from proxy/search: what they are, and what changes from one listing to the next.

import { type ListedProxy, readInventory } from '../../provider/resources/inventory.ts';
import { type InventoryProxy, MAX_USER_IDS } from '../../store/inventory-store.ts';
import type { Collector, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { slotsPerDay } from '../cost.ts';
import { readListing } from '../listings/listing.ts';
import { OpenListing } from '../listings/open-listing.ts';
import { exposeInventory, families } from './expose.ts';
import { type InventoryOptions, inventoryOptions } from './options.ts';

const LISTED = { endpoint: 'proxy/search', unit: 'proxies' };
/** For the estimate of costs: how many there are is known once they are polled. */
const ASSUMED_PROXIES = 1_000;
/** Combinations of type, protocol, status and country, and the counters of changes. */
const ASSUMED_SUMS = 105;

export const inventory: Collector<InventoryOptions, State> = {
  name: 'inventory',
  endpoints: [LISTED.endpoint],
  families: Object.values(families),
  options: inventoryOptions,
  shows: ['proxy_tests'],
  cost: ({ schedule, max_series_proxies }, zone, now) => ({
    requestsPerDay: (slotsPerDay(schedule, zone, now) * ASSUMED_PROXIES) / 100,
    series: Math.min(ASSUMED_PROXIES, max_series_proxies) + ASSUMED_SUMS,
    assumptions: [`${ASSUMED_PROXIES} proxies; each further 100 cost a request more a poll`],
    warnings: [],
  }),
  open: async ({ account, store, clock }) => {
    await store.inventory.open(account.name, clock.now());
    return new State();
  },
  collect,
  expose: exposeInventory,
};

/** What the runs of an account share: the listing, and what the pages of its present pass have that is not stored. */
class State {
  readonly listing = new OpenListing();
  #changed = new Map<string, InventoryProxy>();
  #passStartedAt: number | undefined;

  changedIn(passStartedAt: number): Map<string, InventoryProxy> {
    if (passStartedAt !== this.#passStartedAt) this.#changed = new Map();
    this.#passStartedAt = passStartedAt;
    return this.#changed;
  }
}

/** Pages are only compared while they are read: a listing that does not come to its end has changed nothing. */
async function collect(context: RunContext<InventoryOptions>, state: State): Promise<Outcome> {
  const { account, client, clock, signal, store } = context;
  const { seen, startedAt, isComplete, isCounted, isResumed, outcome } = await readListing(
    context,
    LISTED,
    (progress) => readInventory(client, { timeZone: account.time_zone, signal, progress }),
    async (page, { passStartedAt }) => {
      const changed = state.changedIn(passStartedAt);
      // Of a proxy that comes twice the later one is newer, also when it says that nothing has changed.
      for (const { id } of page) changed.delete(id);
      for (const proxy of await store.inventory.changed(account.name, page.map(toRow)))
        changed.set(proxy.id, proxy);
    },
    state.listing,
  );
  if (isCounted) {
    const changed = [...state.changedIn(startedAt).values()];
    const listing = { changed, seen, startedAt, now: clock.now(), isComplete: isComplete && !isResumed };
    await store.inventory.saveListing(account.name, listing);
  }
  return outcome;
}

const toRow = ({ type, userIds, ...proxy }: ListedProxy): InventoryProxy => ({
  id: proxy.id,
  productType: type,
  protocol: proxy.protocol,
  status: proxy.status,
  address: proxy.address,
  httpPort: proxy.httpPort,
  socks5Port: proxy.socks5Port,
  subnetId: proxy.subnetId,
  asnId: proxy.asnId,
  asnName: proxy.asnName,
  cityId: proxy.cityId,
  cityName: proxy.cityName,
  countryId: proxy.countryId,
  serviceId: proxy.serviceId,
  addressV6: proxy.addressV6,
  addressIdV4: proxy.addressIdV4,
  addressIdV6: proxy.addressIdV6,
  subnetIdV6: proxy.subnetIdV6,
  lineItemId: proxy.lineItemId,
  updatedAt: proxy.updatedAt,
  users: userIds?.length ?? null,
  userIds: userIds?.toSorted().slice(0, MAX_USER_IDS) ?? null,
  latitude: proxy.latitude,
  longitude: proxy.longitude,
  examplePostcode: proxy.examplePostcode,
  timeZone: proxy.timeZone,
  countryName: proxy.countryName,
  subdivisionId: proxy.subdivisionId,
  subdivisionName: proxy.subdivisionName,
});

// Collects the account's proxies from proxy/search, and their changes from one listing to the next.

import { type ListedProxy, readInventory } from '../../provider/resources/inventory.ts';
import { type InventoryProxy, MAX_USER_IDS } from '../../store/inventory-store.ts';
import type { Collector, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { slotsPerDay } from '../cost.ts';
import { rememberInventoryIds } from '../inventory-match.ts';
import { readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';
import { exposeInventory, families } from './expose.ts';
import { type InventoryOptions, inventoryOptions } from './options.ts';

const RESOURCE = { endpoint: 'proxy/search', unit: 'proxies' };
/** The number of proxies for the estimate of costs. The real number is known only after a poll. */
const ASSUMED_PROXIES = 1_000;
/** The series for combinations of type, protocol, status and country, and for the counters of changes. */
const ASSUMED_COUNT_SERIES = 105;

export const inventory: Collector<InventoryOptions, InventoryState> = {
  name: 'inventory',
  description: 'The account’s proxies',
  endpoints: [RESOURCE.endpoint],
  families: Object.values(families),
  options: inventoryOptions,
  showsDataOf: ['proxy_tests'],
  cost: ({ schedule, max_series_proxies }, zone, now) => ({
    requestsPerDay: (slotsPerDay(schedule, zone, now) * ASSUMED_PROXIES) / 100,
    series: Math.min(ASSUMED_PROXIES, max_series_proxies) + ASSUMED_COUNT_SERIES,
    assumptions: [
      `the account has ${ASSUMED_PROXIES.toLocaleString('en')} proxies; each further 100 proxies cost one more request per poll`,
    ],
    warnings: [],
  }),
  open: async ({ account, store, clock }) => {
    await store.inventory.open(account.name, clock.now());
    return new InventoryState();
  },
  collect,
  expose: exposeInventory,
};

/** The state that the runs of an account share: the listing, and the changed proxies of its current pass. */
class InventoryState {
  readonly listing = new ResumableListing();
  #changed = new Map<string, InventoryProxy>();
  #passStartedAt: number | undefined;

  changedProxies(passStartedAt: number): Map<string, InventoryProxy> {
    if (passStartedAt !== this.#passStartedAt) this.#changed = new Map();
    this.#passStartedAt = passStartedAt;
    return this.#changed;
  }
}

/** Compares pages with the store while it reads them, and stores changes only at the end of a counted listing. */
async function collect(context: RunContext<InventoryOptions>, state: InventoryState): Promise<Outcome> {
  const { account, client, clock, signal, store } = context;
  const { seenIds, startedAt, isComplete, isCounted, isResumed, outcome } = await readListing(
    context,
    RESOURCE,
    (progress) => readInventory(client, { timeZone: account.time_zone, signal, progress }),
    async (page, { passStartedAt }) => {
      const changed = state.changedProxies(passStartedAt);
      // If a proxy appears twice, the later item is newer, even if it has no change.
      for (const { id } of page) changed.delete(id);
      for (const proxy of await store.inventory.filterChanged(account.name, page.map(toRow)))
        changed.set(proxy.id, proxy);
    },
    state.listing,
  );
  if (isCounted) {
    const changed = [...state.changedProxies(startedAt).values()];
    const listing = {
      changed,
      seenIds,
      startedAt,
      now: clock.now(),
      isComplete: isComplete && !isResumed,
    };
    await rememberInventoryIds(store, account.name);
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

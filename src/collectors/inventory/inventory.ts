// Collects the account's proxies from proxy/search, and their changes from one listing to the next.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { type ListedProxy, readInventory } from '../../provider/resources/inventory.ts';
import { shownCounter } from '../../store/counter.ts';
import { INVENTORY_CHANGES, type InventoryProxy, MAX_USER_IDS } from '../../store/inventory-store.ts';
import { type SourceProxy, TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import { type Collector, describeNumber, type Outcome, slotsPerDay } from '../collector.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { counters, gauges, sampleAll } from '../families.ts';
import { rememberInventoryIds, TestedProxies } from '../inventory-match.ts';
import { readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';
import { PartStates } from '../parts/part-states.ts';
import { exposeProxyInfo, proxyFactsOf } from '../proxy-info.ts';
import { allProxies, askForPlacements, PlacementCounts } from './placements.ts';

const inventoryOptions = z.strictObject({
  schedule: cronExpression().default('0 * * * *').describe('Schedule for listing all proxies'),
  max_series_proxies: z
    .int()
    .min(1)
    .default(100_000)
    .describe(
      'Maximum number of untested proxies that have their own series. Tested proxies always have series and do not count',
    ),
  max_geolocations_per_day: z
    .int()
    .min(0)
    .default(0)
    .describe('Most addresses of proxies in a day for which proxywatch asks where others place them'),
});

type InventoryOptions = z.infer<typeof inventoryOptions>;

const SOURCE = 'polled from proxy/search.';

const families = {
  ...gauges(['product_type', 'protocol', 'status', 'country_id'], {
    proxywatch_proxies: `Number of proxies of the account, ${SOURCE}`,
  }),
  ...gauges(['product_type', 'country_id'], {
    proxywatch_proxies_geolocated:
      'Number of proxies whose country was compared with where others place them, polled from ip_address/geolocate.',
    proxywatch_proxies_placed_elsewhere:
      'Number of proxies that others place in another country than the one in which they were bought, polled from ip_address/geolocate.',
  }),
  ...counters(['change'], {
    proxywatch_inventory_changes_total: `Number of changes of proxies since the first complete listing, ${SOURCE} The label change is appeared, gone (removed), address, asn or city.`,
  }),
} as const;

type Context = ReadContext<InventoryOptions>;

const exposeInventory = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, clock, options, store } = context;
  const placements = new PlacementCounts(clock.now());
  const { countedAt, storedAt } = await store.inventory.listing(account.name);
  const counters = await store.inventory.counters(account.name);
  for (const change of INVENTORY_CHANGES)
    sink.sample(
      families.proxywatch_inventory_changes_total,
      { change },
      shownCounter(counters[change], storedAt).value,
    );
  const tested = await readTestedProxies(context);
  const counts = new Map<string, number>();
  let [shownProxies, dropped] = [0, 0];
  for await (const proxy of allProxies(context, () => sink.drain())) {
    const key = JSON.stringify(labelsOf(proxy));
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (options.max_geolocations_per_day > 0) placements.add(proxy);
    // Tested proxies are shown beyond the cap too, because alerts depend on them.
    const testedAs = tested.take(proxy);
    for (const testedProxy of testedAs) exposeProxyInfo(mergedProxy(proxy, testedProxy), sink);
    if (testedAs.length > 0) continue;
    if (shownProxies < options.max_series_proxies) exposeProxyInfo(mergedProxy(proxy), sink);
    else dropped += 1;
    shownProxies += 1;
  }
  for (const testedProxy of tested.remaining()) exposeProxyInfo(testedProxy, sink);
  // Counts from an incomplete first listing would be wrong.
  if (countedAt === null) return;
  for (const [key, count] of counts) sink.sample(families.proxywatch_proxies, JSON.parse(key), count);
  sink.sample(seriesDropped, { collector: 'inventory' }, dropped);
  for (const { labels, compared, elsewhere } of placements.all)
    sampleAll(sink, labels, families, {
      proxywatch_proxies_geolocated: compared,
      proxywatch_proxies_placed_elsewhere: elsewhere,
    });
};

const readTestedProxies = async ({ account, store }: Context): Promise<TestedProxies> =>
  new TestedProxies(
    account.collectors.includes('proxy_tests')
      ? await store.sourceProxies.of(account.name, TESTED_PROXIES)
      : [],
  );

const labelsOf = ({ productType, protocol, status, countryId }: InventoryProxy) => ({
  product_type: productType ?? '',
  protocol: protocol ?? '',
  status: status ?? '',
  country_id: countryId ?? '',
});

/** Merges a proxy with its tested proxy, which gives name, type and protocol. All other values come from the inventory. */
const mergedProxy = (proxy: InventoryProxy, testedProxy?: SourceProxy) => ({
  id: testedProxy?.id ?? proxy.id,
  name: testedProxy?.name ?? '',
  productType: testedProxy?.productType || (proxy.productType ?? ''),
  protocol: testedProxy?.protocol ?? proxy.protocol ?? '',
  facts: proxyFactsOf(proxy),
});

const RESOURCE = { endpoint: 'proxy/search', unit: 'proxies' };
/** The number of proxies for the estimate of costs, unless the store has them. */
const ASSUMED_PROXIES = 1_000;
/** The series for combinations of type, protocol, status and country, and for the counters of changes. */
const ASSUMED_COUNT_SERIES = 105;
/** The same for those of type and country, of two families. */
const ASSUMED_PLACEMENT_SERIES = 40;

export const inventory: Collector<InventoryOptions, InventoryState> = {
  name: 'inventory',
  description: 'The account’s proxies',
  endpoints: [RESOURCE.endpoint, 'ip_address/geolocate'],
  offEndpoints: ({ max_geolocations_per_day }) =>
    max_geolocations_per_day > 0 ? [] : ['ip_address/geolocate'],
  families: Object.values(families),
  options: inventoryOptions,
  showsDataOf: ['proxy_tests'],
  cost: (
    { schedule, max_series_proxies, max_geolocations_per_day },
    zone,
    now,
    _settings,
    { proxies } = {},
  ) => ({
    requestsPerDay:
      (slotsPerDay(schedule, zone, now) * (proxies ?? ASSUMED_PROXIES)) / 100 +
      Math.min(proxies ?? ASSUMED_PROXIES, max_geolocations_per_day),
    series:
      Math.min(proxies ?? ASSUMED_PROXIES, max_series_proxies) +
      ASSUMED_COUNT_SERIES +
      Math.min(max_geolocations_per_day, ASSUMED_PLACEMENT_SERIES),
    assumptions: [
      `the account has ${describeNumber(proxies, ASSUMED_PROXIES, 'proxies')}; each further 100 proxies cost one more request per poll`,
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
  readonly parts = new PartStates();
  /** Addresses in a row for which the provider refused to say a place. */
  refused = 0;
  #changed = new Map<string, InventoryProxy>();
  #passStartedAt: number | undefined;

  changedProxies(passStartedAt: number): Map<string, InventoryProxy> {
    if (passStartedAt !== this.#passStartedAt) this.#changed = new Map();
    this.#passStartedAt = passStartedAt;
    return this.#changed;
  }
}

/** A failed geolocation never fails the run, because the proxies are listed. */
async function collect(context: RunContext<InventoryOptions>, state: InventoryState): Promise<Outcome> {
  const outcome = await collectListing(context, state);
  if (context.options.max_geolocations_per_day === 0) return outcome;
  const skipped = outcome.skipped + (await askForPlacements(context, state));
  const failedParts = [...outcome.failedParts, ...state.parts.failedParts()];
  return { ...outcome, skipped, failedParts, isSuccessDespiteFailures: outcome.failedParts.length === 0 };
}

/** Compares pages with the store while it reads them, and stores changes only at the end of a counted listing. */
async function collectListing(
  context: RunContext<InventoryOptions>,
  state: InventoryState,
): Promise<Outcome> {
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

/** The store keeps neither the login nor the customer. */
const toRow = ({ type, userIds, username, password, customerId, ...proxy }: ListedProxy): InventoryProxy => ({
  ...proxy,
  productType: type,
  users: userIds?.length ?? null,
  userIds: userIds?.toSorted().slice(0, MAX_USER_IDS) ?? null,
});

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
import { counters, gauges } from '../families.ts';
import { rememberInventoryIds } from '../inventory-match.ts';
import { readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';
import { exposeProxyInfo, proxyFactsOf } from '../proxy-info.ts';

const inventoryOptions = z.strictObject({
  schedule: cronExpression().default('0 * * * *').describe('Schedule for listing all proxies'),
  max_series_proxies: z
    .int()
    .min(1)
    .default(100_000)
    .describe(
      'Maximum number of untested proxies that have their own series. Tested proxies always have series and do not count',
    ),
});

type InventoryOptions = z.infer<typeof inventoryOptions>;

const SOURCE = 'polled from proxy/search.';

const families = {
  ...gauges(['product_type', 'protocol', 'status', 'country_id'], {
    proxywatch_proxies: `Number of proxies of the account, ${SOURCE}`,
  }),
  ...counters(['change'], {
    proxywatch_inventory_changes_total: `Number of changes of proxies since the first complete listing, ${SOURCE} The label change is appeared, gone (removed), address, asn or city.`,
  }),
} as const;

type Context = ReadContext<InventoryOptions>;

const PAGE_SIZE = 500;

const exposeInventory = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, options, store } = context;
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
  for await (const proxy of allProxies(context, sink)) {
    const key = JSON.stringify(labelsOf(proxy));
    counts.set(key, (counts.get(key) ?? 0) + 1);
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
};

const readTestedProxies = async ({ account, store }: Context): Promise<TestedProxies> =>
  new TestedProxies(
    account.collectors.includes('proxy_tests')
      ? await store.sourceProxies.of(account.name, TESTED_PROXIES)
      : [],
  );

/** Yields all proxies. It reads them page by page, so that they neither fill the memory nor block the event loop. */
async function* allProxies(
  { account, store }: Context,
  sink: SampleSink,
): AsyncGenerator<InventoryProxy, void, undefined> {
  for (let after = ''; ; ) {
    const page = await store.inventory.page(account.name, after, PAGE_SIZE);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
    await sink.drain();
  }
}

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

/** Knows which of the account's proxies are tested, by id or by host and port, so that each proxy is shown once. */
class TestedProxies {
  readonly #remaining: Map<string, SourceProxy>;
  readonly #byEndpoint: ReadonlyMap<string, readonly SourceProxy[]>;

  constructor(testedProxies: readonly SourceProxy[]) {
    this.#remaining = new Map(testedProxies.map((testedProxy) => [testedProxy.id, testedProxy]));
    // The provider's id identifies a proxy. A tested proxy without one is identified by host and port.
    const withoutId = testedProxies.filter(({ providerId }) => providerId === null);
    this.#byEndpoint = Map.groupBy(withoutId, ({ protocol, host, port }) => `${protocol} ${host}:${port}`);
  }

  /** Removes and returns the tested proxies that are this proxy. There are several if it is tested as several users. */
  take({ id, address, httpPort, socks5Port }: InventoryProxy): SourceProxy[] {
    const endpoints = [`http ${address}:${httpPort}`, `socks5 ${address}:${socks5Port}`];
    const ids = [
      id,
      ...endpoints.flatMap((key) => this.#byEndpoint.get(key) ?? []).map((testedProxy) => testedProxy.id),
    ];
    return [...new Set(ids)].flatMap((testedId) => {
      const testedProxy = this.#remaining.get(testedId);
      this.#remaining.delete(testedId);
      return testedProxy ?? [];
    });
  }

  /** Returns the tested proxies that are no known proxies of the account. */
  remaining(): Iterable<SourceProxy> {
    return this.#remaining.values();
  }
}

const RESOURCE = { endpoint: 'proxy/search', unit: 'proxies' };
/** The number of proxies for the estimate of costs, unless the store has them. */
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
  cost: ({ schedule, max_series_proxies }, zone, now, _settings, { proxies } = {}) => ({
    requestsPerDay: (slotsPerDay(schedule, zone, now) * (proxies ?? ASSUMED_PROXIES)) / 100,
    series: Math.min(proxies ?? ASSUMED_PROXIES, max_series_proxies) + ASSUMED_COUNT_SERIES,
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

/** The store keeps neither the login nor the customer. */
const toRow = ({ type, userIds, username, password, customerId, ...proxy }: ListedProxy): InventoryProxy => ({
  ...proxy,
  productType: type,
  users: userIds?.length ?? null,
  userIds: userIds?.toSorted().slice(0, MAX_USER_IDS) ?? null,
});

// Exposes the account's proxies from the store as samples.

import { counter, gauge, type SampleSink } from '../../lib/family.ts';
import { shownCounter } from '../../store/counter.ts';
import { INVENTORY_CHANGES, type InventoryProxy } from '../../store/inventory-store.ts';
import { type SourceProxy, TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import { exposeProxyInfo, proxyFactsOf } from '../proxy-info.ts';
import type { InventoryOptions } from './options.ts';

const SOURCE = 'polled from proxy/search.';

export const families = {
  proxies: gauge('proxywatch_proxies', `Number of proxies of the account, ${SOURCE}`, [
    'product_type',
    'protocol',
    'status',
    'country_id',
  ]),
  changes: counter(
    'proxywatch_inventory_changes_total',
    `Number of changes of proxies since the first complete listing, ${SOURCE} The label change is appeared, gone (removed), address, asn or city.`,
    ['change'],
  ),
} as const;

type Context = ReadContext<InventoryOptions>;

const PAGE_SIZE = 500;

export const exposeInventory = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, options, store } = context;
  const { countedAt, storedAt } = await store.inventory.listing(account.name);
  const counters = await store.inventory.counters(account.name);
  for (const change of INVENTORY_CHANGES)
    sink.sample(families.changes, { change }, shownCounter(counters[change], storedAt).value);
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
  for (const [key, count] of counts) sink.sample(families.proxies, JSON.parse(key), count);
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

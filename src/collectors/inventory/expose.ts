// What the store says of the account's proxies, as samples.

import { counter, gauge, type SampleSink } from '../../lib/family.ts';
import { shown } from '../../store/counter.ts';
import { INVENTORY_CHANGES, type InventoryProxy } from '../../store/inventory-store.ts';
import { type Target, TESTED } from '../../store/target-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import { exposeProxyInfo, factsOf } from '../proxy-info.ts';
import type { InventoryOptions } from './options.ts';
import { TestedProxies } from './tested-proxies.ts';

const SOURCE = 'from proxy/search, polled.';

export const families = {
  proxies: gauge('proxywatch_proxies', `Proxies of the account, ${SOURCE}`, [
    'product_type',
    'protocol',
    'status',
    'country_id',
  ]),
  changes: counter(
    'proxywatch_inventory_changes_total',
    `Proxies that appeared, went, or have another address, network (asn) or city since monitoring began, by listings ${SOURCE}`,
    ['change'],
  ),
} as const;

type Context = ReadContext<InventoryOptions>;

const PAGE = 500;

export const exposeInventory = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, options, store } = context;
  const { countedAt, storedAt } = await store.inventory.listing(account.name);
  const counters = await store.inventory.counters(account.name);
  for (const change of INVENTORY_CHANGES)
    sink.sample(families.changes, { change }, shown(counters[change], storedAt).value);
  const tested = await testedOf(context);
  const sums = new Map<string, number>();
  let [infos, dropped] = [0, 0];
  for await (const proxy of proxiesOf(context, sink)) {
    const key = JSON.stringify(labelsOf(proxy));
    sums.set(key, (sums.get(key) ?? 0) + 1);
    // Tested proxies are shown beyond the cap too: alerts rest on them.
    const targets = tested.take(proxy);
    for (const target of targets) exposeProxyInfo(merged(proxy, target), sink);
    if (targets.length > 0) continue;
    if (infos < options.max_series_proxies) exposeProxyInfo(merged(proxy), sink);
    else dropped += 1;
    infos += 1;
  }
  for (const target of tested.left()) exposeProxyInfo(target, sink);
  // Half a first listing counts nothing right.
  if (countedAt === null) return;
  for (const [key, count] of sums) sink.sample(families.proxies, JSON.parse(key), count);
  sink.sample(seriesDropped, { collector: 'inventory' }, dropped);
};

const testedOf = async ({ account, store }: Context): Promise<TestedProxies> =>
  new TestedProxies(
    account.collectors.includes('proxy_tests') ? await store.targets.of(account.name, TESTED) : [],
  );

/** All proxies, a page at a time, so that neither memory nor the event loop is held. */
async function* proxiesOf(
  { account, store }: Context,
  sink: SampleSink,
): AsyncGenerator<InventoryProxy, void, undefined> {
  for (let after = ''; ; ) {
    const page = await store.inventory.page(account.name, after, PAGE);
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

/** The configuration says what a tested proxy is called and how it is spoken with, the inventory the rest. */
const merged = (proxy: InventoryProxy, target?: Target) => ({
  id: target?.id ?? proxy.id,
  name: target?.name ?? '',
  productType: target?.productType || (proxy.productType ?? ''),
  protocol: target?.protocol ?? proxy.protocol ?? '',
  facts: factsOf(proxy),
});

// Collects the products that can be bought, and their stock, from checkout/catalog.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { ProviderError } from '../../provider/errors.ts';
import { readCatalog } from '../../provider/resources/catalog.ts';
import type { StoredProduct } from '../../store/catalog-store.ts';
import { type Collector, type Outcome, slotsPerDay } from '../collector.ts';
import { seriesDropped } from '../common-families.ts';
import type { RunContext } from '../context.ts';
import { asNumber, gauges, sampleAll } from '../families.ts';

const catalogOptions = z.strictObject({
  schedule: cronExpression().default('15 * * * *').describe('Schedule for reading the catalog'),
  alert_on: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Codes of products for which you want alerts. A product that is missing from the catalog counts as not available',
    ),
  max_series_products: z
    .int()
    .min(1)
    .default(5_000)
    .describe(
      'Maximum number of products that have their own series. The products of alert_on always have series and do not count',
    ),
});

type CatalogOptions = z.infer<typeof catalogOptions>;

const SOURCE = 'polled from checkout/catalog.';
const PRODUCT = ['product_code', 'product_type', 'protocol', 'country_id'] as const;

const families = {
  ...gauges(PRODUCT, {
    proxywatch_catalog_product_stock: `Number of proxies that you can still buy, ${SOURCE} For products that the provider does not sell by the proxy, the value is in the provider's own unit. A product with unlimited stock has no series.`,
    proxywatch_catalog_product_available: `Whether you can buy the product (1) or not (0), ${SOURCE} The value is also 0 for a product of alert_on that is not in the catalog.`,
  }),
  ...gauges(['product_code'], {
    proxywatch_catalog_product_watched: 'Products of the setting catalog.alert_on. The value is always 1.',
  }),
} as const;

const exposeCatalog: Collector<CatalogOptions>['expose'] = async ({ account, options, store }, sink) => {
  const watched = new Set(options.alert_on);
  for (const product_code of watched)
    sink.sample(families.proxywatch_catalog_product_watched, { product_code }, 1);
  const products = await store.catalog.products(account.name);
  if (products.length === 0) return;
  const others = products.filter(({ code, isListed }) => isListed && !watched.has(code));
  const shown = others.slice(0, options.max_series_products);
  for (const product of products.filter(({ code }) => watched.has(code))) exposeProduct(product, sink);
  for (const product of shown) exposeProduct(product, sink);
  sink.sample(seriesDropped, { collector: 'catalog' }, others.length - shown.length);
};

const exposeProduct = (product: StoredProduct, sink: SampleSink): void => {
  const labels = {
    product_code: product.code,
    product_type: product.type ?? '',
    protocol: product.protocol ?? '',
    country_id: product.countryId ?? '',
  };
  sampleAll(sink, labels, families, {
    proxywatch_catalog_product_stock: product.stock,
    proxywatch_catalog_product_available: asNumber(product.isAvailable),
  });
};

const ENDPOINT = 'checkout/catalog';
/** The number of products for the estimate of costs. The real number is known only after a poll. */
const ASSUMED_PRODUCTS = 100;
const SERIES_PER_PRODUCT = 2;

export const catalog: Collector<CatalogOptions> = {
  name: 'catalog',
  description: 'Products for sale and their stock',
  endpoints: [ENDPOINT],
  isSameForAllCustomers: true,
  families: Object.values(families),
  options: catalogOptions,
  cost: ({ schedule, alert_on, max_series_products }, zone, now) => ({
    requestsPerDay: slotsPerDay(schedule, zone, now),
    series: Math.min(ASSUMED_PRODUCTS, max_series_products) * SERIES_PER_PRODUCT + alert_on.length,
    assumptions: [`the catalog has ${ASSUMED_PRODUCTS} products`],
    warnings: [],
  }),
  collect,
  expose: exposeCatalog,
};

async function collect({
  account,
  client,
  log,
  options,
  signal,
  store,
}: RunContext<CatalogOptions>): Promise<Outcome> {
  const observation = await readCatalog(client, { signal });
  const skipped = observation.skippedCodes.length;
  // An answer without a single usable product does not count as read.
  if (skipped > 0 && observation.products.length === 0)
    throw new ProviderError('bad_response', ENDPOINT, `none of ${skipped} products could be read`);
  for (const product of await store.catalog.save(account.name, observation, options.alert_on)) {
    log.warn(
      { product },
      'the catalog does not have this product of alert_on, so it counts as not available; check the code',
    );
  }
  return { skipped: skipped + observation.partlyInvalidProducts, failedParts: [] };
}

// Collects the products that can be bought, and their stock, from checkout/catalog.

import { ProviderError } from '../../provider/errors.ts';
import { readCatalog } from '../../provider/resources/catalog.ts';
import type { Collector, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { slotsPerDay } from '../cost.ts';
import { exposeCatalog, families } from './expose.ts';
import { type CatalogOptions, catalogOptions } from './options.ts';

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

// Exposes the catalog from the store as samples.

import { gauge, type SampleSink } from '../../lib/family.ts';
import type { StoredProduct } from '../../store/catalog-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import type { CatalogOptions } from './options.ts';

const SOURCE = 'polled from checkout/catalog.';
const PRODUCT = ['product_code', 'product_type', 'protocol', 'country_id'] as const;

export const families = {
  stock: gauge(
    'proxywatch_catalog_product_stock',
    `Number of proxies that you can still buy, ${SOURCE} For products that the provider does not sell by the proxy, the value is in the provider's own unit. A product with unlimited stock has no series.`,
    PRODUCT,
  ),
  available: gauge(
    'proxywatch_catalog_product_available',
    `Whether you can buy the product (1) or not (0), ${SOURCE} The value is also 0 for a product of alert_on that is not in the catalog.`,
    PRODUCT,
  ),
  watched: gauge(
    'proxywatch_catalog_product_watched',
    'Products of the setting catalog.alert_on. The value is always 1.',
    ['product_code'],
  ),
} as const;

export const exposeCatalog = async (
  { account, options, store }: ReadContext<CatalogOptions>,
  sink: SampleSink,
): Promise<void> => {
  const watched = new Set(options.alert_on);
  for (const product_code of watched) sink.sample(families.watched, { product_code }, 1);
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
  sink.sample(families.stock, labels, product.stock);
  sink.sample(families.available, labels, product.isAvailable === null ? null : Number(product.isAvailable));
};

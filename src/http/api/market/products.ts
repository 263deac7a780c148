// Serves GET /api/v1/products: the products of the provider's catalog.

import { z } from 'zod';
import type { StoredProduct } from '../../../store/catalog-store.ts';
import { accountItemOf, count, flag, text } from '../item.ts';
import { indexedList, pageOfAll } from '../lists/indexed-list.ts';
import * as parameters from '../parameters.ts';
import { revisionOfParts } from '../route.ts';

export const { schema: product, json: productJson } = accountItemOf<StoredProduct>()('Product', (from) => ({
  product_code: from(text, 'code'),
  product_name: from(text.nullable(), 'name'),
  product_type: from(text.nullable(), 'type'),
  protocol: text.nullable(),
  country_id: text.nullable(),
  is_available: flag.nullable(),
  stock: count.nullable(),
  is_stock_unlimited: flag.describe('True if the stock is unlimited. `stock` is then null'),
  cycles: z
    .array(text)
    .nullable()
    .describe('Billing cycles, each as `<count>:<interval>`, such as `1:month`'),
  is_per_ip: flag.nullable().describe('True if the price is for each proxy'),
  is_listed: flag.describe(
    'True if the catalog lists the product. A product of `alert_on` can be missing from the catalog',
  ),
}));

export const PRODUCT_LIST = indexedList({
  path: '/api/v1/products',
  collector: 'catalog',
  summary: 'Products of the catalog',
  query: {
    product_type: parameters.texts.describe('Only products of this type. You can repeat the parameter'),
    country_id: parameters.texts.describe('Only products in this country. You can repeat the parameter'),
    is_available: parameters.optionalFlag.describe(
      'If true, only products that are available; if false, only products that are not',
    ),
  },
  item: product,
  revision: revisionOfParts(['catalog']),
  columns: {
    words: {
      product_name: ({ name }: StoredProduct & { readonly id: string }) => name,
      product_type: ({ type }) => type,
      country_id: ({ countryId }) => countryId,
      is_available: ({ isAvailable }) => (isAvailable === null ? null : String(isAvailable)),
    },
    numbers: {
      stock: ({ stock, isStockUnlimited }) => (isStockUnlimited ? Number.MAX_SAFE_INTEGER : stock),
    },
  },
  // A catalog is short, and the store reads its products together.
  keepsItems: true,
  searched: ['product_name', 'product_type', 'country_id'],
  sorts: ['product_name', 'product_type', 'country_id', 'stock'],
  defaultSort: 'id',
  sortText: 'Products without a known value come last',
  pages: pageOfAll('catalog', async ({ store, settings }) =>
    (await store.catalog.products(settings.name)).map((product) => ({ ...product, id: product.code })),
  ),
  read: async ({ account, item }) => item && productJson(account, item),
});

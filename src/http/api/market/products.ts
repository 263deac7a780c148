// Serves GET /api/v1/products: the products of the provider's catalog.

import { z } from 'zod';
import type { StoredProduct } from '../../../store/catalog-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { count, flag, text } from '../fields.ts';
import { accountItemOf } from '../item.ts';
import { type IndexSource, indexedList } from '../lists/indexed-list.ts';
import type { ColumnsOf } from '../lists/list-index.ts';
import { hasWord } from '../lists/row-tests.ts';
import { byNumbers, byWords } from '../lists/sort.ts';
import * as parameters from '../parameters.ts';
import { accountWithCollector, revisionOfParts } from '../route.ts';

export const { schema: product, json: productJson } = accountItemOf<StoredProduct>()('Product', (from) => ({
  product_code: from(text, ({ code }) => code),
  product_name: from(text.nullable(), ({ name }) => name),
  product_type: from(text.nullable(), ({ type }) => type),
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

interface IndexedProduct extends StoredProduct {
  readonly id: string;
}

const columns: ColumnsOf<IndexedProduct> = {
  words: {
    name: ({ name }) => name,
    productType: ({ type }) => type,
    countryId: ({ countryId }) => countryId,
    isAvailable: ({ isAvailable }) => (isAvailable === null ? null : String(isAvailable)),
  },
  numbers: { stock: ({ stock, isStockUnlimited }) => (isStockUnlimited ? Number.MAX_SAFE_INTEGER : stock) },
};

const source = async (
  view: DaemonView,
  account: string,
): Promise<IndexSource<IndexedProduct> | undefined> => {
  const found = accountWithCollector(view, account, 'catalog');
  if (!found) return undefined;
  return {
    revision: view.revision(['catalog']),
    pages: async function* () {
      const products = await found.store.catalog.products(account);
      yield products.map((product) => ({ ...product, id: product.code }));
    },
  };
};

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
  columns,
  // A catalog is short, and the store reads its products together.
  keepsItems: true,
  searched: ['name', 'productType', 'countryId'],
  sorts: {
    product_name: byWords('name'),
    product_type: byWords('productType'),
    country_id: byWords('countryId'),
    stock: byNumbers('stock'),
  },
  defaultSort: 'id',
  sortText: 'Products without a known value come last',
  source,
  filter: (index, { product_type, country_id, is_available }) => [
    ...hasWord(index, ['productType'], product_type),
    ...hasWord(index, ['countryId'], country_id),
    ...hasWord(index, ['isAvailable'], is_available === undefined ? [] : [String(is_available)]),
  ],
  read: async ({ account, item }) => item && productJson(account, item),
});

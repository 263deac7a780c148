// Defines the alerts about products of the catalog.

import { catalog } from '../../collectors/catalog/catalog.ts';
import { HOUR } from '../../lib/time.ts';
import type { Alert } from '../alert.ts';

export const CATALOG_ALERTS: readonly Alert[] = [
  {
    name: 'ProductOutOfStock',
    scope: 'account',
    trigger: 'catalog',
    severity: 'info',
    holdMs: 0,
    keepFiringMs: 2 * HOUR,
    labels: ['product_code'],
    unit: 'none',
    expression: () =>
      [
        '(proxywatch_catalog_product_available == 0 or proxywatch_catalog_product_stock == 0)',
        'and on (instance, account, product_code) proxywatch_catalog_product_watched',
      ].join(' '),
    summary:
      'Account {account} cannot buy product {product_code}: it is out of stock, or not in the catalog.',
    meaning: 'A product of `catalog.alert_on` is not available, has a stock of 0, or is not in the catalog.',
    consequence: 'You cannot buy it until the provider has stock again.',
    checks: [
      'Check the spelling of the code if the product was never in the catalog.',
      'Look for another product in the catalog (`/api/v1/products`).',
    ],
    remedy: 'Wait, or use another product.',
    condition:
      'A product of `catalog.alert_on` is not available, has a stock of 0, or is not in the catalog.',
    async *find({ account, store, options }) {
      const watched = new Set(options(catalog)?.alert_on);
      for (const { code, isAvailable, stock } of await store.catalog.products(account.name))
        if (watched.has(code) && (isAvailable === false || stock === 0))
          yield { labels: { product_code: code }, value: 0 };
    },
  },
];

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
      'Account {account} cannot buy product {product_code}. The product is out of stock, or the catalog does not list it.',
    meaning:
      'The provider reports that this product is unavailable or has a stock of 0, or the provider’s catalog does not list the product. You chose this product in the setting `catalog.alert_on`.',
    consequence: 'You cannot buy the product until the provider offers it again.',
    section: 'market',
    checks: [
      'Open {view}. If “Stock” shows that the product is not in the catalog, check the spelling of its code in `catalog.alert_on`. “Stock” also lists other products that you can buy.',
      'If you can wait for new stock, run `proxywatch silence add --alert ProductOutOfStock --subject ID --for 7d --comment planned`.',
    ],
    remedy: 'Buy another product, or wait for new stock.',
    condition:
      'For a product in `catalog.alert_on`, the provider reports that it is unavailable or has a stock of 0, or the catalog does not list it.',
    async *find({ account, store, options }) {
      const watched = new Set(options(catalog)?.alert_on);
      for (const { code, isAvailable, stock } of await store.catalog.products(account.name))
        if (watched.has(code) && (isAvailable === false || stock === 0))
          yield { labels: { product_code: code }, value: 0 };
    },
  },
];

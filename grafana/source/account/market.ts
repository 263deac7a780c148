// Builds the Account dashboard's rows about stock of products and prices of configured orders.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, inCurrency, MONEY_NOTE } from '../expressions.ts';
import { redBelow } from '../panel.ts';
import { table } from '../table.ts';
import { graph, states } from '../time-series.ts';

const PRODUCT = 'account, product_code';
const WATCHED = `and on (${PRODUCT}) proxywatch_catalog_product_watched`;
const YES_OR_NO = redBelow(0.5);

export const stockRow: Row = {
  title: 'Stock',
  panels: [
    graph({
      title: 'Stock of watched products',
      description: 'Stock of the products in the setting `catalog.alert_on`.',
      unit: 'short',
      width: 12,
      queries: {
        '{{account}} {{product_code}}': `max by (${PRODUCT}) (proxywatch_catalog_product_stock{${ACCOUNT_SELECTOR}} ${WATCHED})`,
      },
    }),
    table({
      title: 'Products with the least stock',
      description:
        'Products of the catalog with the least stock. Products can have different units of stock.',
      width: 6,
      labels: { account: 'Account', product_code: 'Product' },
      columns: {
        Stock: {
          expr: `bottomk($limit, max by (${PRODUCT}) (proxywatch_catalog_product_stock{${ACCOUNT_SELECTOR}}))`,
          unit: 'short',
          steps: redBelow(1),
        },
      },
      sortBy: ['Stock', false],
    }),
    table({
      title: 'Products by type',
      description: 'Number of available products and of all products in the catalog, by product type.',
      width: 6,
      labels: { account: 'Account', product_type: 'Type' },
      columns: {
        Available: {
          expr: `sum by (account, product_type) (proxywatch_catalog_product_available{${ACCOUNT_SELECTOR}})`,
          unit: 'short',
        },
        All: {
          expr: `count by (account, product_type) (proxywatch_catalog_product_available{${ACCOUNT_SELECTOR}})`,
          unit: 'short',
        },
      },
    }),
  ],
};

const QUOTE = 'account, quote';
const quoteMetric = (name: string): string =>
  `max by (${QUOTE}) (proxywatch_quote_${name}{${ACCOUNT_SELECTOR}})`;

export const quoteRow: Row = {
  title: 'Quotes',
  panels: [
    table({
      title: 'Configured orders',
      description:
        'The price of each configured order for one billing cycle, and whether the provider would accept the order now. proxywatch buys nothing.',
      width: 12,
      labels: { account: 'Account', quote: 'Quote', currency: 'Currency' },
      columns: {
        Valid: { expr: quoteMetric('valid'), unit: 'bool_yes_no', steps: YES_OR_NO },
        Price: { expr: inCurrency(quoteMetric('price')), unit: 'none', decimals: 2 },
        'List price': { expr: `${quoteMetric('list_price')} / 100`, unit: 'none', decimals: 2 },
        Discount: { expr: `${quoteMetric('discount')} / 100`, unit: 'none', decimals: 2 },
      },
      sortBy: ['Valid', false],
    }),
    graph({
      title: 'Prices',
      description: `Price of one billing cycle after the discount. ${MONEY_NOTE} While the provider refuses to quote a price, the line has a gap.`,
      unit: 'none',
      decimals: 2,
      width: 6,
      queries: { '{{account}} {{quote}}': `${quoteMetric('price')} / 100` },
    }),
    states({
      title: 'Validity of the orders',
      description: 'Whether the provider would accept each configured order.',
      unit: 'bool_yes_no',
      width: 6,
      steps: YES_OR_NO,
      queries: { '{{account}} {{quote}}': quoteMetric('valid') },
    }),
  ],
};

// Builds the Account dashboard's rows about stock of products and prices of configured orders.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { graph, states } from '../graph.ts';
import { redBelow } from '../panel.ts';
import { table } from '../table.ts';

const PRODUCT = 'account, product_code';
const WATCHED = `and on (${PRODUCT}) proxywatch_catalog_product_watched`;
const YES_OR_NO = redBelow(0.5);

export const stockRow: Row = {
  title: 'Stock',
  panels: [
    graph({
      title: 'Stock of watched products',
      description: 'Left to be bought of the products in catalog.alert_on.',
      unit: 'short',
      width: 12,
      queries: {
        '{{account}} {{product_code}}': `max by (${PRODUCT}) (proxywatch_catalog_product_stock{${ACCOUNT_SELECTOR}} ${WATCHED})`,
      },
    }),
    table({
      title: 'Products with the least stock',
      description: 'Of the whole catalog, in the unit that the product is sold in.',
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
      title: 'Products by kind',
      description: 'How many can be bought, of all in the catalog.',
      width: 6,
      labels: { account: 'Account', product_type: 'Type' },
      columns: {
        'Can be bought': {
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
  title: "Quotes (the provider's money, cents / 100)",
  panels: [
    table({
      title: 'Configured orders',
      description: 'Whether each could be made now, and for how much a cycle. Nothing is bought.',
      width: 12,
      labels: { account: 'Account', quote: 'Quote' },
      columns: {
        Valid: { expr: quoteMetric('valid'), unit: 'bool_yes_no', steps: YES_OR_NO },
        Price: { expr: `${quoteMetric('price')} / 100`, unit: 'none', decimals: 2 },
        'List price': { expr: `${quoteMetric('list_price')} / 100`, unit: 'none', decimals: 2 },
        Discount: { expr: `${quoteMetric('discount')} / 100`, unit: 'none', decimals: 2 },
      },
      sortBy: ['Valid', false],
    }),
    graph({
      title: 'Prices',
      description: 'To be paid for a cycle, the discount taken off. No line while the order cannot be made.',
      unit: 'none',
      decimals: 2,
      width: 6,
      queries: { '{{account}} {{quote}}': `${quoteMetric('price')} / 100` },
    }),
    states({
      title: 'Could be ordered',
      description: '1 while the order could be made, 0 while the provider refused it.',
      unit: 'bool_yes_no',
      width: 6,
      steps: YES_OR_NO,
      queries: { '{{account}} {{quote}}': quoteMetric('valid') },
    }),
  ],
};

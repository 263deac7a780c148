// Defines the alerts about the places of proxies, products of the catalog and configured orders.

import { catalog } from '../../collectors/catalog/catalog.ts';
import { inventory } from '../../collectors/inventory/inventory.ts';
import { countPlacements } from '../../collectors/inventory/placements.ts';
import { quotes } from '../../collectors/quotes/quotes.ts';
import { HOUR } from '../../lib/time.ts';
import { accountAlerts, firesIf, SAME_LABELS } from '../alert.ts';
import { contextOf } from './readings.ts';

export const PLACEMENT_ALERTS = accountAlerts({ trigger: 'inventory', severity: 'info' }, [
  {
    name: 'ProxyPlacedElsewhere',
    labels: ['product_type', 'country_id'],
    threshold: firesIf(0, 'count', 'others place more than this number of proxies in another country'),
    expression: (threshold) => `proxywatch_proxies_placed_elsewhere > ${threshold}`,
    summary:
      'Others place {value} {product_type} proxies of account {account} outside {country_id}[: {reason}].',
    meaning:
      'The provider sold you these proxies in this country, but another source of locations places their addresses in other countries.',
    consequence:
      'Targets that use this source can block the proxies, or show the content of the other country.',
    section: 'alerts',
    checks: [
      'Open {view}, and then the page of the proxy that the alert names. It shows in which country others place it.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with this proxy and a URL of your target that works only in the country that you bought.',
    ],
    remedy:
      'If the target refuses the proxy, ask the provider to replace it. Otherwise, raise the threshold.',
    condition:
      'Others place more than {threshold} proxies of a product type and country in another country. Unknown countries do not count.',
    async *find(evaluation) {
      const context = contextOf(evaluation, inventory);
      for (const { labels, compared, elsewhere, example } of context ? await countPlacements(context) : [])
        if (elsewhere > evaluation.threshold) {
          const reason = `${elsewhere} of ${compared} that were compared, such as ${example}`;
          yield { labels, value: elsewhere, reason };
        }
    },
  },
]);

export const CATALOG_ALERTS = accountAlerts({ trigger: 'catalog', severity: 'info', section: 'market' }, [
  {
    name: 'ProductOutOfStock',
    keepFiringMs: 2 * HOUR,
    labels: ['product_code'],
    expression: () =>
      [
        `(proxywatch_catalog_product_available == 0 or ${SAME_LABELS} proxywatch_catalog_product_stock == 0)`,
        'and on (instance, account, product_code) proxywatch_catalog_product_watched',
      ].join(' '),
    summary:
      'Account {account} cannot buy product {product_code}. The product is out of stock, or the catalog does not list it.',
    meaning:
      'The provider reports that this product is unavailable or has a stock of 0, or the provider’s catalog does not list the product. You chose this product in the setting `catalog.alert_on`.',
    consequence: 'You cannot buy the product until the provider offers it again.',
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
]);

export const QUOTE_ALERTS = accountAlerts({ trigger: 'quotes', severity: 'info', section: 'market' }, [
  {
    name: 'QuoteInvalid',
    keepFiringMs: 2 * HOUR,
    labels: ['quote'],
    expression: () => 'proxywatch_quote_valid == 0',
    summary:
      'Account {account} cannot place order {quote}. The stock is too low, or the provider rejects the order.',
    meaning: 'According to the provider’s last answer, you cannot place the configured order.',
    consequence: 'You cannot place this order until the provider has enough stock or you change the order.',
    checks: [
      'Open {view}. “Orders” shows the state of the order and the reason. If the reason names an error in the order, correct the order in `quotes.items`.',
      'Run `proxywatch check-config --config config.yaml` after a correction, and reload the configuration.',
    ],
    remedy: 'If the state is “Not enough stock”, wait for new stock, or order a smaller quantity.',
    condition: 'According to the provider’s last answer, the account cannot place the order.',
    async *find({ account, store, options }) {
      if (!options(quotes)) return;
      for (const { name, state } of await store.quotes.quotes(account.name))
        if (state !== 'valid') yield { labels: { quote: name }, value: 0 };
    },
  },
]);

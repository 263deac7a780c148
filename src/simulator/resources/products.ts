// Simulates the endpoint of products and their prices.

import type { Route } from '../http.ts';
import { uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { searchRoute } from './search.ts';

/** By type: what a GB costs (cents) up to a quantity; the last tier has no end. */
const TIERS = {
  residential: [
    [10, 400],
    [100, 350],
    [null, 300],
  ],
  mobile: [[null, 600]],
} as const;

export const productRoute = ({ seed }: Scenario): Route => {
  const products = Object.entries(TIERS).map(([type, tiers]) => ({
    product_id: uuid(seed, `product ${type}`),
    product_name: `Simulated ${type}`,
    product_type: type,
    product_protocol: 'ipv4',
    product_is_active: true,
    product_stock: -1,
    country_id: null,
    product_prices: [
      {
        price_id: uuid(seed, `price ${type}`),
        price_type: 'recurring',
        price_amount: tiers[0][1],
        price_per_unit_amount: tiers[0][1],
        price_package_quantity: 1,
        price_cycle_interval: 'month',
        price_cycle_interval_count: 1,
        price_is_subscription: false,
        price_tier_type: tiers.length > 1 ? 'volume' : null,
        price_tiers:
          tiers.length > 1
            ? tiers.map(([end, amount]) => ({ price_tier_up_to: end, price_tier_amount: amount }))
            : [],
      },
    ],
  }));
  return searchRoute('product/search', { rows: () => products, item: (product) => product, liveFields: [] });
};

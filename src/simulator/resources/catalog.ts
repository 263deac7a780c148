// Simulates checkout/catalog and the endpoint of products: the products, their stock and their prices.

import { DAY, HOUR } from '../../lib/time.ts';
import type { Changes } from '../faults/changes.ts';
import type { Route } from '../http.ts';
import type { ProductType } from '../identities.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { COUNTRY_IDS } from './places.ts';
import { searchRoute } from './search.ts';

export type Product = ReturnType<typeof productOf>;

/** Returns the products at a time (ms) by their codes. */
export type Catalog = (at: number) => ReadonlyMap<string, Product>;

interface CatalogItem {
  readonly code: string;
  readonly name: string;
  readonly type: ProductType;
  readonly protocol: string;
  readonly country: string | null;
}

const COUNTRIES = [...new Set(COUNTRY_IDS)];
const CATALOG_ITEMS: readonly CatalogItem[] = [
  ...COUNTRIES.flatMap((country) => [
    inCountry('Datacenter', 'datacenter', country),
    inCountry('ISP', 'isp', country),
  ]),
  { code: 'isp_gb_dual', name: 'ISP Proxies, dual stack [GB]', type: 'isp', protocol: 'dual', country: 'gb' },
  { code: 'residential', name: 'Residential Proxies', type: 'residential', protocol: 'ipv4', country: null },
  { code: 'mobile', name: 'Mobile Proxies', type: 'mobile', protocol: 'ipv4', country: null },
];
const CYCLES = ['1:week', '1:month', '3:month', '1:year'];
/** Products that are sold by gigabytes do not run out. */
const UNLIMITED_STOCK = 1_000_000;

export const catalogOf =
  (seed: number, changes: Changes): Catalog =>
  (at) => {
    const differences = changes.at('product', at);
    const products = CATALOG_ITEMS.flatMap((item): [string, Product][] => {
      const { absent = false, set = {} } = differences.get(item.code) ?? {};
      return absent ? [] : [[item.code, productOf(item, set.product_stock ?? stockOf(seed, item, at), set)]];
    });
    return new Map(products);
  };

export const catalogRoute = (catalog: Catalog): Route => ({
  method: 'GET',
  endpoint: 'checkout/catalog',
  handle: ({ at }) => ({
    data: Object.fromEntries(catalog(at)),
    message: 'Checkout catalog retrieved.',
  }),
});

function inCountry(title: string, type: ProductType, country: string): CatalogItem {
  const name = `${title} Proxies [${country.toUpperCase()}]`;
  return { code: `${type}_${country}`, name, type, protocol: 'ipv4', country };
}

const productOf = (
  { name, type, protocol, country }: CatalogItem,
  stock: number,
  set: { readonly product_is_available?: boolean },
) => ({
  product_name: name,
  product_type: type,
  product_protocol: protocol,
  country_id: country,
  product_cycle_options: country === null ? ['1:month'] : CYCLES,
  product_is_available: set.product_is_available ?? stock !== 0,
  product_is_per_ip: country !== null,
  product_stock: stock,
});

/** Returns a stock of some hundreds of proxies, which varies a little from hour to hour. */
const stockOf = (seed: number, { code, country }: CatalogItem, at: number): number => {
  if (country === null) return UNLIMITED_STOCK;
  const hash = mix(mix(seed, hashText('stock')), hashText(code));
  return Math.round(50 + 900 * draw(hash, 1) + 20 * draw(mix(hash, Math.floor(at / HOUR)), 2));
};

const CYCLE_INTERVALS = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY } as const;
export type CycleInterval = keyof typeof CYCLE_INTERVALS;

/** Cents per month for one proxy, or for a gigabyte if the product is sold by bytes. */
const MONTHLY: Readonly<Record<ProductType, number>> = {
  datacenter: 120,
  isp: 350,
  residential: 300,
  mobile: 450,
};

/** Returns the length in milliseconds of a cycle `<count>:<interval>`. */
export const cycleMs = (cycle: string): number => {
  const [count, interval] = cycle.split(':');
  return Number(count) * CYCLE_INTERVALS[interval as CycleInterval];
};

/** In whole cents. */
export const unitPrice = (type: ProductType, cycle: string): number =>
  Math.ceil((MONTHLY[type] * cycleMs(cycle)) / CYCLE_INTERVALS.month);

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

// checkout/catalog: what is sold, and how much of it is left.

import { HOUR } from '../../lib/time.ts';
import type { Changes } from '../faults/changes.ts';
import type { Route } from '../http.ts';
import type { ProductType } from '../identities.ts';
import { draw, hashText, mix } from '../random.ts';
import { COUNTRY_IDS } from './places.ts';

export interface Product extends Readonly<Record<string, unknown>> {
  readonly product_type: ProductType;
  readonly product_protocol: string;
  readonly country_id: string | null;
  readonly product_cycle_options: readonly string[];
  readonly product_is_available: boolean;
  readonly product_stock: number;
}

/** Products by their codes at an instant. */
export type Catalog = (at: number) => ReadonlyMap<string, Product>;

interface Article {
  readonly code: string;
  readonly name: string;
  readonly type: ProductType;
  readonly protocol: string;
  readonly country: string | null;
}

const COUNTRIES = [...new Set(COUNTRY_IDS)];
const ARTICLES: readonly Article[] = [
  ...COUNTRIES.flatMap((country) => [
    inCountry('Datacenter', 'datacenter', country),
    inCountry('ISP', 'isp', country),
  ]),
  { code: 'isp_gb_dual', name: 'ISP Proxies, dual stack [GB]', type: 'isp', protocol: 'dual', country: 'gb' },
  { code: 'residential', name: 'Residential Proxies', type: 'residential', protocol: 'ipv4', country: null },
  { code: 'mobile', name: 'Mobile Proxies', type: 'mobile', protocol: 'ipv4', country: null },
];
const CYCLES = ['1:week', '1:month', '3:month', '1:year'];
/** Gigabytes do not run out. */
const ENDLESS = 1_000_000;

export const catalogOf =
  (seed: number, changes: Changes): Catalog =>
  (at) => {
    const differences = changes.at('product', at);
    const products = ARTICLES.flatMap((article): [string, Product][] => {
      const { absent = false, set = {} } = differences.get(article.code) ?? {};
      return absent
        ? []
        : [[article.code, productOf(article, set.product_stock ?? stockOf(seed, article, at), set)]];
    });
    return new Map(products);
  };

export const catalogRoute = (catalog: Catalog): Route => ({
  method: 'GET',
  endpoint: 'checkout/catalog',
  takesId: false,
  handle: ({ at }) => ({
    data: Object.fromEntries(catalog(at)),
    message: 'Checkout catalog retrieved.',
  }),
});

function inCountry(title: string, type: ProductType, country: string): Article {
  const name = `${title} Proxies [${country.toUpperCase()}]`;
  return { code: `${type}_${country}`, name, type, protocol: 'ipv4', country };
}

const productOf = (
  { name, type, protocol, country }: Article,
  stock: number,
  set: { readonly product_is_available?: boolean },
): Product => ({
  product_name: name,
  product_type: type,
  product_protocol: protocol,
  country_id: country,
  product_cycle_options: country === null ? ['1:month'] : CYCLES,
  product_is_available: set.product_is_available ?? stock > 0,
  product_is_per_ip: country !== null,
  product_stock: stock,
});

/** Some hundreds of proxies, a few more or less each hour. */
const stockOf = (seed: number, { code, country }: Article, at: number): number => {
  if (country === null) return ENDLESS;
  const hash = mix(mix(seed, hashText('stock')), hashText(code));
  return Math.round(50 + 900 * draw(hash, 1) + 20 * draw(mix(hash, Math.floor(at / HOUR)), 2));
};

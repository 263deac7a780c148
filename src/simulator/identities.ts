// Derives the ids and addresses of the account's users, services and proxies from the scenario alone.

import { PRODUCT_TYPES } from '../lib/product-types.ts';
import { draw, hashText, mix } from './random.ts';
import type { Scenario } from './scenario.ts';

export type ProductType = (typeof PRODUCT_TYPES)[number];

export interface ServiceIdentity {
  readonly id: string;
  readonly type: ProductType;
}

/** Where a proxy of the account listens. */
export type ProxyAddress = ReturnType<typeof proxyAddress>;

const HOSTS = 254;
/** The port of the proxies in the provider's documentation. */
export const FIRST_PROXY_PORT = 8_000;

export const userId = (index: number): string => `user-${String(index).padStart(6, '0')}`;

export const userPassword = (seed: number, index: number): string =>
  `pw-${mix(mix(seed, hashText('password')), index).toString(36)}`;

/** Returns the index of a user, or undefined if the account has no such user. */
export const userIndex = (id: string, users: number): number | undefined => {
  const index = Number(/^user-(\d{6})$/.exec(id)?.[1] ?? Number.NaN);
  return index < users ? index : undefined;
};

/** Returns the account's services, which take the product types in turn. */
export const services = ({ seed, services: count }: Scenario): ServiceIdentity[] =>
  Array.from({ length: count }, (_, index) => {
    const hash = mix(mix(seed, hashText('service')), index);
    const type = PRODUCT_TYPES[index % PRODUCT_TYPES.length] ?? 'isp';
    const part = 1_000 + Math.floor(draw(hash, 1) * 9_000);
    return { id: `API-${part}-${String(index + 1).padStart(4, '0')}`, type };
  });

/** Returns the address of a proxy, in the range for documentation. The pair of host and port is unique. */
export const proxyAddress = (index: number) => ({
  host: `203.0.113.${(index % HOSTS) + 1}`,
  httpPort: FIRST_PROXY_PORT + Math.floor(index / HOSTS),
  socks5Port: 9_000 + Math.floor(index / HOSTS),
});

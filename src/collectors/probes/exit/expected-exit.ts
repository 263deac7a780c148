// Finds what the exit of a proxy should be: the address of a static proxy, or the country that a gateway was asked for.

import { isIP } from 'node:net';
import type { InventoryProxy, ProxyEndpoint } from '../../../store/inventory-store.ts';
import type { SourceProxy } from '../../../store/source-proxy-store.ts';
import type { ReadContext } from '../../context.ts';
import { isMetered } from '../metered.ts';
import { type Echo, normalAddress } from './echo.ts';

export type ExpectedExit = { readonly addresses: readonly string[] } | { readonly country: string };

type ExitSubject = Pick<SourceProxy, 'productType' | 'providerId' | 'username' | 'facts'> & ProxyEndpoint;

/** Returns undefined if it is unknown. */
export const readExpectedExit = async (
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  proxy: ExitSubject,
): Promise<ExpectedExit | undefined> => {
  if (isMetered(proxy.productType)) {
    const country = countryOf(proxy.username);
    return country === undefined ? undefined : { country };
  }
  const known = await readListed({ account, store }, proxy);
  const candidates = [known?.address, known?.addressV6, proxy.facts?.address];
  const addresses = candidates.flatMap((text) => (text && isIP(text) ? normalAddress(text) : []));
  return addresses.length === 0 ? undefined : { addresses: [...new Set(addresses)] };
};

/** Finds the proxy in the inventory by its id or, if only the configuration describes it, by where it listens. */
const readListed = async (
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  { providerId, protocol, host, port }: ExitSubject,
): Promise<InventoryProxy | undefined> => {
  if (providerId) return store.inventory.find(account.name, providerId);
  const [found, other] = await store.inventory.at(account.name, { protocol, host, port });
  return other ? undefined : found;
};

/** Whether this is the country or one of the addresses that the exit should have now. */
export const isExpected = (expected: ExpectedExit, value: string): boolean =>
  'country' in expected ? expected.country === value : expected.addresses.includes(value);

/** Compares what was seen. Returns undefined if the answer does not show it. */
export const compareExit = (
  expected: ExpectedExit,
  { address, country }: Echo,
): { expected: string; seen: string; isMismatch: boolean } | undefined => {
  if ('country' in expected) {
    if (country === null) return undefined;
    return { expected: expected.country, seen: country, isMismatch: country !== expected.country };
  }
  // A proxy may also have an address of the other family, which is not known.
  const sameFamily = expected.addresses.filter((each) => isIP(each) === isIP(address));
  const [first] = sameFamily;
  if (first === undefined) return undefined;
  const isMismatch = !sameFamily.includes(address);
  return { expected: isMismatch ? first : address, seen: address, isMismatch };
};

/** The option of a gateway stands in the user name, such as `user_c_gb_s_abc`. */
const countryOf = (username: string): string | undefined =>
  /_c_([a-z]{2})(?:_|$)/i.exec(username)?.[1]?.toLowerCase();

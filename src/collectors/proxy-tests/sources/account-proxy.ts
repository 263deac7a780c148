// From proxies of the account, as the provider lists them, to those that can be tested.

import type { AccountProxy } from '../../../provider/proxies.ts';
import type { FoundProxy } from '../proxy-entry.ts';
import { formatProxyLine, normalHost, type ProxyLine } from '../proxy-line.ts';
import type { SourceList } from './source.ts';

export type Protocol = ProxyLine['protocol'];

/** The set of statuses is open: one that nobody has heard of is tested rather than passed over in silence. */
const NOT_IN_USE: ReadonlySet<string | null> = new Set([
  'available',
  'reserved',
  'waiting',
  'pending_deletion',
]);

export const isInUse = ({ status }: AccountProxy): boolean => !NOT_IN_USE.has(status);

/** The listed proxies; one that can't be tested as it was answered is skipped, and not gone. */
export const accountList = (
  listed: readonly AccountProxy[],
  protocol: Protocol,
  { skipped, isGone }: Omit<SourceList, 'proxies'>,
): SourceList => {
  const proxies = listed.flatMap((proxy) => foundProxy(proxy, protocol) ?? []);
  const ids = new Set(listed.map(({ id }) => id));
  return {
    proxies,
    skipped: skipped + listed.length - proxies.length,
    isGone: (id) => !ids.has(id) && isGone(id),
  };
};

/** The proxy with its default user's name and password; undefined where the provider left out what a test needs. */
const foundProxy = (proxy: AccountProxy, protocol: Protocol): FoundProxy | undefined => {
  const { address, username, password } = proxy;
  const port = protocol === 'socks5' ? proxy.socks5Port : proxy.httpPort;
  if (!address || !port || !username || !password) return undefined;
  const host = normalHost(address);
  const target = {
    id: proxy.id,
    name: '',
    providerId: proxy.id,
    productType: proxy.type ?? '',
    protocol,
    host,
    port,
    username,
    facts: {
      status: proxy.status ?? '',
      address,
      countryId: proxy.countryId ?? '',
      cityName: proxy.cityName ?? '',
      asnId: String(proxy.asnId ?? ''),
      asnName: proxy.asnName ?? '',
      subnetId: proxy.subnetId ?? '',
      serviceId: proxy.serviceId ?? '',
    },
  };
  return { target, line: formatProxyLine({ protocol, host, port, username, password }) };
};

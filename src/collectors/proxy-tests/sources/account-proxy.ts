// From proxies of the account, as the provider lists them, to those that can be tested.

import type { AccountProxy } from '../../../provider/resources/proxies.ts';
import { factsOf } from '../../proxy-info.ts';
import type { Login } from './login.ts';
import type { FoundProxy } from './proxy-entry.ts';
import { formatProxyLine, normalHost, type ProxyLine } from './proxy-line.ts';
import type { SourceList } from './source.ts';

/** How the proxies are to be used. */
interface Usage {
  readonly protocol: ProxyLine['protocol'];
  /** Undefined for the default user of each. */
  readonly login: Login | undefined;
}

/** The listed proxies; one that can't be tested as it was answered is skipped, and not gone. */
export const accountList = (
  listed: readonly AccountProxy[],
  usage: Usage,
  { skipped, isGone }: Pick<SourceList, 'skipped' | 'isGone'>,
): Pick<SourceList, 'proxies' | 'skipped' | 'isGone'> => {
  const proxies = listed.flatMap((proxy) => foundProxy(proxy, usage) ?? []);
  const ids = new Set(listed.map(({ id }) => id));
  return {
    proxies,
    skipped: skipped + listed.length - proxies.length,
    isGone: (id) => !ids.has(id) && isGone(id),
  };
};

/** The proxy with a user's name and password; undefined where the provider left out what a test needs. */
const foundProxy = (proxy: AccountProxy, { protocol, login }: Usage): FoundProxy | undefined => {
  const { address } = proxy;
  const { username, password } = login ?? proxy;
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
    facts: factsOf(proxy),
  };
  return { target, line: formatProxyLine({ protocol, host, port, username, password }) };
};

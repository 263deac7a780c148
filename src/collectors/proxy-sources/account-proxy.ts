// Turns the account's proxies, as the provider lists them, into proxies that can be tested.

import type { Secret } from '../../lib/secret.ts';
import type { AccountProxy } from '../../provider/resources/proxies.ts';
import { readProxyUserPassword } from '../../provider/resources/proxy-users.ts';
import type { CommonOptions } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { proxyFactsOf } from '../proxy-info.ts';
import { normalHost } from './line-parts.ts';
import type { FoundProxy } from './proxy-entry.ts';
import { formatProxyLine, type ProxyLine } from './proxy-line.ts';
import type { SourceList } from './source.ts';

/** The protocol and the user for tests of the proxies. */
interface ProxyAccess {
  readonly protocol: ProxyLine['protocol'];
  /** Undefined for each proxy's default user. */
  readonly login: Login | undefined;
}

/** Lists the proxies that can be tested. A proxy whose answer lacks a value that a test needs is skipped, but not removed. */
export const toSourceList = (
  listed: readonly AccountProxy[],
  access: ProxyAccess,
  { skipped, isRemoved }: Pick<SourceList, 'skipped' | 'isRemoved'>,
): Pick<SourceList, 'proxies' | 'skipped' | 'isRemoved'> => {
  const proxies = listed.flatMap((proxy) => toFoundProxy(proxy, access) ?? []);
  const ids = new Set(listed.map(({ id }) => id));
  return {
    proxies,
    skipped: skipped + listed.length - proxies.length,
    isRemoved: (id) => !ids.has(id) && isRemoved(id),
  };
};

/** Returns the proxy with a user name and password; undefined if the provider left out a value that a test needs. */
const toFoundProxy = (listed: AccountProxy, { protocol, login }: ProxyAccess): FoundProxy | undefined => {
  const { address } = listed;
  const { username, password } = login ?? listed;
  const port = protocol === 'socks5' ? listed.socks5Port : listed.httpPort;
  if (!address || !port || !username || !password) return undefined;
  const host = normalHost(address);
  const proxy = {
    id: listed.id,
    name: '',
    providerId: listed.id,
    productType: listed.type ?? '',
    protocol,
    host,
    port,
    username,
    facts: proxyFactsOf(listed),
  };
  return { proxy, line: formatProxyLine({ protocol, host, port, username, password }) };
};

interface Login {
  readonly username: string;
  readonly password: Secret;
}

/**
 * Requests the current password of the user that the proxies are tested as; returns undefined if none is configured, and
 * each proxy's default user is used. Throws ProviderError.
 */
export const readLogin = async (
  { client, signal }: RunContext<CommonOptions>,
  proxyUserId: string | undefined,
): Promise<Login | undefined> => {
  if (proxyUserId === undefined) return undefined;
  return { username: proxyUserId, password: await readProxyUserPassword(client, proxyUserId, signal) };
};

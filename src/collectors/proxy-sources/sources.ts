// Creates the sources of proxies that the configuration names, and turns the provider's proxies into proxies that can be tested.

import type { Secret } from '../../lib/secret.ts';
import { type AccountProxy, readProxies } from '../../provider/resources/proxies.ts';
import { readProxyUserPassword } from '../../provider/resources/proxy-users.ts';
import { readService, type ServiceAnswer } from '../../provider/resources/services.ts';
import type { CommonOptions } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { checkCustomer } from '../customer.ts';
import { readListing } from '../listings/listing.ts';
import { isInUse, proxyFactsOf } from '../proxy-info.ts';
import type { SearchEntry, ServiceEntry, SourceEntry, SourceOptions } from './entries.ts';
import { fileSource } from './file-source.ts';
import type { FoundProxy } from './proxy-entry.ts';
import { formatProxyLine, normalHost, type ProxyLine } from './proxy-line.ts';
import { type Preview, type ProxySource, type SourceList, UNKNOWN_PREVIEW } from './source.ts';

/** Every call creates new sources, which have not been read yet. */
export const sourcesOf = ({ proxies }: SourceOptions): ProxySource[] =>
  proxies.flatMap((entry) => ('proxy' in entry ? [] : [sourceOf(entry)]));

/** Returns the sources with what is known of them before any run. `found` has how many proxies the provider's sources had. */
export const previewSources = (options: SourceOptions, found?: ReadonlyMap<string, number>) =>
  sourcesOf(options).map((source): ProxySource & Preview => {
    const preview = source.preview();
    return { ...source, ...preview, proxies: preview.proxies ?? found?.get(source.name) };
  });

export const sourceOf = (entry: SourceEntry): ProxySource => {
  if ('file' in entry) return fileSource(entry);
  return 'search' in entry ? searchSource(entry) : serviceSource(entry);
};

const fromProvider = (what: string, userId: string | undefined, endpoint: string) => ({
  name: userId ? `${what} as ${userId}` : what,
  isFromProvider: true,
  endpoint,
  preview: () => UNKNOWN_PREVIEW,
});

const LISTING = { endpoint: 'proxy/search', unit: 'proxies' };

/** The account's proxies that match a filter. */
const searchSource = ({ search, protocol, proxy_user_id }: SearchEntry): ProxySource => ({
  ...fromProvider(`${protocol} proxies of ${describe(search)}`, proxy_user_id, LISTING.endpoint),
  productType: typeof search.proxy_type === 'string' ? search.proxy_type : undefined,
  list: async (context) => {
    const { client, signal } = context;
    const login = await readLogin(context, proxy_user_id);
    const items = new Map<string, AccountProxy>();
    const read = () => readProxies(client, { filter: search, signal });
    const { skippedIds, isComplete, outcome } = await readListing(context, LISTING, read, async (page) => {
      for (const proxy of page) items.set(proxy.id, proxy);
    });
    const listed = [...items.values()].filter((proxy) => isWanted(proxy, search));
    const isUndecoded = (id: string): boolean => skippedIds.has(id) && !items.has(id);
    const isRemoved = (id: string): boolean => isComplete && !isUndecoded(id);
    return {
      ...toSourceList(listed, { protocol, login }, { skipped: outcome.skipped, isRemoved }),
      isSuspicious: listed.length === 0,
      failure: outcome.failedParts[0],
    };
  },
});

/** A search for a status returns proxies of that status; any other search returns those in use. */
const isWanted = (proxy: AccountProxy, search: SearchEntry['search']): boolean =>
  'proxy_status' in search || isInUse(proxy.status);

const describe = (search: SearchEntry['search']): string => {
  const fields = Object.entries(search).map(([field, value]) => `${field} ${value}`);
  return fields.length === 0 ? 'the account' : fields.sort().join(', ');
};

const SERVICE = 'service/retrieve';

const serviceSource = ({ service_id, protocol, proxy_user_id }: ServiceEntry): ProxySource => ({
  ...fromProvider(`${protocol} proxies of service ${service_id}`, proxy_user_id, SERVICE),
  list: async (context) => {
    const { account, client, signal } = context;
    const login = await readLogin(context, proxy_user_id);
    const query = { withProxies: true, timeZone: account.time_zone, signal };
    const answer = await readService(client, service_id, query);
    const { proxies, skipped } = answer;
    const customerIds = proxies.flatMap(({ customerId }) => customerId ?? []);
    await checkCustomer(context, SERVICE, customerIds);
    const isComplete = isPlausiblyComplete(answer);
    const items = proxies.filter(({ status }) => isInUse(status));
    return {
      ...toSourceList(items, { protocol, login }, { skipped, isRemoved: () => isComplete }),
      isSuspicious: hasFewerThanBought(answer),
    };
  },
});

/** An item that did not decode may be any known proxy, and an active service does not lose all of its proxies. */
const isPlausiblyComplete = ({ service, proxies, skipped }: ServiceAnswer): boolean =>
  skipped === 0 && (proxies.length > 0 || service.status !== 'active' || !service.quantity);

/** Fewer proxies than were bought may be all that exist, or only a part of them. A service that has ended has none. */
const hasFewerThanBought = ({ service: { status, quantity }, proxies }: ServiceAnswer): boolean =>
  (status === 'active' || status === null) && proxies.length < (quantity ?? 1);

interface ProxyAccess {
  readonly protocol: ProxyLine['protocol'];
  /** Undefined for each proxy's default user. */
  readonly login: Login | undefined;
}

/** Lists the proxies that can be tested. A proxy whose answer lacks a value that a test needs is skipped, but not removed. */
const toSourceList = (
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
const readLogin = async (
  { client, signal }: RunContext<CommonOptions>,
  proxyUserId: string | undefined,
): Promise<Login | undefined> => {
  if (proxyUserId === undefined) return undefined;
  return { username: proxyUserId, password: await readProxyUserPassword(client, proxyUserId, signal) };
};

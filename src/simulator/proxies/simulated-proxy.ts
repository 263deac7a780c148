// Describes a proxy of the account or a gateway: its names, where it really listens, and credentials that it accepts.

import { isMetered } from '../../lib/product-types.ts';
import { type ProductType, type ProxyAddress, proxyAddress, type ServiceIdentity } from '../identities.ts';
import type { Inventory, InventoryProxy } from '../resources/proxies.ts';
import type { ProxyUsers, UserRow } from '../resources/proxy-users.ts';

export interface SimulatedProxy {
  /** For example `gateway-residential`; for a proxy of the account, the address by which scenarios name it. */
  readonly name: string;
  readonly type: ProductType;
  /** Gateways read options in the user name, choose an exit, and accept TLS. */
  readonly isGateway: boolean;
  readonly serviceId: string | null;
  /** Null for a gateway that is no proxy of the account. */
  readonly proxyId: string | null;
  readonly endpoint: HostPort;
  /** The names by which faults and outages match it. */
  readonly names: readonly string[];
  /** The account's proxy at the time `at` (ms); undefined if the account does not have it then. */
  readonly row: (at: number) => InventoryProxy | undefined;
}

/** Residential and mobile proxies are gateways, also those that the account lists. */
export const accountProxy = (
  inventory: Inventory,
  owner: ServiceIdentity,
  endpoint: HostPort,
  index: number,
): SimulatedProxy => {
  const proxyId = inventory.unchangedRows[index]?.proxy_id ?? null;
  const { host, httpPort } = proxyAddress(index);
  const ownNames = [host, `${host}:${httpPort}`, endpoint.host, `${endpoint.host}:${endpoint.port}`];
  return {
    ...{ name: `${host}:${httpPort}`, type: owner.type, serviceId: owner.id, proxyId, endpoint },
    isGateway: isMetered(owner.type),
    names: [...ownNames, owner.type, ...(proxyId === null ? [] : [proxyId])],
    row: (at) => inventory.row(index, at),
  };
};

export const gatewayProxy = (
  type: ProductType,
  owner: ServiceIdentity | undefined,
  endpoint: HostPort,
): SimulatedProxy => ({
  ...{ name: gatewayName(type), type, serviceId: owner?.id ?? null, proxyId: null, endpoint },
  isGateway: true,
  names: [gatewayName(type), type, endpoint.host, `${endpoint.host}:${endpoint.port}`],
  row: () => undefined,
});

const gatewayName = (type: ProductType): string => `gateway-${type}`;

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Without simulated proxies, the account's proxies have addresses that are reserved for documentation. */
export interface ProxyAddresses {
  readonly of: (index: number) => ProxyAddress;
  /** Returns the address by which outages and the random numbers know an endpoint. */
  readonly documented: (endpoint: HostPort) => HostPort;
}

export const documentedAddresses: ProxyAddresses = {
  of: proxyAddress,
  documented: (endpoint) => endpoint,
};

/** `listening` has the endpoint of each proxy by its number. HTTP and SOCKS5 share its port. */
export const listeningAddresses = (listening: readonly HostPort[]): ProxyAddresses => {
  const indexes = new Map(listening.map(({ host, port }, index) => [`${host}:${port}`, index]));
  return {
    of: (index) => {
      const endpoint = listening[index];
      if (!endpoint) return proxyAddress(index);
      return { host: endpoint.host, httpPort: endpoint.port, socks5Port: endpoint.port };
    },
    documented: (endpoint) => {
      const index = indexes.get(`${endpoint.host}:${endpoint.port}`);
      if (index === undefined) return endpoint;
      const { host, httpPort } = proxyAddress(index);
      return { host, port: httpPort };
    },
  };
};

export type ListedProxy = ReturnType<typeof listedProxy>;

/** Returns the proxy with the default user's login, or one without a limit if it is metered. `at` is the present (ms). */
export const listedProxy = (users: ProxyUsers, proxy: SimulatedProxy, at: number) => {
  const { name, proxyId, type, isGateway, endpoint } = proxy;
  const rows = users.rows(at);
  const user =
    rows.find((row) => hasAccess(row) && (!isMetered(type) || row.limits[type] === null)) ?? rows[0];
  return {
    ...{ name, proxyId, type, isGateway, host: endpoint.host, port: endpoint.port },
    username: user?.fixed.proxy_user_id ?? '',
    password: String(user?.fixed.proxy_user_password ?? ''),
  };
};

const hasAccess = ({ fixed }: UserRow): boolean =>
  fixed.proxy_user_access_type === 'all' && fixed.proxy_user_is_deleted === false;

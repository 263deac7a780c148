// Describes one simulated proxy: a proxy of the account, or a gateway.

import { isMetered } from '../../lib/product-types.ts';
import { type ProductType, proxyAddress, type ServiceIdentity } from '../identities.ts';
import type { Inventory, InventoryProxy } from '../resources/proxies.ts';
import type { HostPort } from './addresses.ts';

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

export const gatewayName = (type: ProductType): string => `gateway-${type}`;

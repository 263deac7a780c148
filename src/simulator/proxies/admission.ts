// Decides whether a simulated proxy serves a request: credentials, options, policy, bandwidth and nodes.

import { isMetered } from '../../lib/product-types.ts';
import { memoizeByObject } from '../memoize.ts';
import type { ProxyUsers, UserRow } from '../resources/proxy-users.ts';
import { CODES, type Refusal } from './codes.ts';
import { type GatewayOptions, gatewayOptions, parseGatewayUser } from './gateway.ts';
import type { HostPort, SimulatedProxy } from './simulated-proxy.ts';
import { ADDRESS_SERVICE } from './target.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface Customer {
  readonly user: UserRow;
  /** Undefined if the options in the user name are wrong. A static proxy has none. */
  readonly options: GatewayOptions | undefined;
}

/** Nobody is authenticated: the client gave no credentials, and its address is not authorized. */
export const ANONYMOUS = 'anonymous';

export interface AdmissionContext {
  readonly users: ProxyUsers;
  readonly now: () => number;
  /** The ids of users by the addresses from which they need no credentials. */
  readonly authorizedAddresses: ReadonlyMap<string, string>;
  /** Domains that gateways refuse. */
  readonly blockedDomains: readonly string[];
}

const NO_OPTIONS = gatewayOptions(new Map());
const rowsById = memoizeByObject(
  (rows: readonly UserRow[]) => new Map(rows.map((row) => [row.fixed.proxy_user_id, row])),
);

export const authenticate = (
  context: AdmissionContext,
  proxy: SimulatedProxy,
  credentials: Credentials | undefined,
  clientAddress: string,
): Customer | Refusal | typeof ANONYMOUS => {
  const { username, options } = identityOf(context, proxy, credentials, clientAddress);
  if (username === undefined) return ANONYMOUS;
  const at = context.now();
  const user = rowsById(context.users.rows(at)).get(username);
  if (!user) return { code: CODES.unknownUser };
  if (credentials && credentials.password !== passwordOf(proxy, user, at))
    return { code: CODES.wrongPassword };
  if (user.fixed.proxy_user_is_deleted === true) return { code: CODES.disabledUser };
  return mayUse(proxy, user) ? { user, options } : { code: CODES.noAccess };
};

/** Returns why the proxy refuses the target to the customer; undefined if it does not. */
export const refusalOf = (
  context: AdmissionContext,
  proxy: SimulatedProxy,
  { user, options }: Customer,
  { host, port }: HostPort,
): Refusal | undefined => {
  if (!options) return { code: CODES.wrongOptions };
  if (proxy.isGateway) {
    const isAllowed = port === 443 || (host === ADDRESS_SERVICE && port === 80);
    if (!isAllowed) return { code: CODES.restrictedPort };
    if (isBlocked(context.blockedDomains, host)) return { code: CODES.blockedTarget };
  }
  return hasBytesLeft(context, proxy, user) ? undefined : { code: CODES.bandwidthExceeded };
};

const identityOf = (
  { authorizedAddresses }: AdmissionContext,
  { isGateway }: SimulatedProxy,
  credentials: Credentials | undefined,
  clientAddress: string,
): { username: string | undefined; options: GatewayOptions | undefined } => {
  if (!credentials) return { username: authorizedAddresses.get(clientAddress), options: NO_OPTIONS };
  if (isGateway) return parseGatewayUser(credentials.username);
  return { username: credentials.username, options: NO_OPTIONS };
};

/** A proxy can have a password of its own for its default user. */
const passwordOf = (proxy: SimulatedProxy, user: UserRow, at: number): unknown => {
  const row = proxy.row(at);
  const isDefault = row?.default_proxy_user_username === user.fixed.proxy_user_id;
  return isDefault ? row.default_proxy_user_password : user.fixed.proxy_user_password;
};

const mayUse = ({ proxyId, serviceId }: SimulatedProxy, { fixed }: UserRow): boolean => {
  const includes = (ids: unknown, id: string | null): boolean => Array.isArray(ids) && ids.includes(id);
  switch (fixed.proxy_user_access_type) {
    case 'service_restricted':
      return includes(fixed.restricted_service_ids, serviceId);
    case 'proxy_restricted':
      return includes(fixed.restricted_proxy_ids, proxyId);
    default:
      return true;
  }
};

const isBlocked = (domains: readonly string[], host: string): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

const hasBytesLeft = ({ users, now }: AdmissionContext, { type }: SimulatedProxy, user: UserRow): boolean => {
  if (!isMetered(type)) return true;
  const limit = user.limits[type];
  return limit === null || users.used(user, now())[type] < limit;
};

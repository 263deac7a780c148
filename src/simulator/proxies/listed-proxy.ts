// Describes a simulated proxy to those who use it: its address, and credentials that it accepts.

import { isMetered } from '../../lib/product-types.ts';
import type { ProxyUsers, UserRow } from '../resources/proxy-users.ts';
import type { SimulatedProxy } from './simulated-proxy.ts';

/** A proxy with the credentials of the default user, or of a user without a limit if the proxy is metered. */
export interface ListedProxy {
  /** For example `gateway-mobile`; for a proxy of the account, the address by which scenarios name it. */
  readonly name: string;
  /** Null for a gateway. */
  readonly proxyId: string | null;
  readonly type: string;
  readonly isGateway: boolean;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** `at` is the current time (ms). */
export const listedProxy = (users: ProxyUsers, proxy: SimulatedProxy, at: number): ListedProxy => {
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

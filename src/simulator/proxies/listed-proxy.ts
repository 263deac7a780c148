// Describes a simulated proxy to those who use it: its address, and credentials that it accepts.

import { userId, userPassword } from '../identities.ts';
import type { Scenario } from '../scenario.ts';
import type { SimulatedProxy } from './simulated-proxy.ts';

/** A proxy with the credentials of the account's default user. */
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

export const listedProxy = (
  { seed }: Scenario,
  { name, proxyId, type, isGateway, endpoint }: SimulatedProxy,
): ListedProxy => ({
  ...{ name, proxyId, type, isGateway, host: endpoint.host, port: endpoint.port },
  ...{ username: userId(0), password: userPassword(seed, 0) },
});

// Joins the account's proxies and the gateways with the listeners that were opened for them.

import { METERED_TYPES } from '../../lib/product-types.ts';
import { services } from '../identities.ts';
import type { Inventory } from '../resources/proxies.ts';
import type { Scenario } from '../scenario.ts';
import type { Listener } from './listener.ts';
import type { ProxyListeners } from './open-listeners.ts';
import { accountProxy, gatewayProxy, type SimulatedProxy } from './simulated-proxy.ts';

export interface Running {
  readonly proxy: SimulatedProxy;
  readonly listener: Listener;
}

interface Account {
  readonly inventory: Inventory;
  readonly scenario: Scenario;
}

/** The gateways come first. */
export const runningProxies = ({ inventory, scenario }: Account, listeners: ProxyListeners): Running[] => {
  const owners = services(scenario);
  const gateways = METERED_TYPES.map((type) => {
    const listener = listeners.gateways[type];
    const owner = owners.find((service) => service.type === type);
    return { proxy: gatewayProxy(type, owner, listener.endpoint), listener };
  });
  const proxies = listeners.proxies.flatMap((listener, index) => {
    const owner = owners[index % owners.length];
    return owner ? [{ proxy: accountProxy(inventory, owner, listener.endpoint, index), listener }] : [];
  });
  return [...gateways, ...proxies];
};

// Builds a daemon that only lists the proxies of the simulated account, every hour.

import { uuid } from '../../../src/simulator/random.ts';
import { parseScenario } from '../../../src/simulator/scenario.ts';
import type { InventoryChange } from '../../../src/store/inventory-store.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

export const START = '2026-07-06T12:01:30Z';
export const ENDPOINT = 'proxy/search';

export const buildInventory = ({ account, ...options }: Partial<HarnessOptions> = {}): Promise<Harness> =>
  Harness.build({
    now: START,
    ...options,
    scenario: { proxies: 150, services: 3, ...options.scenario },
    account: { traffic: false, residential_ledger: false, proxy_users: false, inventory: {}, ...account },
  });

/** Returns the counters of changes by kind. */
export const changeCounts = async (harness: Harness): Promise<Record<string, number>> =>
  (await harness.samples()).by('change', 'proxywatch_inventory_changes_total');

export const NO_CHANGES = { appeared: 0, gone: 0, address: 0, asn: 0, city: 0 };

export const changeEvents = (harness: Harness): Promise<InventoryChange[]> =>
  harness.app.store.inventory.changes('main', 0, 1_000);

/** Returns the provider's id of the proxy at this place in the account. */
export const idOf = (place: number): string => uuid(parseScenario({}).seed, `proxy ${place}`);

/** Returns the labels of a proxy's only proxywatch_proxy_info; undefined if there is none. */
export const infoOf = async (
  harness: Harness,
  proxy_id: string,
): Promise<Readonly<Record<string, string>> | undefined> => {
  const [info, ...others] = (await harness.samples()).all('proxywatch_proxy_info', { proxy_id });
  if (others.length > 0) throw new Error(`${proxy_id} has ${others.length + 1} series`);
  return info?.labels;
};

// Reads what changes of the inventory show about tested proxies: the provider removed a proxy, or gave it another address.

import { isIP } from 'node:net';
import { DAY, minuteText } from '../lib/time.ts';
import { type InventoryChange, PLACE_CHANGES } from '../store/inventory-store.ts';
import type { Store } from '../store/store.ts';
import { type ReadContext, testedAccounts } from './context.ts';
import { type AttributedFault, isOfOneProxy } from './faults/attribution.ts';

/** The newest change of a tested proxy in the inventory, if it can explain why tests of the proxy fail. */
export interface InventoryEvidence {
  /** `gone`: removed from the inventory. `address`: the inventory has the proxy at another address. */
  readonly kind: 'gone' | 'address';
  /** When the listing that showed the change began (ms). */
  readonly at: number;
  /** The addresses before and after; null if there is none or none was given. */
  readonly from: string | null;
  readonly to: string | null;
  /** Whether the tests still use another address than the inventory has. False if the inventory has none. */
  readonly isTestedElsewhere: boolean;
}

/**
 * Returns by the id of the tested or probed proxy what changed since `since` (ms). It reads only changes since then, so it
 * is cheap enough for every round. The account is the configured one, not that of its probes. Empty while the inventory
 * is off.
 */
export const readInventoryEvidence = async (
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  since: number,
): Promise<ReadonlyMap<string, InventoryEvidence>> => {
  const found = new Map<string, InventoryEvidence>();
  if (!account.collectors.includes('inventory')) return found;
  for (const testedAccount of testedAccounts(account.name)) {
    for (const { id, host, ...change } of await store.inventory.changesOfTested(
      account.name,
      testedAccount,
      since,
    )) {
      const evidence = evidenceOf(change, host);
      if (evidence) found.set(id, evidence);
    }
  }
  return found;
};

/** Returns the newest change of each of PLACE_CHANGES of one proxy of the inventory, the newest one first. */
export const readPlaceChanges = async (
  { inventory }: Pick<Store, 'inventory'>,
  account: string,
  inventoryId: string,
): Promise<InventoryChange[]> => {
  const found: InventoryChange[] = [];
  for (const change of PLACE_CHANGES)
    found.push(...(await inventory.newestChanges(account, 1, { proxyId: inventoryId, change })));
  return found.sort((one, other) => other.at - one.at || other.number - one.number);
};

/** Returns undefined for a change that explains no failure, such as the return of the proxy. */
export const evidenceOf = (
  { change, at, before: from, after: to }: Omit<InventoryChange, 'number' | 'proxyId'>,
  host: string,
): InventoryEvidence | undefined => {
  if (change !== 'gone' && change !== 'address') return undefined;
  return { kind: change, at, from, to, isTestedElsewhere: to !== null && isIP(host) !== 0 && host !== to };
};

/** An older change has been shown for long enough, and reading it in each round would cost more. */
const SHOWN_MS = 7 * DAY;

/** The account is the configured one, not that of its probes. */
export const withInventory = async (
  { account, store, clock }: Pick<ReadContext<unknown>, 'account' | 'store' | 'clock'>,
  faults: readonly AttributedFault[],
): Promise<readonly AttributedFault[]> => {
  if (!faults.some(isOfOneProxy)) return faults;
  const evidence = await readInventoryEvidence({ account, store }, clock.now() - SHOWN_MS);
  if (evidence.size === 0) return faults;
  return faults.map((fault) => {
    const change = isOfOneProxy(fault) ? evidence.get(fault.subject) : undefined;
    const words = wordsOf(change);
    if (!change || !words) return fault;
    const reason = fault.reason.includes(words) ? fault.reason : `${fault.reason}; ${words}`;
    return { ...fault, reason, inventory: change.kind };
  });
};

const wordsOf = (evidence: InventoryEvidence | undefined): string | undefined => {
  if (evidence?.kind === 'gone')
    return `the provider removed it from the inventory at ${minuteText(evidence.at)}`;
  return evidence?.isTestedElsewhere
    ? `the inventory has it at another address since ${minuteText(evidence.at)}`
    : undefined;
};

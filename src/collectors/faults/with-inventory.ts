// Adds to the reasons of faults what the inventory shows about their proxies.

import { minuteText } from '../../lib/minute-text.ts';
import { DAY } from '../../lib/time.ts';
import type { ReadContext } from '../context.ts';
import { type InventoryEvidence, readInventoryEvidence } from '../inventory-evidence.ts';
import type { AttributedFault } from './attribution.ts';

/** An older change has been shown for long enough, and reading it in each round would cost more. */
const SHOWN_MS = 7 * DAY;

/** The account is the configured one, not that of its probes. */
export const withInventory = async (
  { account, store, clock }: Pick<ReadContext<unknown>, 'account' | 'store' | 'clock'>,
  faults: readonly AttributedFault[],
): Promise<readonly AttributedFault[]> => {
  if (!faults.some(isOfProxy)) return faults;
  const evidence = await readInventoryEvidence({ account, store }, clock.now() - SHOWN_MS);
  if (evidence.size === 0) return faults;
  return faults.map((fault) => {
    const change = isOfProxy(fault) ? evidence.get(fault.subject) : undefined;
    const words = wordsOf(change);
    if (!change || !words) return fault;
    const reason = fault.reason.includes(words) ? fault.reason : `${fault.reason}; ${words}`;
    return { ...fault, reason, inventory: change.kind };
  });
};

const isOfProxy = ({ kind }: AttributedFault): boolean => kind === 'proxy' || kind === 'access';

const wordsOf = (evidence: InventoryEvidence | undefined): string | undefined => {
  if (evidence?.kind === 'gone')
    return `the provider removed it from the inventory at ${minuteText(evidence.at)}`;
  return evidence?.isTestedElsewhere
    ? `the inventory has it at another address since ${minuteText(evidence.at)}`
    : undefined;
};

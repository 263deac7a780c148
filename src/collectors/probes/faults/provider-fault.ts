// Finds a fault of the provider from the provider's own answers: no node, or a fault that it reports itself.

import { MIN_PROXIES_FOR_OUTAGE } from '../../faults/assessment.ts';
import type { AttributedFault } from '../../faults/attribution.ts';
import { hasFailed } from '../../faults/proxy-round.ts';
import type { EvidenceCell } from '../evidence.ts';
import { causeOfCell } from './outcomes.ts';

const FAULTY_SHARE = 0.5;
const HEALTHY_SHARE = 0.25;

export const isRefusedByProvider = (cell: EvidenceCell): boolean => {
  const cause = causeOfCell(cell);
  return cause === 'no_node' || cause === 'provider';
};

/**
 * Begins if half of ten or more proxies are refused. Ends below a quarter, and only after `faultAfter` rounds in which
 * fewer than a quarter of the proxies failed at all.
 */
export const providerFault = (
  cells: readonly EvidenceCell[],
  faultAfter: number,
  wasFound: boolean,
): AttributedFault | undefined => {
  const proxies = [...Map.groupBy(cells, ({ proxy }) => proxy).values()];
  const shareOf = (isCounted: (ofProxy: readonly EvidenceCell[]) => boolean): number =>
    proxies.filter(isCounted).length / proxies.length;
  const refused = shareOf((ofProxy) => ofProxy.every(isRefusedByProvider));
  const failedAt = (depth: number): number =>
    shareOf((ofProxy) => ofProxy.every((cell) => cell.rounds > depth && hasFailed(cell, depth)));
  const isRecovering = (): boolean =>
    refused >= HEALTHY_SHARE ||
    Array.from({ length: faultAfter - 1 }, (_, index) => failedAt(index + 1)).some(
      (share) => share >= HEALTHY_SHARE,
    );
  if (proxies.length < MIN_PROXIES_FOR_OUTAGE) return undefined;
  if (refused < FAULTY_SHARE && !(wasFound && refused > 0 && isRecovering())) return undefined;
  return { kind: 'provider', subject: '', reason: reasonOf(refused, proxies.length) };
};

const reasonOf = (share: number, proxies: number): string =>
  `the provider answers ${Math.round(share * 100)}% of ${proxies} proxies that it has no node for them, or that it has a fault of its own`;

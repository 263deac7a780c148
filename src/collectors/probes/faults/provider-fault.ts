// Finds a fault of the provider from the provider's own answers: no node, or a fault that it reports itself.
//
// Nothing else shows it from here. Proxies that do not answer look the same behind a firewall of this machine. If the
// provider's testers fail too, the proxy tests find the outage.

import { MIN_PROXIES_FOR_OUTAGE } from '../../faults/assessment.ts';
import type { AttributedFault } from '../../faults/attribution.ts';
import { hasFailed, sourceAt } from '../../faults/proxy-round.ts';
import { recoveringReason } from '../../faults/reasons.ts';
import type { EvidenceCell } from '../evidence.ts';
import { causeOfCell } from './outcomes.ts';

const FAULTY_SHARE = 0.5;
const HEALTHY_SHARE = 0.25;
/** The provider has no code of its own, see ERROR_SOURCE_CODES. */
const UNNAMED_SOURCE = 0;

export const isRefusedByProvider = (cell: EvidenceCell): boolean => {
  const cause = causeOfCell(cell);
  return cause === 'no_node' || cause === 'provider';
};

/** Whether the provider can have refused the probe in an earlier round, of which only the error source is stored. */
const mayBeRefused = (cell: EvidenceCell, depth: number): boolean =>
  cell.rounds > depth && hasFailed(cell, depth) && sourceAt(cell, depth) === UNNAMED_SOURCE;

/**
 * `proxies` are the cells of each proxy. Begins if half of ten or more proxies are refused. Ends below a quarter, and only after `faultAfter` rounds in which
 * fewer than a quarter of the proxies may have been refused.
 */
export const providerFault = (
  proxies: readonly (readonly EvidenceCell[])[],
  faultAfter: number,
  wasFound: boolean,
): AttributedFault | undefined => {
  if (proxies.length < MIN_PROXIES_FOR_OUTAGE) return undefined;
  const shareOf = (isCounted: (cell: EvidenceCell) => boolean): number =>
    proxies.filter((ofProxy) => ofProxy.every(isCounted)).length / proxies.length;
  const refused = shareOf(isRefusedByProvider);
  if (refused >= FAULTY_SHARE) return faultOf(reasonOf(refused, proxies.length));
  if (!wasFound) return undefined;
  const earlier = Array.from({ length: faultAfter - 1 }, (_, index) =>
    shareOf((cell) => mayBeRefused(cell, index + 1)),
  );
  if ([refused, ...earlier].every((share) => share < HEALTHY_SHARE)) return undefined;
  return faultOf(recoveringReason(reasonOf(refused, proxies.length), refused < HEALTHY_SHARE));
};

const faultOf = (reason: string): AttributedFault => ({ kind: 'provider', subject: '', reason });

const reasonOf = (share: number, proxies: number): string =>
  `the provider answers ${Math.round(share * 100)}% of ${proxies} proxies that it has no node for them, or that it has a fault of its own`;

// Gives many proxies that fail from here one reason, so that they read as one problem.

import { MIN_PROXIES_FOR_OUTAGE } from '../../faults/assessment.ts';
import type { AttributedFault } from '../../faults/attribution.ts';
import type { EvidenceCell } from '../evidence.ts';
import { failingCells } from './access.ts';
import { sharedReason } from './access-reasons.ts';

export const withSharedReason = (
  faults: readonly AttributedFault[],
  byProxy: ReadonlyMap<string, readonly EvidenceCell[]>,
): AttributedFault[] => {
  const failing = faults.flatMap(({ kind, subject }) => {
    const cells = kind === 'access' ? failingCells(byProxy.get(subject) ?? []) : [];
    return cells.length > 0 ? [{ subject, cells }] : [];
  });
  if (byProxy.size < MIN_PROXIES_FOR_OUTAGE || 2 * failing.length < byProxy.size) return [...faults];
  const reason = sharedReason(
    failing.flatMap(({ cells }) => cells),
    byProxy.size,
  );
  const subjects = new Set(failing.map(({ subject }) => subject));
  return faults.map((fault) =>
    fault.kind === 'access' && subjects.has(fault.subject) ? { ...fault, reason } : fault,
  );
};

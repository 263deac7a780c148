// Leaves out the faults that the provider's tests found and that newer probes contradict.

import { hasFailed } from '../../faults/proxy-round.ts';
import type { EvidenceCell, ProbeEvidence } from '../evidence.ts';

type Evidence = Pick<ProbeEvidence, 'probes' | 'providerTests' | 'testFaults'>;
type TestFault = ProbeEvidence['testFaults'][number];

/**
 * The tests can be hours older than the probes. If at least half of the proxies pass from here since, a fault of the target or
 * of the provider does not explain why the others fail.
 */
export const lastingTestFaults = ({ probes, providerTests, testFaults }: Evidence): readonly TestFault[] => {
  const testedAt = providerTests.reduce((newest, { at }) => Math.max(newest, at), Number.NEGATIVE_INFINITY);
  const newer = probes.filter(({ at }) => at > testedAt);
  return testFaults.filter((fault) => {
    const cells = cellsOf(fault, newer);
    const proxies = new Set(cells.map(({ proxy }) => proxy));
    const passing = new Set(cells.filter((cell) => !hasFailed(cell, 0)).map(({ proxy }) => proxy));
    return proxies.size === 0 || 2 * passing.size < proxies.size;
  });
};

/** The probes that a fault explains; none for a fault that probes show nothing about. */
export const cellsOf = (
  { kind, subject, scope }: TestFault,
  probes: readonly EvidenceCell[],
): readonly EvidenceCell[] => {
  if (kind === 'provider') return probes;
  if (kind !== 'target') return [];
  const types = scope && !scope.isNamed ? new Set(scope.productTypes) : undefined;
  return probes.filter(
    ({ url, productType }) => url === subject && (types === undefined || types.has(productType)),
  );
};

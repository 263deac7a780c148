// Leaves out and corrects the faults that the provider's tests found and that newer probes contradict.
//
// The tests of a proxy can be hours apart, and a fault that only they can end would stay as long.

import type { Fault } from '../../../store/test-store.ts';
import { type AttributedFault, isOfOneProxy } from '../../faults/attribution.ts';
import { isOfProxy } from '../../faults/causes.ts';
import { ownSettingOf } from '../../faults/own-setting.ts';
import {
  depthsOf,
  hasFailed,
  hasFailedWithin,
  KNOWN_ROUNDS,
  newestRounds,
} from '../../faults/proxy-round.ts';
import type { EvidenceCell, ProbeEvidence } from '../evidence.ts';
import { isProxyShown, showsNothing } from './outcomes.ts';

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
const cellsOf = (
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

/** Whether the proxy failed from here in a round, and neither a target nor this machine can be the cause. */
const hasFailedItself = (cells: readonly EvidenceCell[]): boolean =>
  depthsOf(KNOWN_ROUNDS).some(
    (depth) =>
      !cells.some((cell) => showsNothing(cell, depth)) &&
      (isProxyShown(cells, depth) || cells.some((cell) => isOfProxy(cell, depth) && hasFailed(cell, depth))),
  );

type Correct = (fault: Fault) => Omit<Fault, 'since'> | null;

/** `here` are the faults that the probes have found. */
export const correctionOf = (
  { probes, providerTests, intervalMs }: Pick<ProbeEvidence, 'probes' | 'providerTests' | 'intervalMs'>,
  here: readonly AttributedFault[],
  faultAfter: number,
): Correct => {
  const refused = new Map(
    here
      .filter(({ kind, code }) => kind === 'access' && ownSettingOf(code ?? null) !== null)
      .map((fault) => [fault.subject, fault]),
  );
  const byProxy = Map.groupBy(probes, ({ proxy }) => proxy);
  const testedAt = new Map(newestRounds(providerTests).map(({ proxy, at }) => [proxy, at]));
  const hasRecovered = (proxy: string): boolean => {
    const cells = byProxy.get(proxy) ?? [];
    // Tests that are too old to be read are older than the probes.
    const since = testedAt.get(proxy) ?? Number.NEGATIVE_INFINITY;
    return hasFailedItself(cells) && cells.every((cell) => passesSince(cell, since));
  };
  /** Whether most of the proxies that the fault explains failed from here too, and pass since. */
  const isContradicted = (fault: Fault): boolean => {
    const ofProxies = [...Map.groupBy(cellsOf(fault, probes), ({ proxy }) => proxy)];
    const failing = ofProxies.filter(([, cells]) => cells.some((cell) => hasFailed(cell, 0)));
    const recovered = ofProxies.filter(
      ([proxy, cells]) =>
        cells.some(({ history }) => history !== 0) &&
        cells.every((cell) => passesSince(cell, testedAt.get(proxy) ?? Number.NEGATIVE_INFINITY)),
    );
    return 2 * recovered.length >= ofProxies.length && 4 * failing.length < ofProxies.length;
  };
  const passesSince = (cell: EvidenceCell, since: number): boolean =>
    cell.at - (faultAfter - 1) * intervalMs > since && !hasFailedWithin(cell, faultAfter);
  return (fault) => {
    if (!isOfOneProxy(fault)) return fault.kind !== 'tester' && isContradicted(fault) ? null : fault;
    if (hasRecovered(fault.subject)) return null;
    return (fault.kind === 'proxy' && refused.get(fault.subject)) || fault;
  };
};

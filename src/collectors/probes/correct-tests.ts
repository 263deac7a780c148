// Corrects the faults that the provider's tests found, if newer probes contradict them.
//
// The tests of a proxy can be hours apart, and a fault that only they can end would stay as long.

import type { Fault } from '../../store/test-store.ts';
import type { AttributedFault } from '../faults/attribution.ts';
import { isOfProxy } from '../faults/causes.ts';
import { ownSettingOf } from '../faults/own-setting.ts';
import { hasFailed, KNOWN_ROUNDS, newestRounds } from '../faults/proxy-round.ts';
import type { EvidenceCell, ProbeEvidence } from './evidence.ts';
import { cellsOf } from './faults/lasting-test-faults.ts';
import { isProxyShown, showsNothing } from './faults/outcomes.ts';

/** Whether the proxy failed from here in a round, and neither a target nor this machine can be the cause. */
const hasFailedItself = (cells: readonly EvidenceCell[]): boolean =>
  Array.from({ length: KNOWN_ROUNDS }, (_, depth) => depth).some(
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
    cell.at - (faultAfter - 1) * intervalMs > since &&
    Array.from({ length: faultAfter }, (_, depth) => depth).every((depth) => !hasFailed(cell, depth));
  return (fault) => {
    if (fault.kind !== 'proxy' && fault.kind !== 'access')
      return fault.kind !== 'tester' && isContradicted(fault) ? null : fault;
    if (hasRecovered(fault.subject)) return null;
    return (fault.kind === 'proxy' && refused.get(fault.subject)) || fault;
  };
};

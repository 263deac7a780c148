// Finds failures of an unknown cause, which neither a comparison nor the error source shows.

import type { InconclusiveFailures } from '../../store/test-store.ts';
import { causeOf, isCausedByProxy, isUncompared } from './causes.ts';
import { type EvidenceContext, isExplained, isTargetOrUnknown } from './evidence.ts';
import { consecutiveFailures, type ProxyRound } from './proxy-round.ts';
import { inconclusiveReason } from './reasons.ts';

/** `wasInconclusive` returns whether a url was inconclusive before; a stricter rule then ends that state. */
export const findInconclusive = (
  rounds: readonly ProxyRound[],
  faultyProxies: ReadonlySet<string>,
  wasInconclusive: (url: string) => boolean,
  { assessment, faultAfter }: Omit<EvidenceContext, 'talliesAt'>,
): InconclusiveFailures[] => {
  if (assessment.outage) return [];
  return [...assessment.ambiguousUrls.keys()].sort().flatMap((url) => {
    const tested = rounds.filter((round) => round.cells.some((cell) => cell.url === url));
    const failing = tested.filter(
      (round) =>
        !faultyProxies.has(round.proxy) && isUnattributed(round, url, wasInconclusive(url) ? faultAfter : 0),
    );
    return failing.length === 0
      ? []
      : [{ url, proxies: failing.length, reason: inconclusiveReason(failing, tested.length) }];
  });

  function isUnattributed(round: ProxyRound, url: string, recentRounds: number): boolean {
    const isProxyNamed = isCausedByProxy(round, faultAfter);
    const cells = round.cells.filter(
      (cell) => cell.url === url && !isExplained(cell, isProxyNamed, assessment),
    );
    if (isUncompared(round, 0) && cells.some((cell) => consecutiveFailures(cell) >= faultAfter)) return true;
    return (
      cells.length > 0 &&
      Array.from({ length: recentRounds }, (_, depth) => depth).some((depth) =>
        isTargetOrUnknown(causeOf(round, depth)),
      )
    );
  }
};

// Finds failures of an unknown cause, which neither a comparison nor the error source shows.

import type { InconclusiveFailures } from '../../store/test-store.ts';
import { causeOf, isCausedByProxy, isUncompared } from './causes.ts';
import { type EvidenceContext, isExplained, isTargetOrUnknown } from './evidence.ts';
import { consecutiveFailures, depthsOf, type FaultCell, type ProxyRound, testKeyOf } from './proxy-round.ts';
import { inconclusiveReason } from './reasons.ts';
import type { Tally } from './round-tallies.ts';

/** `wasInconclusive` returns whether a url was inconclusive before; a stricter rule then ends that state. */
export const findInconclusive = (
  rounds: readonly ProxyRound[],
  faultyProxies: ReadonlySet<string>,
  wasInconclusive: (url: string) => boolean,
  context: EvidenceContext,
): InconclusiveFailures[] => {
  if (context.assessment.outage) return [];
  const { ambiguousUrls } = context.assessment;
  const judged = rounds.filter(({ proxy }) => !faultyProxies.has(proxy));
  const urls = new Set(judged.flatMap(({ cells }) => cells.map(({ url }) => url)));
  return [...urls].sort().flatMap((url) => {
    const recentRounds = wasInconclusive(url) ? context.faultAfter : 0;
    const failing = judged.filter((round) =>
      ambiguousUrls.has(url)
        ? isUnattributed(round, url, recentRounds, context)
        : failsUncompared(round, url, context),
    );
    if (failing.length === 0) return [];
    const tested = rounds.filter(({ cells }) => cells.some((cell) => cell.url === url)).length;
    return { url, proxies: failing.length, reason: inconclusiveReason(url, failing, tested) };
  });
};

/** Whether the proxy fails all its tests, and nothing shows why. */
const isUnattributed = (
  round: ProxyRound,
  url: string,
  recentRounds: number,
  context: EvidenceContext,
): boolean => {
  const cells = round.cells.filter((cell) => cell.url === url && isUnexplained(cell, round, context));
  if (isUncompared(round, 0) && cells.some((cell) => consecutiveFailures(cell) >= context.faultAfter))
    return true;
  return cells.length > 0 && depthsOf(recentRounds).some((depth) => isTargetOrUnknown(causeOf(round, depth)));
};

/** Whether the proxy fails only some of its tests, and no other proxy that works makes the failing ones, or most fail them too. */
const failsUncompared = (round: ProxyRound, url: string, context: EvidenceContext): boolean => {
  const { tests } = context.talliesAt(0);
  return round.cells.some(
    (cell) =>
      cell.url === url &&
      consecutiveFailures(cell) >= context.faultAfter &&
      isUncomparedTest(tests.get(testKeyOf(cell))) &&
      isUnexplained(cell, round, context),
  );
};

const isUncomparedTest = (test: Tally | undefined): boolean =>
  test === undefined || test.votes <= 1 || test.isFaulty;

const isUnexplained = (
  cell: FaultCell,
  round: ProxyRound,
  { assessment, faultAfter }: EvidenceContext,
): boolean => !isExplained(cell, isCausedByProxy(round, faultAfter), assessment);

// Finds the failing tests that are evidence against the proxy itself, and failures of an unknown cause.

import type { InconclusiveFailures } from '../../store/test-store.ts';
import { type Assessment, MIN_PROXIES_FOR_OUTAGE } from './assessment.ts';
import { type Cause, causeOf, isCausedByProxy, isUncompared } from './causes.ts';
import { areOwnSettings } from './own-setting.ts';
import {
  consecutiveFailures,
  depthsOf,
  type FaultCell,
  hasFailed,
  type ProxyRound,
  roundsOfSource,
  testKeyOf,
} from './proxy-round.ts';
import { inconclusiveReason } from './reasons.ts';
import { HEALTHY_SHARE, type RoundTallies, type Tally } from './round-tallies.ts';

/** A row of failures is evidence against the proxy only if its probability by chance is below this. */
const SIGNIFICANCE_LEVEL = 0.02;

interface EvidenceContext {
  readonly assessment: Assessment;
  /** The tallies of the newest round (0) and of earlier rounds. */
  readonly talliesAt: (depth: number) => RoundTallies;
  readonly faultAfter: number;
}

/** Returns tests that no other fault explains and that failed often enough in a row: one full failure if already at fault. */
export const cellsAgainstProxy = (
  round: ProxyRound,
  wasAtFault: boolean,
  { assessment, talliesAt, faultAfter }: EvidenceContext,
): FaultCell[] => {
  if (!wasAtFault && !round.cells.some((cell) => hasFailed(cell, 0))) return [];
  const cause = causeOf(round, 0);
  const isProxyNamed = isCausedByProxy(round, faultAfter);
  const isRefused = areOwnSettings(round.cells.filter((cell) => hasFailed(cell, 0)));
  if (assessment.outage && cause !== undefined && !isRefused) return [];
  const weightAt = (cell: FaultCell, depth: number): number =>
    weightOf(round, cell, depth, talliesAt(depth), faultAfter);
  return round.cells.filter((cell) => {
    if (isExplained(cell, isProxyNamed, assessment)) return false;
    const isSuspect = !isTargetOrUnknown(cause) || !assessment.ambiguousUrls.has(cell.url);
    // Failures with another error source can have had another cause, unless each of them shows the proxy.
    const sameSource = roundsOfSource(cell);
    const isCounted = (depth: number): boolean =>
      depth < sameSource || [0, depth].every((each) => showsItself(round, cell, each, talliesAt(each)));
    // A failure that shows nothing does not count towards earlier ones, which can have had another cause.
    let evidence = weightAt(cell, 0) === 0 ? Number.NEGATIVE_INFINITY : 0;
    for (
      let depth = 0;
      depth < consecutiveFailures(cell) && evidence < faultAfter && isCounted(depth);
      depth++
    )
      evidence += weightAt(cell, depth);
    if (isSuspect && evidence >= faultAfter) return true;
    return depthsOf(wasAtFault ? faultAfter : 0).some(
      (depth) => hasFailed(cell, depth) && weightAt(cell, depth) === 1,
    );
  });
};

/**
 * Whether a fault of the tester or target explains the cell's failures. A target that is at fault by the error source does
 * not explain the failures of a proxy whose own results name the proxy (`isProxyNamed`).
 */
const isExplained = (
  { tester, url, productType }: FaultCell,
  isProxyNamed: boolean,
  assessment: Assessment,
): boolean =>
  assessment.faultyTesters.has(tester) ||
  assessment.faultyTargets.has(url) ||
  assessment.faultyTargetsByType.get(productType)?.has(url) === true ||
  (assessment.namedTargets.has(url) && !isProxyNamed);

/** Whether a proxy fails everywhere and its results do not name the proxy as the cause. */
const isTargetOrUnknown = (cause: Cause | undefined): boolean => cause === 'target' || cause === 'unknown';

/**
 * Returns the weight of one failure, from 0 to 1. The weight is lower the more often the same test failed for other proxies
 * in that round. So a row of failures whose weights add up to `faultAfter` is rare by chance. Failures in what looks like an
 * outage have no weight. Nor have failures that do not name the proxy, while too few other proxies succeed to show that
 * target and tester work. If no other proxy can be compared, a failure counts only if it shows the proxy by itself.
 */
const weightOf = (
  round: ProxyRound,
  cell: FaultCell,
  depth: number,
  tallies: RoundTallies,
  faultAfter: number,
): number => {
  const { deadProxiesInNewestBatch, tests, uncompared } = tallies;
  const cause = causeOf(round, depth);
  const isOutageLikely =
    deadProxiesInNewestBatch.votes >= MIN_PROXIES_FOR_OUTAGE && deadProxiesInNewestBatch.isFaulty;
  if (isOutageLikely && cause === 'proxy' && !areOwnSettings([cell])) return 0;
  if (isTargetOrUnknown(cause) && uncompared.get(cell.url)?.isFaulty) return 0;
  const share = failureShareOfOthers(tests.get(testKeyOf(cell)), cause === undefined);
  if (share === undefined) return Number(cause === 'proxy');
  return Math.min(1, (faultAfter * Math.log(share)) / Math.log(SIGNIFICANCE_LEVEL));
};

/** Whether other proxies pass the test in that round or, without any to compare, all targets and testers fail for the proxy. */
const showsItself = (round: ProxyRound, cell: FaultCell, depth: number, { tests }: RoundTallies): boolean => {
  const cause = causeOf(round, depth);
  const share = failureShareOfOthers(tests.get(testKeyOf(cell)), cause === undefined);
  return share === undefined ? cause === 'proxy' && !isUncompared(round, depth) : share < HEALTHY_SHARE;
};

/** The share of the other proxies that fail in the same test; undefined if there are none. A dead proxy has no vote itself. */
const failureShareOfOthers = (test: Tally | undefined, hasVote: boolean): number | undefined => {
  const own = Number(hasVote);
  if (!test || test.votes <= own) return undefined;
  return Math.max(0, test.votesAgainst - own) / (test.votes - own);
};

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

// Which failing tests speak against the proxy itself.

import { type Cause, causeOf, namesItself } from './causes.ts';
import { type FaultCell, failingRow, hasFailed, type ProxyRound, testOf } from './proxy-round.ts';
import type { Survey } from './survey.ts';
import type { Tally } from './tally.ts';
import { MIN_PROXIES, MIN_PROXIES_OF_OUTAGE, type Verdicts } from './verdicts.ts';

/** A row of failures that chance brings more often than this says nothing of the proxy. */
const RARE = 0.02;

export interface Case {
  readonly verdicts: Verdicts;
  /** Surveys of the newest round (0) and of those before it. */
  readonly surveyAt: (depth: number) => Survey;
  readonly faultAfter: number;
}

/**
 * The round's tests that no verdict explains, and that failed often enough in a row; for a proxy that was blamed already,
 * those that failed lately.
 */
export const tellingCells = (
  round: ProxyRound,
  wasBlamed: boolean,
  { verdicts, surveyAt, faultAfter }: Case,
): FaultCell[] => {
  const cause = causeOf(round, 0);
  const isOwn = namesItself(round, faultAfter);
  if (verdicts.outage && cause !== undefined) return [];
  const weightAt = (cell: FaultCell, depth: number): number =>
    weigh(round, cell, depth, surveyAt(depth), faultAfter);
  return round.cells.filter((cell) => {
    if (isExplained(cell, isOwn, verdicts)) return false;
    const isSuspect = !isOpen(cause) || !verdicts.unvouched.has(cell.url);
    const row = failingRow(cell);
    let evidence = 0;
    for (let depth = 0; depth < row && evidence < faultAfter; depth++) evidence += weightAt(cell, depth);
    if (isSuspect && evidence >= faultAfter) return true;
    const lately = Array.from({ length: wasBlamed ? faultAfter : 0 }, (_, depth) => depth);
    return lately.some((depth) => hasFailed(cell, depth) && weightAt(cell, depth) === 1);
  });
};

/** A target that results name explains all but the proxies that name themselves; `isOwn` tells whether this one does. */
export const isExplained = (
  { tester, url, productType }: FaultCell,
  isOwn: boolean,
  verdicts: Verdicts,
): boolean =>
  verdicts.testers.has(tester) ||
  verdicts.targets.has(url) ||
  verdicts.targetsByType.get(productType)?.has(url) === true ||
  (verdicts.named.has(url) && !isOwn);

/** Whether a proxy that fails everywhere is not the one that its results name. */
export const isOpen = (cause: Cause | undefined): boolean => cause === 'target' || cause === 'open';

/**
 * What one failure counts, 1 at most: so much less as the same test failed for others in that round that rows of it are
 * rare by chance when they add up to `faultAfter`. Failures in what looks like an outage count nothing, and neither do those
 * that don't name the proxy while the other proxies vouch for nobody.
 */
const weigh = (
  round: ProxyRound,
  cell: FaultCell,
  depth: number,
  survey: Survey,
  faultAfter: number,
): number => {
  const { deadLately, tests, alone } = survey;
  const cause = causeOf(round, depth);
  const looksLikeOutage = deadLately.size >= MIN_PROXIES_OF_OUTAGE && deadLately.isFaulty;
  if (looksLikeOutage && cause === 'proxy') return 0;
  if (isOpen(cause) && alone.get(cell.url)?.isFaulty) return 0;
  return Math.min(1, (faultAfter * Math.log(shareOfOthers(tests.get(testOf(cell))))) / Math.log(RARE));
};

const shareOfOthers = (test: Tally | undefined): number =>
  test && test.size >= MIN_PROXIES ? Math.max(0, test.against - 1) / (test.size - 1) : 0;

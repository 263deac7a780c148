// Failures of an unknown cause: neither a comparison nor the error source shows it.

import type { Inconclusive } from '../../../store/test-store.ts';
import { causeOf, isAlone, namesItself } from './causes.ts';
import { type Case, isExplained, isOpen } from './evidence.ts';
import { failingRow, type ProxyRound } from './proxy-round.ts';
import { inconclusiveReason } from './reasons.ts';

/** `blamed` are the proxies at fault themselves; `stood`: the url was inconclusive before, so a stricter rule ends it. */
export const inconclusiveIn = (
  rounds: readonly ProxyRound[],
  blamed: ReadonlySet<string>,
  stood: (url: string) => boolean,
  { verdicts, faultAfter }: Omit<Case, 'surveyAt'>,
): Inconclusive[] => {
  if (verdicts.outage) return [];
  return [...verdicts.unvouched.keys()].sort().flatMap((url) => {
    const at = rounds.filter((round) => round.cells.some((cell) => cell.url === url));
    const failing = at.filter(
      (round) => !blamed.has(round.proxy) && isUnattributed(round, url, stood(url) ? faultAfter : 0),
    );
    return failing.length === 0
      ? []
      : [{ url, proxies: failing.length, reason: inconclusiveReason(failing, at.length) }];
  });

  function isUnattributed(round: ProxyRound, url: string, lately: number): boolean {
    const isOwn = namesItself(round, faultAfter);
    const cells = round.cells.filter((cell) => cell.url === url && !isExplained(cell, isOwn, verdicts));
    if (isAlone(round, 0) && cells.some((cell) => failingRow(cell) >= faultAfter)) return true;
    return (
      cells.length > 0 &&
      Array.from({ length: lately }, (_, depth) => depth).some((depth) => isOpen(causeOf(round, depth)))
    );
  }
};

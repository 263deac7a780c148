// Describes the reasons of faults in words, for logs, the status page and alerts.

import { hasSeveral } from './causes.ts';
import { consecutiveFailures, type FaultCell, hasFailed, type ProxyRound } from './proxy-round.ts';
import type { Tally } from './tally.ts';

export const outageReason = (tally: Tally): string => `${shareOf(tally)} fail all their tests`;

export const testerReason = (tally: Tally): string =>
  `${shareOf(tally)} fail from this tester and pass from others${recovering(tally)}`;

/** `productType` is given if only proxies of that type are concerned. */
export const targetReason = (tally: Tally, productType?: string): string => {
  const those = productType ? ` of type ${productType}` : '';
  return `${shareOf(tally)}${those} fail at this target and pass at others${recovering(tally)}`;
};

export const namedTargetReason = (tally: Tally): string =>
  `${shareOf(tally)} fail at this target with the error source target; there is nothing to compare it with${recovering(tally)}`;

/** `failing` are the rounds of the proxies that fail for an unknown cause; `tested` is the number of all proxies. */
export const inconclusiveReason = (failing: readonly ProxyRound[], tested: number): string => {
  const cells = failing.flatMap((round) => round.cells);
  const sources = new Set(
    cells.filter((cell) => hasFailed(cell, 0)).map(({ errorSource }) => errorSource ?? 'none'),
  );
  const only = (['url', 'tester'] as const).filter(
    (field) => !failing.some((round) => hasSeveral(round.cells, field)),
  );
  const missing = only
    .map((field) => (field === 'url' ? 'no second target' : 'no second tester'))
    .join(' and ');
  return `${failing.length} of ${tested} proxies fail all their tests; there is ${missing} to compare with, and the error sources (${[...sources].sort().join(', ')}) do not show the cause`;
};

/** `evidence` contains the tests that count against the proxy. */
export const proxyReason = (round: ProxyRound, evidence: readonly FaultCell[]): string => {
  const failing = evidence.filter((cell) => hasFailed(cell, 0));
  if (failing.length === 0) return 'its tests pass again, but not for long enough yet';
  const streak = failing.reduce((longest, cell) => Math.max(longest, consecutiveFailures(cell)), 0);
  const where = `${onlyOne(round, failing, 'url', 'at')}${onlyOne(round, failing, 'tester', 'from')}`;
  return `${failing.length} of ${round.cells.length} tests fail${where}, ${streak} rounds in a row; ${commonError(failing)}`;
};

const shareOf = ({ votesAgainst, votes }: Tally): string =>
  `${Math.round((100 * votesAgainst) / votes)}% of ${votes} proxies`;

const recovering = (tally: Tally): string => (tally.isFaulty ? '' : '; fewer than before');

/** Names the only url or tester with failures, if there are others without. */
const onlyOne = (
  round: ProxyRound,
  failing: readonly FaultCell[],
  field: 'url' | 'tester',
  preposition: string,
): string => {
  const [first, ...more] = new Set(failing.map((cell) => cell[field]));
  const hasOthers = round.cells.some((cell) => cell[field] !== first);
  return first !== undefined && more.length === 0 && hasOthers ? ` ${preposition} ${first}` : '';
};

const commonError = (failing: readonly FaultCell[]): string => {
  const byError = Map.groupBy(failing, ({ errorSource, errorCode }) =>
    errorSource ? `${errorSource}: ${errorCode ?? 'no code'}` : (errorCode ?? 'no error given'),
  );
  const [[mostCommon] = ['']] = [...byError].sort(
    ([a, these], [b, those]) => those.length - these.length || (a < b ? -1 : 1),
  );
  return mostCommon;
};

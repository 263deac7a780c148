// Describes the reasons of faults in words, for logs, the status page and alerts.

import { meaningOfCode } from '../../prober/causes.ts';
import { hasSeveral } from './causes.ts';
import { consecutiveFailures, type FaultCell, hasFailed, type ProxyRound } from './proxy-round.ts';
import type { Tally } from './round-tallies.ts';

const PASS_AGAIN = 'pass again, but not for long enough yet';
const RECOVERING = 'it is recovering';

/** `what` are the tests or probes of a proxy. */
export const passAgain = (what: 'tests' | 'probes'): string => `its ${what} ${PASS_AGAIN}`;

/** `share` is what still fails. `isHealthy` is whether that is less than the share at which the fault ends. */
export const recoveringReason = (share: string, isHealthy: boolean): string =>
  `${RECOVERING} (${share}), but the fault ends only ${isHealthy ? 'after more such rounds' : 'below 25%'}`;

const orRecovering = (tally: Tally, votes: string): string =>
  tally.isFaulty ? votes : recoveringReason(votes, tally.isHealthy);

/** Whether the reason is one of these. Nothing has to be done about such a fault. */
export const isRecovering = (reason: string): boolean =>
  reason.includes(PASS_AGAIN) || reason.includes(RECOVERING);

export const outageReason = (tally: Tally): string =>
  orRecovering(tally, `${shareOf(tally)} fail all their tests`);

export const testerReason = (tally: Tally): string =>
  orRecovering(tally, `${shareOf(tally)} fail from this tester and pass from others`);

/** `productType` is given if only proxies of that type are concerned. */
export const targetReason = (tally: Tally, productType?: string): string => {
  const those = productType ? ` of type ${productType}` : '';
  return orRecovering(tally, `${shareOf(tally)}${those} fail at this target and pass at others`);
};

export const namedTargetReason = (tally: Tally): string =>
  orRecovering(
    tally,
    `${shareOf(tally)} fail at this target with the error source target; there is nothing to compare it with`,
  );

/** `failing` are the rounds of the proxies that fail at the url for an unknown cause; `tested` is the number of all proxies. */
export const inconclusiveReason = (url: string, failing: readonly ProxyRound[], tested: number): string => {
  const cells = failing.flatMap((round) => round.cells);
  const sources = new Set(
    cells.filter((cell) => hasFailed(cell, 0)).map(({ errorSource }) => errorSource ?? 'none'),
  );
  const only = (['url', 'tester'] as const).filter(
    (field) => !failing.some((round) => hasSeveral(round.cells, field)),
  );
  const share = `${failing.length} of ${tested} proxies`;
  if (failing.some(({ cells: own }) => !own.every((cell) => hasFailed(cell, 0))))
    return `${share} ${someReason(url, failing)}`;
  if (only.length === 0)
    return `${share} fail at all targets from all testers, and at least half of the errors name the target, or a tester that did not reach the proxy. Next: open the targets without a proxy`;
  const missing = only
    .map((field) => (field === 'url' ? 'no second target' : 'no second tester'))
    .join(' and ');
  return `${share} fail all their tests; there is ${missing} to compare with, and the error sources (${[...sources].sort().join(', ')}) do not show the cause. Next: add a target to the tests, so that proxywatch can compare`;
};

/** Of proxies that fail only some of their tests. */
const someReason = (url: string, failing: readonly ProxyRound[]): string => {
  const cells = failing.flatMap((round) =>
    round.cells.filter((cell) => cell.url === url && hasFailed(cell, 0)),
  );
  if (failing.length === 1)
    return 'fail only some tests, and no other proxy that works makes these; the proxy, the target or a tester can be the cause. Next: add another proxy to the tests, so that proxywatch can compare';
  const testers = [...new Set(cells.map(({ tester }) => tester))].sort().join(', ');
  return `fail at this target from ${testers}, although both work otherwise, so something between the two is at fault. Next: you need not do anything; if it lasts, report it to the provider`;
};

/**
 * `evidence` contains the tests that count against the proxy. If the proxy passes no test, the reason counts all of them,
 * although other faults explain some. Otherwise it says how many failures do not count.
 */
export const proxyReason = (round: ProxyRound, evidence: readonly FaultCell[]): string => {
  const counted = evidence.filter((cell) => hasFailed(cell, 0));
  if (counted.length === 0) return passAgain('tests');
  const streak = counted.reduce((longest, cell) => Math.max(longest, consecutiveFailures(cell)), 0);
  const all = round.cells.filter((cell) => hasFailed(cell, 0));
  const failing = all.length === round.cells.length ? all : counted;
  const where = `${onlyOne(round, failing, 'url', 'at')}${onlyOne(round, failing, 'tester', 'from')}`;
  const others = all.length - failing.length;
  const rest = others === 0 ? '' : `; ${others} more failing tests do not count against the proxy`;
  return `${failing.length} of ${round.cells.length} tests fail${where}, ${inARow(streak)}; ${commonError(failing)}${rest}`;
};

const shareOf = ({ votesAgainst, votes }: Tally): string =>
  `${Math.round((100 * votesAgainst) / votes)}% of ${votes} proxies`;

export const inARow = (rounds: number): string =>
  rounds === 1 ? 'in one round' : `${rounds} rounds in a row`;

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

/** The error code of most failing tests; empty if they have none. The code of a target says nothing about the proxy. */
export const commonCode = (cells: readonly FaultCell[]): string =>
  commonest(
    cells
      .filter((cell) => hasFailed(cell, 0))
      .map(({ errorSource, errorCode }) => (errorSource === 'target' ? '' : (errorCode ?? ''))),
  );

const commonError = (failing: readonly FaultCell[]): string => commonest(failing.map(errorWords));

/** The provider publishes no list of the errors of its testers. Numbers are the codes of its proxies. */
const errorWords = ({ errorSource, errorCode }: FaultCell): string => {
  const source = SOURCES.has(errorSource ?? '') ? `an error of the ${errorSource}` : 'an error';
  if (errorCode === null) return `the testers report ${source} without a code`;
  return `the testers report ${source}: ${codeWords(errorCode)}`;
};

const codeWords = (code: string): string => {
  const words = meaningOfCode(code) ?? code.replaceAll('_', ' ');
  if (words !== code) return `${words} (${code})`;
  return /[a-z]/i.test(code) ? code : `code ${code}`;
};

const SOURCES: ReadonlySet<string> = new Set(['proxy', 'target', 'tester']);

/** Of words that are equally common, the first in the alphabet; empty if there are none. */
export const commonest = (words: readonly string[]): string => {
  const [[most] = ['']] = [...Map.groupBy(words, (word) => word)].sort(
    ([a, these], [b, those]) => those.length - these.length || (a < b ? -1 : 1),
  );
  return most;
};

// Says whether a proxy that fails from here passes from the provider's testers.

import { ERROR_SOURCE_CODES } from '../../../store/test-store.ts';
import { MIN_PROXIES_FOR_OUTAGE } from '../../faults/assessment.ts';
import { type AttributedFault, isOfOneProxy } from '../../faults/attribution.ts';
import { causeOf, isOfTester } from '../../faults/causes.ts';
import { causeLookup } from '../../faults/failure-causes.ts';
import { areOwnSettings, isPolicy, isQuota } from '../../faults/own-setting.ts';
import {
  hasFailed,
  KNOWN_ROUNDS,
  newestRounds,
  type ProxyRound,
  roundsOfSource,
  sourceAt,
} from '../../faults/proxy-round.ts';
import type { EvidenceCell, ProbeEvidence } from '../evidence.ts';
import { isRefusedByProvider } from './provider-fault.ts';

/**
 * - passes: it passes from them since it fails from here.
 * - passed: it passed in their newest round, which is recent, but older than the first failure from here.
 * - fails: all their results since it fails from here show that the proxy itself is the cause.
 * - refused: the same, with the user name, the password or the options as the cause.
 * - untold: they have results, and these do not show it.
 * - unknown: they have no results of the last 24 hours, or of two cycles of the tests if these are longer.
 */
export type View = 'passes' | 'passed' | 'fails' | 'refused' | 'untold' | 'unknown';

export interface TesterView {
  /** What the testers show about failures of one proxy from here. One that passes from them is enough. */
  ofCells(cells: readonly EvidenceCell[]): View;
  /** When the testers last tested the proxy (ms); undefined if they have no results. */
  testedAt(proxy: string): number | undefined;
  /** The number of proxies that fail from them at this url, and of those that have results there. Without dead proxies. */
  atUrl(url: string): { readonly failing: number; readonly tested: number };
}

/** A pass counts for so many intervals of the tests, so that one late round does not take it away. */
const RECENT_INTERVALS = 2;

type Input = Pick<ProbeEvidence, 'providerTests' | 'testFaults' | 'intervalMs' | 'testIntervalMs' | 'now'>;

type TestedRound = ProxyRound<EvidenceCell>;
type FaultBefore = Pick<AttributedFault, 'since' | 'code'> | undefined;

/** `faultBefore` returns the fault of the proxy that the probes found before, after `faultAfter` failing rounds. */
export const testerView = (
  { providerTests, testFaults, intervalMs, testIntervalMs, now }: Input,
  faultAfter: number,
  faultBefore: (proxy: string) => FaultBefore = () => undefined,
): TesterView => {
  const rounds = new Map(newestRounds(providerTests).map((round) => [round.proxy, round]));
  const explainedBy = causeLookup(testFaults.filter((fault) => !isOfOneProxy(fault)));
  const showsProxy = (cell: EvidenceCell): boolean =>
    !isQuota(cell) && !isPolicy(cell) && explainedBy({ ...cell, isProxyDead: false }) === null;
  /** The results that show something about the proxy. A limit or a fault of what is wider explains the other failures. */
  const shown = ({ cells }: TestedRound): EvidenceCell[] =>
    cells.filter((cell) => !hasFailed(cell, 0) || showsProxy(cell));

  // Probes can have ended the fault of the provider that explained these results.
  const dead = [...rounds.values()].filter(
    (round) => causeOf(round, 0) === 'proxy' && !areOwnSettings(round.cells),
  );
  const isOutage = rounds.size >= MIN_PROXIES_FOR_OUTAGE && 2 * dead.length >= rounds.size;

  const viewAt = (round: TestedRound, cell: EvidenceCell): View => {
    const tests = shown(round);
    const atUrl = tests.filter(({ url }) => url === cell.url);
    // A refusal by the target says nothing about other targets.
    const isRefusedByTarget = sourceAt(cell, 0) === ERROR_SOURCE_CODES.target;
    const compared = atUrl.length > 0 || isRefusedByTarget ? [atUrl] : byUrl(tests);
    const begin = beginOfFailures(cell, intervalMs, faultBefore(cell.proxy), faultAfter);
    if (compared.some(isPassing)) {
      if (round.at >= begin) return 'passes';
      return now - round.at <= RECENT_INTERVALS * testIntervalMs ? 'passed' : 'untold';
    }
    const isSince = round.at >= begin - intervalMs;
    if (!isSince || causeOf({ ...round, cells: tests }, 0) !== 'proxy') return 'untold';
    // Refused credentials do not show that the proxy is down.
    if (areOwnSettings(tests)) return 'refused';
    return isOutage ? 'untold' : 'fails';
  };

  return {
    ofCells: (cells) => {
      const round = rounds.get(cells[0]?.proxy ?? '');
      if (!round) return 'unknown';
      const views = cells.map((cell) => viewAt(round, cell));
      return (
        (['passes', 'passed', 'fails', 'refused'] as const).find((view) => views.includes(view)) ?? 'untold'
      );
    },
    testedAt: (proxy) => rounds.get(proxy)?.at,
    atUrl: (url) => {
      const tested = [...rounds.values()]
        // A proxy that is down shows nothing about the target.
        .filter((round) => causeOf(round, 0) !== 'proxy')
        .map(({ cells }) => cells.filter((cell) => cell.url === url && !isOfTester(cell, 0)))
        .filter(({ length }) => length > 0);
      return { failing: tested.filter((cells) => !isPassing(cells)).length, tested: tested.length };
    },
  };
};

/** At each target by itself, because a proxy that passes at one of them works. At the others the target may be at fault. */
const byUrl = (tests: readonly EvidenceCell[]): EvidenceCell[][] => [
  ...Map.groupBy(tests, ({ url }) => url).values(),
];

/** A proxy passes if it passes at least half of the tests. */
const isPassing = (tests: readonly Pick<EvidenceCell, 'history'>[]): boolean =>
  tests.length > 0 && 2 * tests.filter(({ history }) => (history & 1) === 1).length <= tests.length;

/**
 * Failures with another error source before can have had another cause. The store has the outcomes of eight rounds. If all of
 * them failed, the fault that the probes found before shows the begin. The answers of the provider share their error source
 * with other refusals, so only a fault with the same code shows that they began earlier.
 */
const beginOfFailures = (
  cell: EvidenceCell,
  intervalMs: number,
  before: FaultBefore,
  faultAfter: number,
): number => {
  const foundAt = before?.since ?? Number.POSITIVE_INFINITY;
  const faultBegin = foundAt - (faultAfter - 1) * intervalMs;
  if (isRefusedByProvider(cell))
    return before?.code === cell.errorCode ? Math.min(cell.at, faultBegin) : cell.at;
  const rounds = Math.max(1, roundsOfSource(cell));
  const begin = cell.at - (rounds - 1) * intervalMs;
  return rounds < KNOWN_ROUNDS ? begin : Math.min(begin, faultBegin);
};

// Decides which failing proxies cannot be used from here only, and which are at fault themselves.

import type { AttributedFault } from '../../faults/attribution.ts';
import { consecutiveFailures, hasFailed } from '../../faults/proxy-round.ts';
import type { EvidenceCell } from '../evidence.ts';
import { accessReason, RECOVERING_REASON } from './access-reasons.ts';
import { causeOfCell } from './outcomes.ts';
import type { TesterView } from './tester-view.ts';

/**
 * What decides about a proxy: its failures are those of `access`, they are also seen by the provider's testers (`both`),
 * or the pattern of all proxies decides.
 */
export type Side = 'access' | 'both' | 'pattern';

export interface AccessContext {
  readonly view: TesterView;
  readonly faultAfter: number;
  /** The proxies that the proxy tests have found at fault. */
  readonly testedAtFault: ReadonlySet<string>;
  /** Whether the probes found this fault before. */
  wasFound(kind: 'access' | 'proxy', proxy: string): boolean;
}

export const failingCells = (cells: readonly EvidenceCell[]): EvidenceCell[] =>
  cells.filter((cell) => hasFailed(cell, 0));

/**
 * The side of failures that no target explains. Wrong credentials belong to the access, unless the testers fail too. An
 * earlier fault of the access stays until the testers have newer results. Without any result of them, the pattern decides.
 */
export const sideOf = (
  failing: readonly EvidenceCell[],
  { view, wasFound }: Pick<AccessContext, 'view' | 'wasFound'>,
): Side => {
  const seen = view.ofCells(failing);
  if (seen === 'passes') return 'access';
  if (seen === 'fails') return 'both';
  const proxy = failing[0]?.proxy ?? '';
  const isStill = wasFound('access', proxy) && view.passedBefore(failing);
  return areOwnSettings(failing) || isStill ? 'access' : 'pattern';
};

const areOwnSettings = (failing: readonly EvidenceCell[]): boolean =>
  failing.filter(isOwnSetting).length * 2 > failing.length;

const isOwnSetting = (cell: EvidenceCell): boolean => {
  const cause = causeOfCell(cell);
  return cause === 'credentials' || cause === 'options';
};

/** The fault of a proxy that passes nothing from here, and that the pattern of all proxies does not judge. */
export const faultOfDeadProxy = (
  proxy: string,
  cells: readonly EvidenceCell[],
  side: Side,
  { view, faultAfter, wasFound, testedAtFault }: AccessContext,
): AttributedFault | undefined => {
  const streak = Math.max(...cells.map(consecutiveFailures));
  if (streak < faultAfter && !wasFound('proxy', proxy) && !wasFound('access', proxy)) return undefined;
  if (side === 'access') return accessFault(proxy, cells, view);
  // The proxy tests need rounds of their own to find it. Their fault then replaces this one.
  return testedAtFault.has(proxy)
    ? undefined
    : { kind: 'proxy', subject: proxy, reason: 'it fails from here and from the provider’s testers' };
};

export const accessFault = (
  proxy: string,
  failing: readonly EvidenceCell[],
  view: TesterView,
): AttributedFault => ({
  kind: 'access',
  subject: proxy,
  reason: accessReason(failing, view.ofCells(failing) === 'passes'),
});

/**
 * An earlier fault ends after `faultAfter` rounds without a failure, or when the pattern of all proxies names the proxy.
 * `failing` are the failures that no target explains.
 */
export const recoveringFault = (
  proxy: string,
  cells: readonly EvidenceCell[],
  failing: readonly EvidenceCell[],
  { view, faultAfter, wasFound }: AccessContext,
): AttributedFault | undefined => {
  if (!wasFound('access', proxy)) return undefined;
  if (failing.length > 0)
    return sideOf(failing, { view, wasFound }) === 'both' ? undefined : accessFault(proxy, failing, view);
  const isRecent = cells.some((cell) =>
    Array.from({ length: faultAfter }, (_, depth) => depth).some((depth) => hasFailed(cell, depth)),
  );
  return isRecent ? { kind: 'access', subject: proxy, reason: RECOVERING_REASON } : undefined;
};

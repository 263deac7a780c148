// Decides which failing proxies cannot be used from here, and which are at fault themselves.

import type { AttributedFault, FaultLookup } from '../../faults/attribution.ts';
import { areOwnSettings } from '../../faults/own-setting.ts';
import { consecutiveFailures, hasFailed, hasFailedWithin } from '../../faults/proxy-round.ts';
import { inARow, passAgain } from '../../faults/reasons.ts';
import type { EvidenceCell } from '../evidence.ts';
import { accessReason, BOTH_REASON, commonestCode, commonFailure } from './access-reasons.ts';
import { isRefusedByProvider } from './provider-fault.ts';
import type { TesterView } from './tester-view.ts';

/**
 * What decides about a proxy: its failures are those of `access`, the provider's testers show that the proxy is the cause
 * (`both`), or the pattern of all proxies decides, if the testers do not show it.
 */
export type Side = 'access' | 'both' | 'pattern';

export interface AccessContext {
  readonly view: TesterView;
  readonly faultAfter: number;
  /** Whether the proxy tests have found a fault that explains the failures of this proxy. */
  isTestedAtFault(proxy: string): boolean;
  readonly before: FaultLookup;
  /** The fault that the probes found before of the access to the proxy, or of the proxy itself. */
  faultBefore(proxy: string): AttributedFault | undefined;
}

export interface ProxyContext extends AccessContext {
  /** The number of rounds in a row in which the probe failed, without those that a fault of its target explains. */
  streakOf(cell: EvidenceCell): number;
}

export const failingCells = (cells: readonly EvidenceCell[]): EvidenceCell[] =>
  cells.filter((cell) => hasFailed(cell, 0));

/** The side of failures that no target explains. Refused logins and options are the customer's, also if testers get them. */
export const sideOf = (failing: readonly EvidenceCell[], { view }: Pick<AccessContext, 'view'>): Side => {
  if (areOwnSettings(failing)) return 'access';
  const seen = view.ofCells(failing);
  if (seen === 'fails') return 'both';
  if (seen === 'passed') return failing.some(isOfProxy) ? 'access' : 'pattern';
  return seen === 'passes' ? 'access' : 'pattern';
};

/** A target that went down after the testers passed can have caused the other failures. */
const isOfProxy = ({ errorSource }: EvidenceCell): boolean =>
  errorSource === 'proxy' || errorSource === 'provider';

/** The fault of a proxy that passes nothing from here, and that the pattern of all proxies does not judge. */
export const faultOfDeadProxy = (
  proxy: string,
  cells: readonly EvidenceCell[],
  side: Side,
  { view, faultAfter, faultBefore, isTestedAtFault, streakOf }: ProxyContext,
): AttributedFault | undefined => {
  // Failures of a single target before that can have had another cause.
  const streak = Math.min(...cells.map(streakOf));
  if (streak < faultAfter && !faultBefore(proxy)) return undefined;
  // The proxy tests need rounds of their own to find it. Their fault then replaces this one.
  if (side === 'both' && isTestedAtFault(proxy)) return undefined;
  return side === 'access'
    ? accessFault(proxy, cells, view)
    : {
        ...{ kind: 'proxy', subject: proxy, code: commonestCode(cells) },
        reason: `${BOTH_REASON}: ${commonFailure(cells)}`,
      };
};

export const accessFault = (
  proxy: string,
  failing: readonly EvidenceCell[],
  view: TesterView,
): AttributedFault => ({
  kind: 'access',
  subject: proxy,
  reason: accessReason(failing, view.ofCells(failing), view.testedAt(proxy)),
  code: commonestCode(failing),
});

/** An earlier fault ends after `faultAfter` rounds without a failure, or if the pattern of all proxies names the proxy. */
export const recoveringFault = (
  proxy: string,
  cells: readonly EvidenceCell[],
  failing: readonly EvidenceCell[],
  { view, faultAfter, before }: AccessContext,
): AttributedFault | undefined => {
  if (!before('access', proxy)) return undefined;
  if (failing.length > 0)
    return sideOf(failing, { view }) === 'both' ? undefined : accessFault(proxy, failing, view);
  const isRecent = cells.some((cell) => hasFailedWithin(cell, faultAfter));
  return isRecent ? { kind: 'access', subject: proxy, reason: passAgain('probes') } : undefined;
};

/**
 * The pattern of all proxies shows that the proxy is the cause. If the provider's testers have results of it, only they can
 * show that it is so elsewhere too. A proxy that answers for the provider is not down itself.
 */
export const faultByPattern = (
  found: AttributedFault,
  cells: readonly EvidenceCell[],
  failing: readonly EvidenceCell[],
  { view, isTestedAtFault }: AccessContext,
): AttributedFault | undefined => {
  const isOfProvider = 2 * failing.filter(isRefusedByProvider).length > failing.length;
  if (view.ofCells(failing) === 'unknown' && !isOfProvider)
    return { ...found, reason: patternReason(cells, failing) };
  return isTestedAtFault(found.subject) ? undefined : accessFault(found.subject, failing, view);
};

const patternReason = (cells: readonly EvidenceCell[], failing: readonly EvidenceCell[]): string => {
  const streak = Math.max(...failing.map(consecutiveFailures));
  const [url, ...others] = new Set(failing.map((cell) => cell.url));
  const where = others.length === 0 && failing.length < cells.length ? ` at ${url}` : '';
  return `${failing.length} of ${cells.length} probes fail${where}, ${inARow(streak)}: ${commonFailure(failing)}`;
};
